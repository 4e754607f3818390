package query

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
)

// null is NULL among the numbers and truth values of the model.
const null = -1

// compute is what a condition over columns is: 1, 0 or null.
func compute(e expr.Expr, row []int64) int64 {
	less := func(x, y int64) int64 {
		switch {
		case x == null || y == null:
			return null
		case x < y:
			return 1
		}
		return 0
	}
	switch e := e.(type) {
	case *expr.Col:
		return row[e.Index]
	case *expr.Const:
		if e.Value.Null {
			return null
		}
		return e.Value.Int
	case *expr.IsNull:
		if compute(e.X, row) == null {
			return 1
		}
		return 0
	case *expr.Not:
		if x := compute(e.X, row); x != null {
			return 1 - x
		}
		return null
	case *expr.Call:
		x, y := compute(e.Args[0], row), compute(e.Args[1], row)
		switch e.Fn.Name {
		case "<":
			return less(x, y)
		case ">":
			return less(y, x)
		}
		if x == null || y == null {
			return null
		}
		if x == y {
			return 1
		}
		return 0
	case *expr.RowCmp:
		for i := range e.L {
			x, y := compute(e.L[i], row), compute(e.R[i], row)
			if x == null || y == null || x != y {
				if e.Op == ">" {
					return less(y, x)
				}
				return less(x, y)
			}
		}
		return 0
	case *expr.And, *expr.Or:
		var args []expr.Expr
		decides := int64(0) // what one of them makes the whole
		if and, ok := e.(*expr.And); ok {
			args = and.Args
		} else {
			args, decides = e.(*expr.Or).Args, 1
		}
		out := 1 - decides
		for _, a := range args {
			switch x := compute(a, row); {
			case x == decides:
				return decides
			case x == null:
				out = null
			}
		}
		return out
	}
	panic(fmt.Sprintf("the model has no %T", e))
}

// TestBehind draws keys, ascending and descending and perhaps with NULLs, and a row. The condition of
// OFFSET to it is true of those rows that come behind it in the order of the key, where NULLs are
// before all values, and behind them in DESC columns, and of no others.
func TestBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	int4 := types.Of(types.Int4)
	behindIt, before := 0, 0
	for range 3000 {
		n := 1 + r.IntN(3)
		tab := &catalog.Table{}
		var left, right []expr.Expr
		given := make([]int64, n)
		for i := range n {
			c := catalog.Column{Name: fmt.Sprint("c", i), Type: int4, KeyPos: i, Desc: r.IntN(2) == 0, NotNull: r.IntN(2) == 0}
			tab.PrimaryKey, tab.Columns = append(tab.PrimaryKey, i), append(tab.Columns, c)
			value := types.NewInt(r.Int64N(3))
			if given[i] = value.Int; !c.NotNull && r.IntN(3) == 0 {
				value, given[i] = types.Datum{Null: true}, null
			}
			left, right = append(left, &expr.Col{Index: i, T: int4}), append(right, &expr.Const{Value: value, T: int4})
		}
		cond := behind(tab, left, right, 0)
		row := make([]int64, n)
		var each func(i int)
		each = func(i int) {
			if i == n {
				order := 0
				for j := 0; j < n && order == 0; j++ {
					if order = cmp.Compare(row[j], given[j]); tab.Columns[j].Desc { // null is below all
						order = -order
					}
				}
				if got := compute(cond, row) == 1; got != (order > 0) {
					t.Fatalf("key %+v, OFFSET to %v: %s is %t of %v", tab.Columns, given, expr.ToText(cond), got, row)
				}
				if order > 0 {
					behindIt++
				} else {
					before++
				}
				return
			}
			for v := range int64(4) {
				if row[i] = v - 1; row[i] != null || !tab.Columns[i].NotNull {
					each(i + 1)
				}
			}
		}
		each(0)
	}
	if behindIt < 10000 || before < 10000 {
		t.Errorf("%d rows behind, %d others", behindIt, before)
	}
}
