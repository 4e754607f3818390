package write

import (
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
	cx := &op.Context{Ctx: ctx, Txns: txns, Txn: within, Env: env}
	if err := cx.Begin(op.Needs{Writes: true}); err != nil {
		return err
	}
	defer func() {
		cx.Finish()
		_ = cx.End()
	}()
	if err := f.w.open(cx); err != nil {
		return err
	}
	from := within.Store().Table(t.Physical)
	for _, span := range t.Codec().Key.TableSpans() {
		for {
			if f.keys, err = f.scan(ctx, from, span, fillRows); err != nil {
				return err
			}
			if len(f.keys) == 0 {
				break
			}
			rows, err := f.reader.read(f.keys)
			if err == nil && rows != nil {
				err = f.fill(rows)
			}
			if err != nil {
				return err
			}
			span = storage.Span{Start: append(f.keys[len(f.keys)-1], 0), End: span.End}
		}
	}
	return nil
}
