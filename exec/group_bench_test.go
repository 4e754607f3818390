package exec

import (
	"io"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// BenchmarkGroup groups a million rows that cost little to make.
func BenchmarkGroup(b *testing.B) {
	const rows = 1_000_000
	series := func() plan.Node {
		return &plan.TableFunc{Name: "generate_series", Args: []expr.Expr{lit(0), lit(rows - 1)}, Cols: []plan.Column{{Type: tInt8}}}
	}
	one := []plan.Column{{Type: tInt8}}
	by := func(groups int) plan.Node {
		return &plan.Project{Input: series(), Exprs: []expr.Expr{opCall("%", opCall("*", colAt(0, tInt8), lit(7919)), lit(groups))}, Cols: one}
	}
	count := func(in plan.Node, ordered bool) plan.Node {
		return &plan.Aggregate{Input: in, Ordered: ordered, Groups: []expr.Expr{colAt(0, tInt8)},
			Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tInt8}, {Type: tInt8}}}
	}
	distinct, err := expr.ResolveAgg("count", []expr.Expr{colAt(0, tInt8)}, true, 0)
	if err != nil {
		b.Fatal(err)
	}
	median, err := expr.ResolveWithin("percentile_cont", []expr.Expr{lit(0.5)}, []expr.Expr{colAt(0, tInt8)}, func(e expr.Expr) expr.Expr { return e }, 0)
	if err != nil {
		b.Fatal(err)
	}
	text := func(groups int) plan.Node {
		e, err := expr.ResolveCast(colAt(0, tInt8), tText, expr.Explicit, 0)
		if err != nil {
			b.Fatal(err)
		}
		return &plan.Project{Input: by(groups), Exprs: []expr.Expr{e}, Cols: []plan.Column{{Type: tText}}}
	}
	textCount := &plan.Aggregate{Input: text(200), Groups: []expr.Expr{colAt(0, tText)}, Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tText}, {Type: tInt8}}}
	pairs := &plan.Aggregate{Input: by(1000), Groups: []expr.Expr{opCall("%", colAt(0, tInt8), lit(20)), opCall("/", colAt(0, tInt8), lit(20))},
		Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tInt8}, {Type: tInt8}, {Type: tInt8}}}
	for _, c := range []struct {
		name string
		n    plan.Node
	}{
		{"input", by(4)},
		{"groups=4", count(by(4), false)},
		{"groups=200", count(by(200), false)},
		{"groups=600000", count(by(600_000), false)},
		{"text=200", textCount},
		{"pairs=1000", pairs},
		{"ordered=400000", count(&plan.Project{Input: series(), Exprs: []expr.Expr{opCall("*", opCall("/", colAt(0, tInt8), lit(5)), lit(2))}, Cols: one}, true)},
		{"count-distinct", &plan.Aggregate{Input: by(600_000), Aggs: []plan.AggCall{{Agg: distinct, Args: distinct.Args, Distinct: true}}, Cols: one}},
		{"percentile", &plan.Aggregate{Input: by(600_000), Cols: []plan.Column{{Type: types.Of(types.Float8)}},
			Aggs: []plan.AggCall{{Agg: median, Args: median.Args, OrderBy: []plan.SortKey{{Expr: median.Args[1]}}}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := newFixture(b, 0)
			s, err := Prepare(&plan.Plan{Root: c.n})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Open(f.context()); err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := s.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
