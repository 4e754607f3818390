package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// Reader finds what conditions over a scan's columns say of its key.
type Reader struct {
	Scan *plan.Scan
}

// Read gives what e says of the key.
func (r *Reader) Read(e expr.Expr) DNF {
	switch e := e.(type) {
	case *expr.And:
		out := Conjunction{DNF: alwaysTrue}
		for _, a := range e.Args {
			out.And(r.Read(a))
		}
		// Without a term for any part, nothing is said.
		if len(out.Any) == 1 && len(out.Any[0].Terms) == 0 && !out.Exact {
			return Nothing
		}
		return out.DNF
	case *expr.Or:
		arms := make([]DNF, len(e.Args))
		for i, a := range e.Args {
			if arms[i] = r.Read(a); !arms[i].Bound {
				return Nothing
			}
		}
		return anyOf(arms)
	case *expr.Const:
		if e.T.Kind != types.Bool {
			return Nothing
		}
		if e.Value.Null || !e.Value.Bool {
			return neverTrue
		}
		return alwaysTrue
	case *expr.Call:
		return r.readCall(e)
	case *expr.InList:
		return r.readIn(e)
	case *expr.AnyAll:
		return r.readAny(e)
	case *expr.RowCmp:
		return r.readRow(e)
	case *expr.IsNull:
		return r.readIsNull(e, false)
	case *expr.Col:
		return r.readBool(e, true)
	case *expr.Not:
		return r.readNot(e.X)
	}
	return Nothing
}

// Column gives the key column that e reads; a cast that keeps
// every value and the order of values is looked through.
func (r *Reader) Column(e expr.Expr) (*catalog.Column, bool) {
	if c, ok := e.(*expr.Cast); ok && KeepsValues(c.X.Type(), c.To) {
		e = c.X
	}
	c, ok := e.(*expr.Col)
	if !ok || c.Index >= len(r.Scan.Cols) {
		return nil, false
	}
	col := &r.Scan.Table.Columns[r.Scan.Cols[c.Index]]
	if col.KeyPos < 0 || !ComparesByKey(col) {
		return nil, false
	}
	return col, true
}

// ComparesByKey leaves out types whose SQL comparison is not that of their key bytes.
func ComparesByKey(c *catalog.Column) bool {
	return c.Type.Kind != types.Array
}

// exactKey says that a comparison with col is decided by the key alone. It is not
// where the key keeps less than the value (milliseconds), more than is read
// (an adopted table's nanoseconds), or a NULL.
func (r *Reader) exactKey(col *catalog.Column) bool {
	if r.Nullable(col) && r.Scan.Of == nil {
		return false
	}
	switch col.Store.Type {
	case rowcodec.Timestamp:
		return !r.Scan.Table.FromPhoenix()
	case rowcodec.Date:
		return !r.Scan.Table.FromPhoenix() && col.Type.Kind == types.Date
	case rowcodec.Boolean, rowcodec.TinyInt, rowcodec.SmallInt, rowcodec.Integer, rowcodec.BigInt,
		rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt, rowcodec.UnsignedInt, rowcodec.UnsignedLong,
		rowcodec.Float, rowcodec.Double, rowcodec.Decimal, rowcodec.Varchar, rowcodec.Char,
		rowcodec.Varbinary, rowcodec.VarbinaryEncoded, rowcodec.TimeMicros:
		return true
	case rowcodec.Binary:
		return col.Type.Kind == types.UUID // shorter binary values are padded
	}
	return false
}

// term makes the condition of one term on col.
func (r *Reader) term(op plan.KeyOp, col *catalog.Column, args ...expr.Expr) DNF {
	exact := r.exactKey(col)
	switch op {
	case plan.KeyEq, plan.KeyIn, plan.KeyInArray, plan.KeyIsNull:
	default: // a span of what does not sort has more in it
		exact = exact && r.Scan.Table.KeySorts(col.KeyPos)
	}
	if !exact && !r.oneEncoding(col) {
		switch op {
		case plan.KeyEq:
			out, _ := r.term(plan.KeyGe, col, args...).And(r.term(plan.KeyLe, col, args...))
			return out
		case plan.KeyIn, plan.KeyInArray, plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
			return Nothing
		}
	}
	return oneTerm(plan.KeyTerm{Op: op, Columns: []int{col.KeyPos}, Args: args}, exact)
}

