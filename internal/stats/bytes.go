package stats

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Bytes is about what a span of a table's storage takes: what the store says of its tablets. A
// store counts what it has written to its files: of what is not there yet, rows are looked at.
func (z *Estimates) Bytes(ctx context.Context, t *catalog.Table, stored storage.Table, span storage.Span) (bytes int64, err error) {
	tablets, err := stored.Tablets(ctx, span)
	if err != nil {
		return 0, err
	}
	for _, tab := range tablets {
		bytes += max(tab.Bytes, 0)
	}
	if bytes > 0 {
		return bytes, nil
	}
	return z.unwritten(ctx, t, stored, span)
}

// fewBytes is how much of a table is read to say how large it is.
const fewBytes = 1 << 20

// unwritten measures a part of a table that the store has not written to its files, by its first
// rows.
func (z *Estimates) unwritten(ctx context.Context, t *catalog.Table, stored storage.Table, span storage.Span) (bytes int64, err error) {
	sc, err := stored.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{span}})
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
	known, _ := z.KnownRows(t)
	all := float64(known)
	if len(span.Start) > 0 {
		all /= float64(max(t.Options.SaltBuckets, 1))
	}
	if all > float64(rows) {
		bytes = int64(float64(bytes) / float64(rows) * all)
	}
	return bytes, nil
}
