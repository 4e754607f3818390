package exec

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

func TestProjectSetAgainstPostgres(t *testing.T) {
	o := newOracle(t, 3)
	tab := o.table("t", 500, oracleColumn{"i", "int8", []string{"NULL", "0", "1", "2", "3", "1500"}},
		oracleColumn{"a", "_text", []string{"NULL", "{}", "{x}", "{x,NULL,yy}", "{p,q,r,s}"}},
		oracleColumn{"j", "jsonb", []string{"NULL", "[]", "[1, \"a\"]", "[null, {\"k\": 2}, 3]"}})
	series := func(args ...expr.Expr) plan.SetCall { return plan.SetCall{Name: "generate_series", Args: args} }
	elems, args, _, err := expr.ResolveSet("jsonb_array_elements", []expr.Expr{tab.col("j")}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql  string
		sets []plan.SetCall
		ts   []types.T
	}{
		{"generate_series(1, i)", []plan.SetCall{series(lit(1), tab.col("i"))}, []types.T{tInt8}},
		{"unnest(a)", []plan.SetCall{{Name: "unnest", Args: []expr.Expr{tab.col("a")}}}, []types.T{tText}},
		{"unnest(a), generate_series(2, i), jsonb_array_elements(j)", []plan.SetCall{{Name: "unnest", Args: []expr.Expr{tab.col("a")}},
			series(lit(2), tab.col("i")), {Name: "jsonb_array_elements", Args: args, Set: elems}}, []types.T{tText, tInt8, types.Of(types.JSONB)}},
		{"generate_series(id, i, i - 1)", []plan.SetCall{series(tab.col("id"), tab.col("i"), opCall("-", tab.col("i"), lit(1)))}, []types.T{tInt8}},
	} {
		n := &plan.ProjectSet{Input: tab.node(), Sets: c.sets, Cols: tab.cols[:len(tab.cols):len(tab.cols)]}
		p := &plan.Project{Input: n, Exprs: []expr.Expr{tab.col("id")}, Cols: []plan.Column{{Type: tInt8}}}
		for i, ty := range c.ts {
			n.Cols = append(n.Cols, plan.Column{Type: ty})
			p.Exprs, p.Cols = append(p.Exprs, colAt(len(tab.cols)+i, ty)), append(p.Cols, plan.Column{Type: ty})
		}
		o.check("SELECT id, "+c.sql+" FROM t", p, nil)
	}
}

func TestWithTiesAgainstPostgres(t *testing.T) {
	o := newOracle(t, 4)
	for _, rows := range []int{0, 1, 30, 5000} {
		tab := o.table("t", rows, oracleColumn{"k", "numeric", []string{"NULL", "1", "1.0", "2", "3"}})
		for range 15 {
			desc := o.rng.IntN(2) == 0
			keys := []plan.SortKey{{Expr: tab.col("k"), Desc: desc, NullsFirst: desc}}
			limit, offset := pick(o, 0, 1, 2, 7, rows/2, rows), pick(o, 0, 0, 1, 5, rows/3)
			n := &plan.Limit{Input: &plan.Sort{Input: tab.node(), Keys: keys}, Count: lit(limit), Offset: lit(offset), Ties: keys}
			p := &plan.Project{Input: n, Exprs: []expr.Expr{opCall("=", tab.col("k"), &expr.Const{Value: types.NewInt(1), T: tInt4})}, Cols: []plan.Column{{Type: tBool}}}
			o.check(fmt.Sprintf("SELECT k = 1 FROM t ORDER BY k %s OFFSET %d FETCH FIRST %d ROWS WITH TIES", map[bool]string{true: "DESC"}[desc], offset, limit), p, nil)
		}
	}
	n := &plan.Limit{Input: &plan.OneRow{}, Count: null(tInt8), Ties: []plan.SortKey{{Expr: lit(1)}}}
	o.check("SELECT FROM (SELECT 1 AS a) t ORDER BY a FETCH FIRST (NULL::int) ROWS WITH TIES", n, nil)
}