// oneEncoding says that equal values of col have one key, so that = asks for
// single rows. It is not so where an adopted table keeps more than is read.
func (r *Reader) oneEncoding(col *catalog.Column) bool {
	switch col.Store.Type {
	case rowcodec.Timestamp, rowcodec.Date, rowcodec.Time, rowcodec.UnsignedTimestamp, rowcodec.UnsignedDate,
		rowcodec.UnsignedTime, rowcodec.Float, rowcodec.Double:
		return !r.Scan.Table.FromPhoenix()
	case rowcodec.Binary:
		return col.Type.Kind == types.UUID
	}
	return true
}

// KeepsValues says that casting from one type to the other changes neither a
// value nor what it compares equal to or less than, nor how it is held.
func KeepsValues(from, to types.T) bool {
	if to.Typmod() >= 0 && to != from {
		return false
	}
	if isFloat(from.Kind) && isFloat(to.Kind) {
		return from.Kind == to.Kind || to.Kind == types.Float8
	}
	return sameFamily(from, to) && (!IsInt(from.Kind) || intRank(from.Kind) <= intRank(to.Kind))
}

// sameFamily says that a value of one type may stand for the same value of the other.
func sameFamily(a, b types.T) bool {
	if a.Base() == b.Base() {
		return true
	}
	if IsInt(a.Kind) && IsInt(b.Kind) || isFloat(a.Kind) && isFloat(b.Kind) {
		return true
	}
	return IsText(a.Kind) && IsText(b.Kind)
}

func isFloat(k types.Kind) bool { return k == types.Float4 || k == types.Float8 }

func IsInt(k types.Kind) bool { return k == types.Int2 || k == types.Int4 || k == types.Int8 }

func intRank(k types.Kind) int {
	return map[types.Kind]int{types.Int2: 1, types.Int4: 2, types.Int8: 3}[k]
}

// IsText leaves out char(n), which compares without its trailing blanks.
func IsText(k types.Kind) bool { return k == types.Text || k == types.Varchar }

// value says that e may be compared with a value of column col as it is.
func value(col *catalog.Column, e expr.Expr) bool {
	return expr.IsConst(e) && sameFamily(col.Type, e.Type())
}

var CompareOps = map[string]plan.KeyOp{
	"=": plan.KeyEq, "<": plan.KeyLt, "<=": plan.KeyLe, ">": plan.KeyGt, ">=": plan.KeyGe, "<>": plan.KeyNe,
}

var Mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<>": "<>"}

func (r *Reader) readCall(e *expr.Call) DNF {
	if len(e.Args) != 2 {
		return Nothing
	}
	name, l, right := e.Fn.Name, e.Args[0], e.Args[1]
	if _, ok := CompareOps[name]; ok {
		if expr.IsConst(l) {
			l, right, name = right, l, Mirrored[name]
		}
		return r.readCompare(name, l, right)
	}
	return r.readText(name, l, right)
}

// readCompare reads l op right, where right has no columns.
func (r *Reader) readCompare(name string, l, right expr.Expr) DNF {
	if !expr.IsConst(right) {
		return Nothing
	}
	if col, ok := r.Column(l); ok {
		switch {
		case !value(col, right) && name == "<>":
			return Nothing
		case !value(col, right):
			return r.timeCompare(col, name, right)
		case isNullConst(right):
			return neverTrue
		}
		return r.term(CompareOps[name], col, right)
	}
	if name == "<>" {
		return Nothing
	}
	switch l := l.(type) {
	case *expr.Cast:
		col, ok := r.Column(l.X)
		switch {
		case !ok:
		case IsInt(col.Type.Kind):
			return r.intCompare(col, name, right)
		case l.To.Kind == types.Date:
			return r.truncCompare(l.X, "day", name, right)
		}
	case *expr.Call:
		return r.readCalendar(l, name, right)
	}
	return Nothing
}

func isNullConst(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && c.Value.Null
}
