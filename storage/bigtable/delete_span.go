package bigtable

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// DeleteSpan implements storage.Table. A prefix, or all, is one request of the
// admin service; other spans are read and deleted row by row.
func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	const op = storage.OpDeleteSpan
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return err
	}
	if prefix, ok := prefixOf(span); ok {
		return admin{t.s}.dropRows(ctx, op, t.name, prefix)
	}
	sc, err := t.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{span}, KeysOnly: true})
	if err != nil {
		return err
	}
	defer sc.Close()
	return t.deleteRows(ctx, sc)
}

// prefixOf gives the prefix whose keys are exactly those of span.
func prefixOf(span storage.Span) ([]byte, bool) {
	if len(span.Start) == 0 {
		return nil, len(span.End) == 0
	}
	end := slices.Clone(span.Start)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return span.Start, slices.Equal(end, span.End)
}
