package physical_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/lower"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/plannertest"
)

// guesses are estimates that mean nothing.
type guesses struct{ *rand.Rand }

func (g guesses) number() float64 { return float64(g.Uint64N(1 << g.IntN(40))) }

func (g guesses) path() physical.Path {
	return physical.Path{Rows: g.number(), Read: g.number(), Spans: g.number(), Narrow: g.IntN(2) == 0}
}

func (g guesses) Scan(*logical.Get, []expr.Expr) physical.Path { return g.path() }
func (g guesses) Indexes(get *logical.Get, _ []expr.Expr) []*catalog.Index {
	var out []*catalog.Index
	for i := range get.Table.Indexes {
		ix := &get.Table.Indexes[i]
		if g.IntN(2) == 0 && ix.Where == "" && !slices.ContainsFunc(ix.Parts, func(p catalog.IndexPart) bool { return p.Expr != "" }) {
			out = append(out, ix)
		}
	}
	return out
}
func (g guesses) ByIndex(*logical.Get, *catalog.Index, []expr.Expr) physical.Path { return g.path() }
func (g guesses) Ordered(*logical.Get, []expr.Expr, []plan.SortKey) bool          { return g.IntN(2) == 0 }
func (g guesses) Rows(*logical.Get) float64                                       { return g.number() }
func (g guesses) Distinct(*logical.Get, logical.ColumnID) float64                 { return g.number() }
func (g guesses) SeekRows() float64                                               { return 1 + g.number() }

// Whatever is guessed of tables, and whatever order and methods follow, the same relations
// are read, every column that is named is given, and lowering finds each where it is said
// to be, of the type that it has.
func TestAnyGuessGivesAPlan(t *testing.T) {
	joins, methods := 0, map[physical.Method]int{}
	all := plannertest.Each(t, 1900, func(q *plannertest.Statement) {
		for seed := range uint64(4) {
			s, err := norm.Statement(q.Bind(), norm.Options{Env: q.Context.Env})
			if err != nil {
				q.Wrong("%v", err)
				return
			}
			before := relations(s.Root, nil)
			g := guesses{rand.New(rand.NewPCG(seed, uint64(len(q.Text))))}
			s, choices := physical.Statement(s, physical.Options{Access: g, MergeJoins: seed == 3})
			if choices == nil && seed > 0 {
				return // no join: the first time has told
			}
			joins++
			for _, c := range choices {
				methods[c.Method]++
			}
			p := logical.NewFacts(s.Meta).Of(s.Root)
			if missing := logical.SetOf(s.Out...).Minus(p.Out); !p.Free.Empty() || !missing.Empty() {
				q.Wrong("seed %d: columns %v are not given", seed, append(p.Free.Cols(), missing.Cols()...))
			}
			if after := relations(s.Root, nil); !sameRelations(before, after) {
				q.Wrong("seed %d: reads %v, not %v", seed, after, before)
			}
			made, err := lower.Statement(s, choices)
			if err != nil {
				q.Wrong("seed %d: %v", seed, err)
				return
			}
			for i, id := range s.Out {
				if got, want := made.Columns[i].Type.Bare(), s.Meta.Column(id).Type.Bare(); got != want {
					q.Wrong("seed %d: column %d is of type %v, not %v", seed, i+1, got, want)
				}
			}
			positions(q, seed, made.Root)
		}
	})
	if all && joins < 500 {
		t.Errorf("%d trees with joins only", joins)
	}
	for _, m := range []physical.Method{physical.Hash, physical.Merge, physical.Loop, physical.Lookup} {
		if all && methods[m] == 0 {
			t.Errorf("method %d was never chosen", m)
		}
	}
}

func relations(n logical.Node, to []any) []any {
	switch n := n.(type) {
	case *logical.Get:
		to = append(to, n)
	case *logical.Virtual, *logical.FuncScan, *logical.WithRef:
		to = append(to, n)
	}
	for _, in := range n.Inputs() {
		to = relations(in, to)
	}
	return to
}

func sameRelations(a, b []any) bool {
	for _, x := range a {
		i := slices.Index(b, x)
		if i < 0 {
			return false
		}
		b = slices.Delete(slices.Clone(b), i, i+1)
	}
	return len(b) == 0
}

// positions checks that expressions name columns that their inputs have, by their types.
func positions(q *plannertest.Statement, seed uint64, n plan.Node) {
	over := func(e expr.Expr, cols ...[]plan.Column) {
		if e == nil {
			return
		}
		all := slices.Concat(cols...)
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Col); ok && (c.Index >= len(all) || all[c.Index].Type.Bare() != c.T.Bare()) {
				q.Wrong("seed %d: %T names column %d, %s of type %v, of %v", seed, n, c.Index, c.Name, c.T, all)
			}
			return true
		})
	}
	match := func(m *plan.Match, left, right []plan.Column) {
		for _, k := range m.Keys {
			over(k.Left, left)
			over(k.Right, right)
		}
		over(m.Filter, left, right)
		over(m.Cond, left, right)
	}
	switch n := n.(type) {
	case *plan.Filter:
		over(n.Cond, n.Input.Columns())
	case *plan.Project:
		for _, e := range n.Exprs {
			over(e, n.Input.Columns())
		}
	case *plan.Sort:
		for _, k := range n.Keys {
			over(k.Expr, n.Input.Columns())
		}
	case *plan.Aggregate:
		for _, e := range n.Groups {
			over(e, n.Input.Columns())
		}
		for i := range n.Aggs {
			for _, e := range append(slices.Clone(n.Aggs[i].Args), n.Aggs[i].Filter) {
				over(e, n.Input.Columns())
			}
		}
	case *plan.Window:
		for i := range n.Calls {
			for _, e := range n.Calls[i].Args {
				over(e, n.Input.Columns())
			}
		}
	case *plan.HashJoin:
		match(&n.Match, n.Left.Columns(), n.Right.Columns())
	case *plan.MergeJoin:
		match(&n.Match, n.Left.Columns(), n.Right.Columns())
	case *plan.NestedLoop:
		match(&n.Match, n.Left.Columns(), n.Right.Columns())
	}
	for _, in := range n.Inputs() {
		positions(q, seed, in)
	}
}
