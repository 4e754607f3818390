package part

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// funcName is the condition's, which no statement can write.
const funcName = "saltsql.part"

// Condition is that the row of t with given key columns, in key order, lies in one of the parts whose
// tokens a text[] has. Where a scan can be cut to the parts nothing computes it: see Of.
func Condition(t *catalog.Table, tokens expr.Expr, key []expr.Expr, pos int) expr.Expr {
	of := &expr.Const{Value: types.NewInt(int64(t.ID)), T: types.Of(types.Regclass), Name: t.Name, At: pos}
	return &expr.Call{Fn: function(t), Args: append([]expr.Expr{tokens, of}, key...), T: types.Of(types.Bool), At: pos}
}

func function(t *catalog.Table) *expr.Func {
	args := []types.T{types.ArrayOf(types.Of(types.Text)), types.Of(types.Regclass)}
	for _, c := range t.PrimaryKey {
		args = append(args, t.Columns[c].Type)
	}
	m := matcher{table: t, key: &t.Codec().Key}
	f := expr.NewFunc(funcName, args, types.Of(types.Bool), m.match)
	if t.Adopted {
		f = f.CalledOnNull()
	}
	return f
}

// Of says that e is a Condition on rows of t, and gives its tokens and key columns.
func Of(t *catalog.Table, e expr.Expr) (tokens expr.Expr, key []expr.Expr, ok bool) {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn.Name != funcName || c.Args[1].(*expr.Const).Value.Int != int64(t.ID) {
		return nil, nil, false
	}
	return c.Args[0], c.Args[2:], true
}

// Spans gives the spans of tokens, a text[] that is not NULL, joined.
func Spans(t *catalog.Table, tokens types.Datum) ([]storage.Span, error) {
	var all []storage.Span
	for _, e := range tokens.Array.Elems {
		if e.Null {
			continue
		}
		spans, err := Read(t, e.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, spans...)
	}
	return rowcodec.JoinSpans(all), nil
}

// matcher tells of rows, one by one, whether they lie in parts.
type matcher struct {
	table *catalog.Table
	key   *rowcodec.KeySchema
}

func (m matcher) match(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	if m.table.Adopted {
		// A value may have several encodings there: which one the row has is not known here.
		return sqlerr.Unsupported("saltsql.part of attached table \""+m.table.Name+"\" in this place is not supported",
			"Let it stand by itself in WHERE, joined to others by AND.")
	}
	var of *types.ArrayValue
	var spans []storage.Span
	vals := make([]types.Datum, len(m.key.Columns))
	var key []byte
	for _, i := range sel {
		tokens := args[0].Datum(int(i))
		if of != tokens.Array {
			var err error
			if spans, err = Spans(m.table, tokens); err != nil {
				return err
			}
			of = tokens.Array
		}
		for k := range vals {
			vals[k] = args[2+k].Datum(int(i))
		}
		var err error
		if key, err = m.key.AppendKey(key[:0], vals); err != nil {
			return err
		}
		d := types.Datum{Bool: rowcodec.Contains(spans, key)}
		if !d.Bool && hasNull(of) {
			d = types.NullDatum
		}
		out.Set(int(i), d)
	}
	return nil
}

func hasNull(a *types.ArrayValue) bool {
	for i := range a.Elems {
		if a.Elems[i].Null {
			return true
		}
	}
	return false
}

// clone is span with bytes of its own.
func clone(s storage.Span) storage.Span {
	return storage.Span{Start: bytes.Clone(s.Start), End: bytes.Clone(s.End)}
}
