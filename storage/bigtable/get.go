package bigtable

import (
	"bytes"
	"context"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/storage"
)

// Keys of one request are served one after another, so that more requests in
// parallel are faster; its size is bound too.
const maxKeysPerRequest = 100

// MultiGet implements storage.Table.
func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	const op = storage.OpMultiGet
	if req == nil {
		req = &storage.ScanRequest{}
	}
	if err := storage.CheckRead(op, t.name, req); err != nil {
		return 0, err
	}
	if err := storage.CheckKeys(op, t.name, keys); err != nil {
		return 0, err
	}
	if req.Snapshot != nil {
		return 0, storage.Unsupported("bigtable", op, "snapshots")
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return 0, err
	}
	defer c.end()
	chunks := keyChunks(keys)
	switch len(chunks) {
	case 0:
		return 0, nil
	case 1:
		was := dst.Len()
		if err := t.getChunk(c, c, chunks[0], req, dst); err != nil {
			dst.Truncate(was)
			return 1, err
		}
		return 1, nil
	}
	batches := make([]storage.RowBatch, len(chunks))
	group, gctx := errgroup.WithContext(c)
	group.SetLimit(t.s.config.Parallel)
	if req.Filter != nil {
		group.SetLimit(1) // it must not run on two goroutines
	}
	for i := range chunks {
		group.Go(func() error {
			return guard(op, t.name, func() error { return t.getChunk(c, gctx, chunks[i], req, &batches[i]) })
		})
	}
	if err := group.Wait(); err != nil {
		return len(chunks), err
	}
	total := 0
	for i := range batches {
		total += batches[i].Bytes()
	}
	if !dst.Fits(total) {
		return len(chunks), storage.Errorf(storage.CodeTooLarge, op, t.name, "the rows asked for are over 4 GiB")
	}
	for i := range batches {
		for j := range batches[i].Len() {
			dst.AppendRow(&batches[i], j)
		}
	}
	return len(chunks), nil
}

// keyChunks cuts keys into requests and leaves out keys that no row can have.
func keyChunks(keys [][]byte) [][][]byte {
	var chunks [][][]byte
	var list [][]byte
	size := 0
	for _, k := range keys {
		if !storage.CanExist(k) {
			continue
		}
		if len(list) == maxKeysPerRequest || size+len(k) > maxRowSetBytes {
			chunks, list, size = append(chunks, list), nil, 0
		}
		list, size = append(list, k), size+len(k)+4
	}
	if len(list) > 0 {
		chunks = append(chunks, list)
	}
	return chunks
}

func (t *table) getChunk(c *call, ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) error {
	filter, exact := readFilter(req)
	f := newRowFiller(req, exact, dst)
	return t.readKeys(c, ctx, keys, filter, &f)
}

// readKeys reads the rows of keys, which are sorted and as many as one request takes, into the batch
// of f. Where it gives an error the batch has some of them, and the last of these may be a part of one.
func (t *table) readKeys(c *call, ctx context.Context, keys [][]byte, filter filter, f *rowFiller) error {
	fits := true
	more := func(bool) bool {
		fits = f.dst.Fits(storage.MaxRowBytes + storage.MaxRowKeyBytes)
		return fits
	}
	r := &rowRead{filter: filter, chunkDecoder: chunkDecoder{op: storage.OpMultiGet, table: t.name, fill: f, row: more, message: func() {}}}
	r.rows = func() *bigtablepb.RowSet {
		for r.hasLast && len(keys) > 0 && bytes.Compare(keys[0], r.last) <= 0 {
			keys = keys[1:]
		}
		if len(keys) == 0 {
			return nil
		}
		return &bigtablepb.RowSet{RowKeys: keys}
	}
	err := t.readRows(c, ctx, r)
	switch {
	case f.err != nil:
		return f.err
	case !fits:
		return storage.Errorf(storage.CodeTooLarge, storage.OpMultiGet, t.name, "the rows asked for are near 4 GiB")
	}
	return c.readError(err)
}
