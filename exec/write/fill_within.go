package write

import (
	"cmp"
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// FillWithin writes, within a transaction, the entries of the rows that it sees into an index of a
// table that no other transaction sees: neither needs locks. 23505 where rows of a UNIQUE index have
// the same parts, 54000 where the transaction cannot hold the entries.
func FillWithin(ctx context.Context, txns *txn.Manager, within *txn.Txn, env *expr.Env, t *catalog.Table, ix *catalog.Index) error {
	f, err := NewFiller(txns, env, t, ix)
	if err != nil {
		return err
	}
	return f.within(ctx, within, func(*op.Context) error {
		from := within.Store().Table(t.Physical)
		for _, span := range t.Codec().Key.TableSpans() {
			if err := f.fillSpan(ctx, from, span); err != nil {
				return err
			}
		}
		return nil
	})
}

// FillUnseen is FillWithin by a load outside of the transaction, for rows that are committed, on a store
// that has loads.
func FillUnseen(ctx context.Context, txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index) error {
	f, err := NewFiller(txns, env, t, ix)
	if err != nil {
		return err
	}
	b, err := f.Bulk(ctx)
	if err != nil || b == nil {
		return cmp.Or[error](err, storage.Unsupported(txns.Raw().Caps().Name, storage.OpLoad, "loads"))
	}
	defer b.Close()
	if err := b.Begin(ctx); err != nil {
		return err
	}
	for _, span := range t.Codec().Key.TableSpans() {
		if err := b.Fill(ctx, span, func(int) error { return ctx.Err() }); err != nil {
			return err
		}
	}
	if err := b.Prepare(ctx); err != nil {
		return err
	}
	_, err = b.Commit(ctx) // nobody else has written
	return err
}

// fillSpan writes the entries of the rows of a span.
func (f *Filler) fillSpan(ctx context.Context, from storage.Table, span storage.Span) (err error) {
	for {
		if f.keys, err = f.scan(ctx, from, span, fillRows); err != nil || len(f.keys) == 0 {
			return err
		}
		rows, err := f.reader.read(f.keys)
		if err == nil && rows != nil {
			err = f.fill(rows)
		}
		if err != nil {
			return err
		}
		span.Start = append(f.keys[len(f.keys)-1], 0)
	}
}
