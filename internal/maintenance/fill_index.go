package maintenance

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// FillIndexes has the indexes of a catalog's tables filled through txns.
func FillIndexes(cat *live.Catalog, txns *txn.Manager, now func() time.Time) {
	cat.FillIndexes(func(ctx context.Context, t *catalog.Table, ix *catalog.Index) (live.Filler, error) {
		f, err := write.NewFiller(txns.For(t.Distributed()), &expr.Env{Ctx: ctx, Now: now(), StmtTime: now()}, t, ix)
		return filler{f, t}, err
	})
}

// filler fills an index, with the errors that a statement shows.
type filler struct {
	*write.Filler
	of *catalog.Table
}

// Fill implements live.Filler.
func (f filler) Fill(ctx context.Context, span storage.Span, limit int) (n int, last []byte, err error) {
	n, last, err = f.Filler.Fill(ctx, span, limit)
	return n, last, op.MapError(ctx, err, []*catalog.Table{f.of})
}

// Bulk implements live.BulkFiller.
func (f filler) Bulk(ctx context.Context) (live.Bulk, error) {
	b, err := f.Filler.Bulk(ctx)
	if b == nil || err != nil {
		return nil, op.MapError(ctx, err, []*catalog.Table{f.of})
	}
	return bulk{b, f.of}, nil
}

// bulk fills a whole index, with the errors that a statement shows.
type bulk struct {
	*write.Bulk
	of *catalog.Table
}

// Fill implements live.Bulk.
func (b bulk) Fill(ctx context.Context, span storage.Span, progress func(rows int) error) error {
	return op.MapError(ctx, b.Bulk.Fill(ctx, span, progress), []*catalog.Table{b.of})
}
