package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// keyReader finds what conditions over a scan's columns say of its key.
type keyReader struct {
	scan *plan.Scan
}

// read gives what e says of the key.
func (r *keyReader) read(e expr.Expr) keyDNF {
	switch e := e.(type) {
	case *expr.And:
		out := alwaysTrue
		for _, a := range e.Args {
			out, _ = out.and(r.read(a))
		}
		// Without a term for any part, nothing is said.
		if len(out.any) == 1 && len(out.any[0].Terms) == 0 && !out.exact {
			return noKeyCond
		}
		return out
	case *expr.Or:
		arms := make([]keyDNF, len(e.Args))
		for i, a := range e.Args {
			if arms[i] = r.read(a); !arms[i].bound {
				return noKeyCond
			}
		}
		return anyOf(arms)
	case *expr.Const:
		if e.T.Kind != types.Bool {
			return noKeyCond
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
	return noKeyCond
}

// keyColumn gives the key column that e reads; a cast that keeps
// every value and the order of values is looked through.
func (r *keyReader) keyColumn(e expr.Expr) (*catalog.Column, bool) {
	if c, ok := e.(*expr.Cast); ok && keepsValues(c.X.Type(), c.To) {
		e = c.X
	}
	c, ok := e.(*expr.Col)
	if !ok || c.Index >= len(r.scan.Cols) {
		return nil, false
	}
	col := &r.scan.Table.Columns[r.scan.Cols[c.Index]]
	if col.KeyPos < 0 || !comparesByKey(col) {
		return nil, false
	}
	return col, true
}

// comparesByKey leaves out types whose SQL comparison is not that of their key bytes.
func comparesByKey(c *catalog.Column) bool {
	return c.Type.Kind != types.Array
}

// exactKey says that a comparison with col is decided by the key alone. It is not
// where the key keeps less than the value (milliseconds), more than is read
// (an adopted table's nanoseconds), or a NULL.
func (r *keyReader) exactKey(col *catalog.Column) bool {
	if r.nullable(col) && r.scan.Of == nil {
		return false
	}
	switch col.Store.Type {
	case rowcodec.Timestamp:
		return !r.scan.Table.FromPhoenix()
	case rowcodec.Date:
		return !r.scan.Table.FromPhoenix() && col.Type.Kind == types.Date
	case rowcodec.Boolean, rowcodec.TinyInt, rowcodec.SmallInt, rowcodec.Integer, rowcodec.BigInt,
		rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt, rowcodec.UnsignedInt, rowcodec.UnsignedLong,
		rowcodec.Float, rowcodec.Double, rowcodec.Decimal, rowcodec.Varchar, rowcodec.Char,
		rowcodec.Varbinary, rowcodec.VarbinaryEncoded:
		return true
	case rowcodec.Binary:
		return col.Type.Kind == types.UUID // shorter binary values are padded
	}
	return false
}

// term makes the condition of one term on col.
func (r *keyReader) term(op plan.KeyOp, col *catalog.Column, args ...expr.Expr) keyDNF {
	exact := r.exactKey(col)
	switch op {
	case plan.KeyEq, plan.KeyIn, plan.KeyInArray, plan.KeyIsNull:
	default: // a span of what does not sort has more in it
		exact = exact && r.scan.Table.KeySorts(col.KeyPos)
	}
	if !exact && !r.oneEncoding(col) {
		switch op {
		case plan.KeyEq:
			out, _ := r.term(plan.KeyGe, col, args...).and(r.term(plan.KeyLe, col, args...))
			return out
		case plan.KeyIn, plan.KeyInArray, plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
			return noKeyCond
		}
	}
	return oneTerm(plan.KeyTerm{Op: op, Columns: []int{col.KeyPos}, Args: args}, exact)
}

// oneEncoding says that equal values of col have one key, so that = asks for
// single rows. It is not so where an adopted table keeps more than is read.
func (r *keyReader) oneEncoding(col *catalog.Column) bool {
	switch col.Store.Type {
	case rowcodec.Timestamp, rowcodec.Date, rowcodec.Time, rowcodec.UnsignedTimestamp, rowcodec.UnsignedDate,
		rowcodec.UnsignedTime, rowcodec.Float, rowcodec.Double:
		return !r.scan.Table.FromPhoenix()
	case rowcodec.Binary:
		return col.Type.Kind == types.UUID
	}
	return true
}

// keepsValues says that casting from one type to the other changes neither a
// value nor what it compares equal to or less than, nor how it is held.
func keepsValues(from, to types.T) bool {
	if to.Typmod() >= 0 && to != from {
		return false
	}
	if isFloat(from.Kind) && isFloat(to.Kind) {
		return from.Kind == to.Kind || to.Kind == types.Float8
	}
	return sameFamily(from, to) && (!isInt(from.Kind) || intRank(from.Kind) <= intRank(to.Kind))
}

// sameFamily says that a value of one type may stand for the same value of the other.
func sameFamily(a, b types.T) bool {
	if a.Base() == b.Base() {
		return true
	}
	if isInt(a.Kind) && isInt(b.Kind) || isFloat(a.Kind) && isFloat(b.Kind) {
		return true
	}
	return isText(a.Kind) && isText(b.Kind)
}

func isFloat(k types.Kind) bool { return k == types.Float4 || k == types.Float8 }

func isInt(k types.Kind) bool { return k == types.Int2 || k == types.Int4 || k == types.Int8 }

func intRank(k types.Kind) int {
	return map[types.Kind]int{types.Int2: 1, types.Int4: 2, types.Int8: 3}[k]
}

// isText leaves out char(n), which compares without its trailing blanks.
func isText(k types.Kind) bool { return k == types.Text || k == types.Varchar }

// value says that e may be compared with a value of column col as it is.
func value(col *catalog.Column, e expr.Expr) bool {
	return expr.IsConst(e) && sameFamily(col.Type, e.Type())
}

var compareOps = map[string]plan.KeyOp{
	"=": plan.KeyEq, "<": plan.KeyLt, "<=": plan.KeyLe, ">": plan.KeyGt, ">=": plan.KeyGe, "<>": plan.KeyNe,
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<>": "<>"}

func (r *keyReader) readCall(e *expr.Call) keyDNF {
	if len(e.Args) != 2 {
		return noKeyCond
	}
	name, l, right := e.Fn.Name, e.Args[0], e.Args[1]
	if _, ok := compareOps[name]; ok {
		if expr.IsConst(l) {
			l, right, name = right, l, mirrored[name]
		}
		return r.readCompare(name, l, right)
	}
	return r.readText(name, l, right)
}

// readCompare reads l op right, where right has no columns.
func (r *keyReader) readCompare(name string, l, right expr.Expr) keyDNF {
	if !expr.IsConst(right) {
		return noKeyCond
	}
	if col, ok := r.keyColumn(l); ok {
		switch {
		case !value(col, right) && name == "<>":
			return noKeyCond
		case !value(col, right):
			return r.timeCompare(col, name, right)
		case isNullConst(right):
			return neverTrue
		}
		return r.term(compareOps[name], col, right)
	}
	if name == "<>" {
		return noKeyCond
	}
	switch l := l.(type) {
	case *expr.Cast:
		col, ok := r.keyColumn(l.X)
		switch {
		case !ok:
		case isInt(col.Type.Kind):
			return r.intCompare(col, name, right)
		case l.To.Kind == types.Date:
			return r.truncCompare(l.X, "day", name, right)
		}
	case *expr.Call:
		return r.readCalendar(l, name, right)
	}
	return noKeyCond
}

func isNullConst(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && c.Value.Null
}
