package session

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Jobs lists the changes of tables that go on.
func (f sessionFuncs) Jobs(ctx context.Context) ([]catalog.Job, error) {
	return f.s.db.catalog.Jobs(ctx)
}

// CancelJob is saltsql.cancel_job.
func (f sessionFuncs) CancelJob(ctx context.Context, id uint32) (bool, error) {
	return f.s.db.catalog.CancelJob(f.s.asActor(ctx), id)
}

// TableBytes sums what the store says of the table's tablets. A store counts what it has
// written to its files: of a table that is not there yet rows are looked at.
func (f sessionFuncs) TableBytes(ctx context.Context, t *catalog.Table) (int64, error) {
	return f.spanBytes(ctx, t, storage.Span{})
}

// BucketBytes is TableBytes of one salt bucket, whose number is the first byte of its keys.
func (f sessionFuncs) BucketBytes(ctx context.Context, t *catalog.Table, bucket int) (int64, error) {
	span := storage.Span{Start: []byte{byte(bucket)}}
	if bucket < 255 {
		span.End = []byte{byte(bucket + 1)}
	}
	return f.spanBytes(ctx, t, span)
}

func (f sessionFuncs) spanBytes(ctx context.Context, t *catalog.Table, span storage.Span) (bytes int64, err error) {
	table := f.s.txns().Raw().Table(t.Physical)
	tablets, err := table.Tablets(ctx, span)
	if err != nil {
		return 0, f.s.db.storageError(ctx, err)
	}
	for _, tab := range tablets {
		bytes += max(tab.Bytes, 0)
	}
	if bytes > 0 {
		return bytes, nil
	}
	bytes, err = f.unwritten(ctx, t, table, span)
	if err != nil {
		return 0, f.s.db.storageError(ctx, err)
	}
	return bytes, nil
}

// fewBytes is how much of a table is read to say how large it is.
const fewBytes = 1 << 20

// unwritten measures a part of a table that the store has not written to its files, by its first
// rows.
func (f sessionFuncs) unwritten(ctx context.Context, t *catalog.Table, table storage.Table, span storage.Span) (bytes int64, err error) {
	sc, err := table.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{span}})
	if err != nil {
		return 0, err
	}
	defer sc.Close()
	var rb storage.RowBatch
	var rows int64
	for bytes < fewBytes {
		switch err := sc.Next(&rb); err {
		case nil:
		case io.EOF:
			return bytes, nil
		default:
			return 0, err
		}
		rows += int64(rb.Len())
		for i := range rb.Len() {
			bytes += int64(len(rb.Key(i)))
			for j := range rb.NumCells(i) {
				c := rb.Cell(i, j)
				bytes += int64(len(c.Family) + len(c.Qualifier) + len(c.Value))
			}
		}
	}
	all := f.EstimatedRows(t)
	if len(span.Start) > 0 {
		all /= float64(max(t.Options.SaltBuckets, 1))
	}
	if all > float64(rows) {
		bytes = int64(float64(bytes) / float64(rows) * all)
	}
	return bytes, nil
}
