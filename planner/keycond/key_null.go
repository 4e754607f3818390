package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// readIsNull reads IS NULL and, with not, IS NOT NULL. Only indexes and adopted tables have
// NULLs in the key; in these a text of no bytes is one too: the key alone decides.
func (r *Reader) readIsNull(e *expr.IsNull, not bool) DNF {
	col, ok := r.Column(e.X)
	switch {
	case !ok:
		return Nothing
	case r.Nullable(col) && not:
		return oneTerm(plan.KeyTerm{Op: plan.KeyIsNotNull, Columns: []int{col.KeyPos}}, true)
	case r.Nullable(col):
		return oneTerm(plan.KeyTerm{Op: plan.KeyIsNull, Columns: []int{col.KeyPos}}, true)
	case not:
		return alwaysTrue
	}
	return neverTrue
}

func (r *Reader) Nullable(col *catalog.Column) bool {
	if codec := r.Scan.Table.Codec(); codec != nil && col.KeyPos < len(codec.Key.Columns) {
		return codec.Key.Columns[col.KeyPos].Nullable && !col.NotNull
	}
	return !col.NotNull
}

// negated gives the comparison that is true where another is false: both are
// NULL where either is.
var negated = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// readNot reads NOT x. By three-valued logic NOT goes down to the comparisons.
func (r *Reader) readNot(x expr.Expr) DNF {
	switch x := x.(type) {
	case *expr.Col:
		return r.readBool(x, false)
	case *expr.Not:
		return r.Read(x.X)
	case *expr.IsNull:
		return r.readIsNull(x, true)
	case *expr.IsDistinct:
		return r.readNotDistinct(x)
	case *expr.Const:
		if x.T.Kind == types.Bool && (x.Value.Null || x.Value.Bool) {
			return neverTrue
		}
		if x.T.Kind == types.Bool {
			return alwaysTrue
		}
	case *expr.And:
		arms := make([]DNF, len(x.Args))
		for i, a := range x.Args {
			arms[i] = r.readNot(a)
		}
		return anyOf(arms)
	case *expr.Or:
		out := Conjunction{DNF: alwaysTrue}
		for _, a := range x.Args {
			out.And(r.readNot(a))
		}
		if len(out.Any) == 1 && len(out.Any[0].Terms) == 0 && !out.Exact {
			return Nothing
		}
		return out.DNF
	case *expr.InList:
		return r.readNotIn(x)
	case *expr.AnyAll:
		if x.Op.Name == "=" && !x.All {
			op := *x.Op // only its name is read
			op.Name = "<>"
			return r.readAny(&expr.AnyAll{X: x.X, Array: x.Array, Op: &op, All: true, At: x.At})
		}
	case *expr.RowCmp:
		c := *x
		c.Op = negated[x.Op]
		return r.readRow(&c)
	case *expr.Call:
		op, ok := negated[x.Fn.Name]
		if !ok || len(x.Args) != 2 {
			return Nothing
		}
		l, right := x.Args[0], x.Args[1]
		if expr.IsConst(l) {
			l, right, op = right, l, Mirrored[op]
		}
		return r.readCompare(op, l, right)
	}
	return Nothing
}

// readNotDistinct reads IS NOT DISTINCT FROM a value, which is = unless that is NULL. A
// parameter may be NULL: with a column that may be, it says nothing.
func (r *Reader) readNotDistinct(e *expr.IsDistinct) DNF {
	l, right := e.X, e.Y
	if expr.IsConst(l) {
		l, right = right, l
	}
	col, ok := r.Column(l)
	_, literal := right.(*expr.Const)
	switch {
	case !ok:
		return Nothing
	case isNullConst(right):
		return r.readIsNull(&expr.IsNull{X: l}, false)
	case r.Nullable(col) && !literal:
		return Nothing
	}
	return r.readCompare("=", l, right)
}

// readBool reads a boolean column that stands as a condition by itself.
func (r *Reader) readBool(c *expr.Col, is bool) DNF {
	col, ok := r.Column(c)
	if !ok || col.Type.Kind != types.Bool {
		return Nothing
	}
	arg := &expr.Const{Value: types.NewBool(is), T: types.Of(types.Bool), At: c.At}
	return r.term(plan.KeyEq, col, arg)
}
