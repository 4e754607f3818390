package stats

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/storage"
)

const (
	// fewBytes is how much of a table is read to say how large it is.
	fewBytes = 1 << 20
	// leastRowBytes is what a row takes at least in files, about, however well they are compressed.
	leastRowBytes = 8
)

// Bytes is about what a span of a table's storage takes: what the store says of its tablets. A
// store counts what it has written to its files: where that is less than its rows can take, some
// of them are looked at.
func Bytes(ctx context.Context, stored storage.Table, span storage.Span) (bytes int64, err error) {
	tablets, err := stored.Tablets(ctx, span)
	if err != nil {
		return 0, err
	}
	for _, tab := range tablets {
		bytes += max(tab.Bytes, 0)
	}
	if bytes >= fewBytes {
		return bytes, nil
	}
	sample, err := stored.Sample(ctx, span, 1)
	if err != nil {
		return 0, err
	}
	var rows int64
	for _, p := range sample.Pieces {
		rows += max(p.Rows, 0)
	}
	if bytes > rows*leastRowBytes {
		return bytes, nil
	}
	inMemory, err := unwritten(ctx, stored, span, rows)
	return max(bytes, inMemory), err
}

// unwritten measures a part of a table that the store has not written to its files, which has
// about so many rows, by its first ones.
func unwritten(ctx context.Context, stored storage.Table, span storage.Span, all int64) (bytes int64, err error) {
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
		for i := 0; i < rb.Len() && bytes < fewBytes; i++ { // by rows, however many come at once
			rows++
			bytes += int64(len(rb.Key(i)))
			for j := range rb.NumCells(i) {
				c := rb.Cell(i, j)
				bytes += int64(len(c.Family) + len(c.Qualifier) + len(c.Value))
			}
		}
	}
	return int64(float64(bytes) / float64(rows) * float64(max(rows, all))), nil
}
