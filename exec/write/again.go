package write

import (
	"bytes"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// again goes on with rows that have changed since the statement read them: they are read
// anew, and written where the statement's condition holds for them as they are now. What
// the input computed beside a row (see plan.Again) stands beside the new one.
type again struct {
	d      *dml
	reader *rowReader
	cond   *eval.Prog // nil is true
	how    *plan.Again
	slotOf map[string]int // of the input's batch, by key; where how is not nil
}

func (a *again) init(d *dml, r *rowReader, cond expr.Expr, how *plan.Again) (err error) {
	a.d, a.reader, a.how = d, r, how
	if cond != nil {
		a.cond, err = eval.Compile(cond)
	}
	return err
}

// try reads the rows of keys, which b holds as they were, and does those that the
// statement still wants to do, until no row is missed.
func (a *again) try(b *vec.Batch, keys [][]byte, do func(*vec.Batch) ([][]byte, error)) error {
	if len(keys) == 0 {
		return nil
	}
	if a.how != nil {
		a.slotOf = make(map[string]int, b.Rows())
		for j := range b.Rows() {
			slot := b.Row(j)
			a.slotOf[string(b.Cols[len(a.d.table.Columns)].Bytes[slot])] = slot
		}
	}
	for try := 0; len(keys) > 0; try++ {
		if try > 1 {
			if err := storage.Pause(a.d.cx.Ctx, try, retryUnit); err != nil {
				return storage.CtxError(storage.OpCheckAndMutate, a.d.table.Physical, err)
			}
		}
		now, err := a.reader.read(keys)
		if err != nil {
			return err
		}
		if a.how != nil && a.how.Merge && (now == nil || now.N < len(keys)) {
			return txn.ErrSerialization // it may be one that is not matched
		}
		if now == nil {
			return nil // gone: there is nothing to write
		}
		if a.how != nil {
			if now, err = a.beside(now, b); err != nil {
				return err
			}
		}
		if a.cond != nil {
			if now.Sel, err = a.cond.Filter(a.d.cx.Env, now, nil); err != nil {
				return err
			}
			if a.how != nil && (a.how.Joined || a.how.Merge) && len(now.Sel) < now.N {
				return txn.ErrSerialization
			}
			if len(now.Sel) == 0 {
				return nil
			}
		}
		if keys, err = do(now); err != nil {
			return err
		}
	}
	return nil
}

// beside puts what was computed with the rows of b beside those rows as they are now.
func (a *again) beside(now, b *vec.Batch) (*vec.Batch, error) {
	n := len(a.d.table.Columns)
	was := make([]int, now.N)
	for i := range was {
		was[i] = a.slotOf[string(now.Cols[n].Bytes[i])]
		if !bytes.Equal(a.image(now, i), a.image(b, was[i])) {
			return nil, txn.ErrSerialization
		}
	}
	all := &vec.Batch{Cols: now.Cols[: n+2 : n+2], N: now.N}
	for _, from := range b.Cols[n+2:] {
		v := vec.New(from.Type)
		v.Resize(now.N)
		for i, slot := range was {
			vec.CopySlot(v, i, from, slot)
		}
		all.Cols = append(all.Cols, v)
	}
	return all, nil
}

// image is a row's values of the columns that what was computed depends on.
func (a *again) image(b *vec.Batch, slot int) []byte {
	cols := make([]*vec.Vec, len(a.how.Columns))
	for i, c := range a.how.Columns {
		cols[i] = b.Cols[c]
	}
	return spill.AppendRow(nil, cols, slot)
}
