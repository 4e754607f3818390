package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// SetRows evaluates the arguments of a set-returning function and gives its rows, which are booked until the statement
// ends.
func SetRows(env *expr.Env, f *expr.SetFunc, args []expr.Expr) ([][]types.Datum, error) {
	vals, ts := make([]types.Datum, len(args)), make([]types.T, len(args))
	for i, a := range args {
		d, err := EvalConst(env, a)
		if err != nil {
			return nil, err
		}
		if d.Null && !f.Nullable {
			return nil, nil
		}
		vals[i], ts[i] = d.Clone(a.Type()), a.Type()
	}
	rows, _, err := SetRowsOf(env, f, ts, vals)
	return rows, err
}

// SetRowsOf gives the rows of a call whose arguments, of types ts, are evaluated, and the bytes
// that it has booked for them; the rows may share the arguments' memory.
func SetRowsOf(env *expr.Env, f *expr.SetFunc, ts []types.T, vals []types.Datum) ([][]types.Datum, int64, error) {
	for i := range vals {
		if vals[i].Null && !f.Nullable {
			return nil, 0, nil
		}
	}
	if n := needOf(f.Sig, ts); n != nil {
		if err := env.Mem.Fits(int64(n(vals))); err != nil {
			return nil, 0, err
		}
	}
	rows, err := f.Rows(env, ts, vals)
	if err != nil {
		return nil, 0, err
	}
	if err := env.Canceled(); err != nil {
		return nil, 0, err
	}
	var size int64
	for _, r := range rows {
		size += RowBytes
		for i := range r {
			size += types.DatumSize + r[i].Behind()
		}
	}
	if err := env.Mem.Need(size); err != nil {
		return nil, 0, err
	}
	return rows, size, nil
}

// RowBytes is what the slice of a row takes.
const RowBytes = 24
