package stats

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/storage"
)

// What a measurement may cost, whatever the size of the table: the rows of a
// table that is counted whole, or a sample of pieces and as many stretches
// of rows from them, and the last row.
const (
	countedRows       = 20_000 // a few ms
	countedRowsRemote = 1000   // one call
	measuredReads     = 64     // stretches
	readRows          = 256
	readsRemote       = 48  // calls, some at a time
	readRowsRemote    = 256 // enough to see the end of an emulator's piece
	readBytes         = 256 << 10
	piecesPerBucket   = 64
	leastPieces       = 256
	mostPieces        = 2048
)

// measurement is one look at one table.
type measurement struct {
	store  storage.Store
	remote bool
	table  *catalog.Table
	calls  atomic.Int64 // storage calls made, and rows read
	rows   atomic.Int64
}

func (m *measurement) run(ctx context.Context) (*histogram.Histogram, error) {
	schema := &m.table.Codec().Key
	table := m.store.Table(m.table.Physical)
	pieces := min(max(piecesPerBucket*m.table.Buckets(), leastPieces), mostPieces)
	limit := int64(countedRows)
	if m.remote {
		limit = countedRowsRemote
	}
	c := histogram.NewCounter(schema, pieces)
	all := storage.ScanRequest{Spans: m.table.Codec().Key.TableSpans(), KeysOnly: true, Limit: limit}
	n, _, err := m.read(ctx, table, &all, 0, c.Row)
	if err != nil {
		return nil, err
	}
	if n < limit {
		return c.Histogram(), nil
	}
	sample, err := table.Sample(ctx, storage.Span{}, pieces)
	if err != nil {
		return nil, err
	}
	m.calls.Add(sample.Calls)
	m.rows.Add(sample.Rows)
	return m.build(ctx, table, schema, sample)
}

// stretch is what was read of a piece.
type stretch struct {
	keys  storage.RowBatch
	bytes int64
	ended bool
}

func (m *measurement) build(ctx context.Context, table storage.Table, schema *rowcodec.KeySchema, sample *storage.TableSample) (*histogram.Histogram, error) {
	b := histogram.NewBuilder(schema, sample.Pieces)
	stretches := measuredReads
	if m.remote {
		stretches = readsRemote
	}
	places := b.Places(stretches)
	reads := make([]stretch, len(places))
	var g errgroup.Group
	g.SetLimit(1)
	if m.remote {
		g.SetLimit(max(m.store.Caps().ScanFanout/2, 1))
	}
	for i, piece := range places {
		g.Go(guard.Func(func() error {
			p := &sample.Pieces[piece]
			req := storage.ScanRequest{Spans: []storage.Span{p.Span}, KeysOnly: p.Rows >= 0, Limit: readRows, BatchRows: 64}
			if m.remote {
				req.Limit = readRowsRemote
			}
			r := &reads[i]
			n, ended, err := m.read(ctx, table, &req, readBytes, r.keys.StartRow)
			r.bytes, r.ended = ended.bytes, ended.eof && n < req.Limit
			return err
		}))
	}
	var last sync.Once
	g.Go(guard.Func(func() error {
		_, _, err := m.read(ctx, table, &storage.ScanRequest{Spans: m.table.Codec().Key.TableSpans(), KeysOnly: true, Limit: 1, Reverse: true}, 0,
			func(key []byte) { last.Do(func() { b.Last(key) }) })
		return err
	}))
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, piece := range places {
		b.Begin(piece)
		for row := range reads[i].keys.Len() {
			b.Row(reads[i].keys.Key(row))
		}
		b.End(reads[i].bytes, reads[i].ended)
	}
	return b.Histogram(), nil
}

// readEnd is how a read ended.
type readEnd struct {
	bytes int64
	eof   bool
}

// read gives the keys of a scan to row, until it has seen so many bytes; 0 is no bound.
func (m *measurement) read(ctx context.Context, t storage.Table, req *storage.ScanRequest, most int64, row func(key []byte)) (n int64, end readEnd, err error) {
	sc, err := t.Scan(ctx, req)
	if err != nil {
		return 0, end, err
	}
	defer func() {
		sc.Close()
		stats := sc.Stats()
		m.calls.Add(max(stats.Calls, 1))
		m.rows.Add(stats.RowsRead)
	}()
	var rb storage.RowBatch
	for {
		switch err := sc.Next(&rb); err {
		case nil:
		case io.EOF:
			end.eof = true
			return n, end, nil
		default:
			return n, end, err
		}
		for i := range rb.Len() {
			row(rb.Key(i))
			end.bytes += int64(len(rb.Key(i)))
			for j := range rb.NumCells(i) {
				c := rb.Cell(i, j)
				end.bytes += int64(len(c.Family) + len(c.Qualifier) + len(c.Value))
			}
		}
		n += int64(rb.Len())
		if most > 0 && end.bytes >= most {
			return n, end, nil
		}
	}
}
