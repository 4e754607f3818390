package exec

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestAggregatesAgainstPostgres groups random rows, with DISTINCT, orders within and
// percentiles, in memory too small for their values.
func TestAggregatesAgainstPostgres(t *testing.T) {
	seed := seeds.First(t)
	o := newOracle(t, seed)
	for range 3 {
		tab := o.table("g", pick(o, 0, 1, 60, 3000), setColumns...)
		calls := distinctCalls(t, tab)
		for range 12 {
			o.f.set = op.Settings{WorkMem: pick(o, int64(0), 1<<12, 1<<15), TempDir: t.TempDir()}
			n := &plan.Aggregate{Input: tab.node()}
			var names, sql []string
			for _, i := range o.rng.Perm(len(setColumns))[:o.rng.IntN(3)] {
				names = append(names, setColumns[i].name)
				n.Groups = append(n.Groups, tab.col(setColumns[i].name))
				n.Cols = append(n.Cols, plan.Column{Type: tab.col(setColumns[i].name).Type()})
			}
			sql = append(sql, names...)
			for range 1 + o.rng.IntN(3) {
				c := calls[o.rng.IntN(len(calls))]
				n.Aggs, n.Cols = append(n.Aggs, c.call), append(n.Cols, plan.Column{Type: c.call.Agg.T})
				sql = append(sql, c.sql)
			}
			text := "SELECT " + strings.Join(sql, ", ") + " FROM g"
			if len(names) > 0 {
				text += " GROUP BY " + strings.Join(names, ", ")
				if o.rng.IntN(3) == 0 {
					n.Ordered = true
					var keys []plan.SortKey
					for _, g := range n.Groups {
						keys = append(keys, plan.SortKey{Expr: g})
					}
					n.Input = &plan.Sort{Input: n.Input, Keys: keys}
				}
			}
			o.check(text, n, nil)
		}
	}
}

type distinctCall struct {
	sql  string
	call plan.AggCall
}

func distinctCalls(t *testing.T, tab *oracleTable) []distinctCall {
	agg := func(sql, name string, order []plan.SortKey, args ...expr.Expr) distinctCall {
		a, err := expr.ResolveAgg(name, args, strings.Contains(sql, "DISTINCT"), 0)
		if err != nil {
			t.Fatal(sql, err)
		}
		a.Ordered = order != nil
		return distinctCall{sql, plan.AggCall{Agg: a, Args: a.Args, Distinct: a.Distinct, OrderBy: order}}
	}
	within := func(sql, name string, desc bool, fraction expr.Expr, col string) distinctCall {
		a, err := expr.ResolveWithin(name, []expr.Expr{fraction}, []expr.Expr{tab.col(col)}, func(e expr.Expr) expr.Expr { return e }, 0)
		if err != nil {
			t.Fatal(sql, err)
		}
		return distinctCall{sql, plan.AggCall{Agg: a, Args: a.Args, OrderBy: []plan.SortKey{{Expr: a.Args[1], Desc: desc, NullsFirst: desc}}}}
	}
	key := func(name string, desc bool) plan.SortKey {
		return plan.SortKey{Expr: tab.col(name), Desc: desc, NullsFirst: desc}
	}
	many := &expr.Const{T: types.ArrayOf(tFloat), Value: types.Datum{Array: &types.ArrayValue{Elem: tFloat, Dims: []int32{4},
		Elems: []types.Datum{types.NewFloat(0), types.NewFloat(0.5), types.NullDatum, types.NewFloat(0.99)}}}}
	return []distinctCall{
		agg("count(*)", "count", nil),
		agg("count(DISTINCT id)", "count", nil, tab.col("id")),
		agg("count(DISTINCT n)", "count", nil, tab.col("n")),
		agg("count(DISTINCT a)", "count", nil, tab.col("a")),
		agg("sum(DISTINCT id)", "sum", nil, tab.col("id")),
		agg("sum(DISTINCT n)", "sum", nil, tab.col("n")),
		agg("avg(DISTINCT j)", "avg", nil, tab.col("j")),
		agg("max(DISTINCT s)", "max", nil, tab.col("s")),
		agg("array_agg(DISTINCT id)", "array_agg", nil, tab.col("id")),
		agg("array_agg(DISTINCT f)", "array_agg", nil, tab.col("f")),
		agg("jsonb_agg(DISTINCT s)", "jsonb_agg", nil, tab.col("s")),
		agg("string_agg(DISTINCT s, ',')", "string_agg", nil, tab.col("s"), lit(",")),
		agg("string_agg(DISTINCT s, s ORDER BY s DESC)", "string_agg", []plan.SortKey{key("s", true)}, tab.col("s"), tab.col("s")),
		agg("array_agg(DISTINCT i ORDER BY i DESC)", "array_agg", []plan.SortKey{key("i", true)}, tab.col("i")),
		agg("array_agg(id ORDER BY s, id DESC)", "array_agg", []plan.SortKey{key("s", false), key("id", true)}, tab.col("id")),
		within("percentile_cont(0.3) WITHIN GROUP (ORDER BY id)", "percentile_cont", false, &expr.Const{Value: types.NewFloat(0.3), T: tFloat}, "id"),
		within("percentile_disc(0.7) WITHIN GROUP (ORDER BY s DESC)", "percentile_disc", true, &expr.Const{Value: types.NewFloat(0.7), T: tFloat}, "s"),
		within("percentile_cont(ARRAY[0, 0.5, NULL, 0.99]) WITHIN GROUP (ORDER BY j)", "percentile_cont", false, many, "j"),
	}
}
