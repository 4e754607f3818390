package keycond

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// readRow reads a comparison of rows, as keyset paging writes it:
//
//	(host, ts, id) > ($1, $2, $3)
//
// What is read are the leading columns that follow one another in the key; where
// others come after them the bound is loosened to >= or <=, and not exact.
func (r *Reader) readRow(e *expr.RowCmp) DNF {
	left, right, op := e.L, e.R, e.Op
	if allConst(left) {
		left, right, op = right, left, Mirrored[op]
	}
	term := plan.KeyTerm{Op: plan.KeyTuple, Tuple: op}
	exact := true
	for i, l := range left {
		col, ok := r.Column(l)
		n := len(term.Columns)
		if !ok || !value(col, right[i]) || n > 0 && col.KeyPos != term.Columns[n-1]+1 {
			break
		}
		exact = exact && r.exactKey(col) && r.Scan.Table.KeySorts(col.KeyPos)
		term.Columns = append(term.Columns, col.KeyPos)
		term.Args = append(term.Args, right[i])
	}
	n := len(term.Columns)
	if n == 0 {
		return Nothing
	}
	if n < len(left) {
		// Of the columns left out only equality of those before is known.
		term.Tuple, exact = op[:1]+"=", false
	}
	if c, ok := term.Args[0].(*expr.Const); ok && c.Value.Null {
		return neverTrue
	}
	if n == 1 {
		term.Op, term.Tuple = CompareOps[term.Tuple], ""
	}
	return oneTerm(term, exact)
}

func allConst(list []expr.Expr) bool {
	for _, e := range list {
		if !expr.IsConst(e) {
			return false
		}
	}
	return true
}

// Contradicts says that the literals among c's terms leave no value to a column. What
// depends on parameters is found out when the scan runs.
func Contradicts(c *plan.KeyConj, columns []types.T) bool {
	type bound struct {
		d    types.Datum
		incl bool
		set  bool
	}
	var null, notNull = make([]bool, len(columns)), make([]bool, len(columns))
	lo := make([]bound, len(columns))
	hi := make([]bound, len(columns))
	narrow := func(b *bound, t types.T, d types.Datum, incl bool, sign int) {
		switch cmp := sign * compareIf(b.set, t, d, b.d); {
		case !b.set || cmp > 0:
			*b = bound{d, incl, true}
		case cmp == 0:
			b.incl = b.incl && incl
		}
	}
	for i := range c.Terms {
		t := &c.Terms[i]
		if t.Op == plan.KeyIsNull {
			null[t.Columns[0]] = true
		} else {
			notNull[t.Columns[0]] = true // every other term is false of NULL
		}
		if len(t.Args) != 1 || len(t.Columns) != 1 {
			continue
		}
		k, ok := t.Args[0].(*expr.Const)
		if !ok {
			continue
		}
		if k.Value.Null {
			return true
		}
		col := t.Columns[0]
		switch t.Op {
		case plan.KeyEq:
			narrow(&lo[col], columns[col], k.Value, true, 1)
			narrow(&hi[col], columns[col], k.Value, true, -1)
		case plan.KeyGt, plan.KeyGe:
			narrow(&lo[col], columns[col], k.Value, t.Op == plan.KeyGe, 1)
		case plan.KeyLt, plan.KeyLe:
			narrow(&hi[col], columns[col], k.Value, t.Op == plan.KeyLe, -1)
		}
	}
	for col, t := range columns {
		if null[col] && notNull[col] {
			return true
		}
		if !lo[col].set || !hi[col].set {
			continue
		}
		cmp := types.Compare(t, lo[col].d, hi[col].d)
		if cmp > 0 || cmp == 0 && !(lo[col].incl && hi[col].incl) {
			return true
		}
	}
	return false
}

func compareIf(set bool, t types.T, a, b types.Datum) int {
	if !set {
		return 0
	}
	return types.Compare(t, a, b)
}
