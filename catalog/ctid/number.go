package ctid

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Numbers are the keys that a session has shown the ctid of. A session that a statement runs in is one; it
// may be called by any goroutine of the statement.
type Numbers interface {
	// RowNumber numbers a key in the storage of a table: 54000 where there are no more numbers, 53200
	// where memory is short.
	RowNumber(physical string, key []byte) (n int64, err error)
	// RowKey gives the key of a number; ok is false for one that was not given, or is forgotten.
	RowKey(physical string, n int64) (key []byte, ok bool)
}

const (
	// rowsPerBlock has numbers of rows that some tools keep in 16 bits with a sign.
	rowsPerBlock = 1 << 14
	// MostNumbers is how many numbers there are.
	MostNumbers = blocksPerBucket * rowsPerBlock
)

func numbers(env *expr.Env) (Numbers, error) {
	n, ok := env.Session.(Numbers)
	if !ok {
		return nil, sqlerr.Unsupported("ctid outside of a session is not supported", "Name rows by their key columns.")
	}
	return n, nil
}

// Value is the ctid of the row of t with given key columns.
func Value(t *catalog.Table, key []expr.Expr, f *expr.Func, pos int) expr.Expr {
	of := &expr.Const{Value: types.NewInt(int64(t.ID)), T: types.Of(types.Regclass), Name: t.Name, At: pos}
	return &expr.Call{Fn: f, Args: append([]expr.Expr{of}, key...), T: types.Of(types.TID), At: pos}
}

// ValueFunc is what Value calls, one for each statement, so that the same column in several places of it is
// known to be the same.
func ValueFunc(t *catalog.Table) *expr.Func {
	args := []types.T{types.Of(types.Regclass)}
	for _, c := range t.PrimaryKey {
		args = append(args, t.Columns[c].Type)
	}
	schema := &t.Codec().Key
	return expr.NewFunc("ctid", args, types.Of(types.TID), func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		rows, err := numbers(env)
		if err != nil {
			return err
		}
		vals := make([]types.Datum, len(schema.Columns))
		var key []byte
		for _, i := range sel {
			for k := range vals {
				vals[k] = args[1+k].Datum(int(i))
			}
			if key, err = schema.AppendKey(key[:0], vals); err != nil {
				return err
			}
			n, err := rows.RowNumber(t.Physical, key)
			if err != nil {
				return err
			}
			block := int64(max(schema.KeyBucket(key), 0))*blocksPerBucket + n/rowsPerBlock
			out.Ints[i] = block<<16 | (n%rowsPerBlock + 1)
		}
		return nil
	}).AsStable()
}

// Equal is that the row of t with given key columns has the ctid x, a tid: each is what the session's key
// has of it. 22023 for a ctid that the session has not shown, or has forgotten.
func Equal(t *catalog.Table, x expr.Expr, pos int) []expr.Expr {
	schema := &t.Codec().Key
	list := make([]expr.Expr, len(t.PrimaryKey))
	for k, c := range t.PrimaryKey {
		of := t.Columns[c].Type
		f := expr.NewFunc("ctid "+t.Columns[c].Name, []types.T{types.Of(types.TID)}, of, func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
			rows, err := numbers(env)
			if err != nil {
				return err
			}
			for _, i := range sel {
				key, err := keyOf(t, rows, args[0].Ints[i])
				if err != nil {
					return err
				}
				vals, err := schema.DecodeKey(key)
				if err != nil {
					return err
				}
				out.Set(int(i), vals[k])
			}
			return nil
		}).AsStable()
		list[k] = &expr.Call{Fn: f, Args: []expr.Expr{x}, T: of, At: pos}
	}
	return list
}

// keyOf is the key that a ctid was shown for.
func keyOf(t *catalog.Table, rows Numbers, tid int64) ([]byte, error) {
	block, row := tid>>16, tid&0xFFFF-1
	if row >= 0 && row < rowsPerBlock {
		key, ok := rows.RowKey(t.Physical, block%blocksPerBucket*rowsPerBlock+row)
		if ok && int64(max(t.Codec().Key.KeyBucket(key), 0)) == block/blocksPerBucket {
			return key, nil
		}
	}
	text := types.Format(types.Of(types.TID), types.NewInt(tid), nil)
	return nil, sqlerr.New(sqlerr.InvalidParameterValue, "this session has shown no row of table %q with the ctid %s", t.Name, text).
		WithHint("A ctid is good in the session that selected it, for the last 1,000,000 rows. Select it again, or name the row by its key columns.")
}
