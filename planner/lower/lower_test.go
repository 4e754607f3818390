package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
)

// null is NULL among the numbers of the model.
const null = -1

// value computes what the trees here have for expressions: columns, by what col says of them,
// parameters, numbers and equalities.
func value(e expr.Expr, col func(int) int64, params map[int]int64) int64 {
	switch e := e.(type) {
	case nil:
		return 1
	case *expr.Col:
		return col(e.Index)
	case *expr.Param:
		return params[e.N]
	case *expr.Const:
		return e.Value.Int
	case *expr.And:
		for _, a := range e.Args {
			if value(a, col, params) != 1 {
				return 0
			}
		}
		return 1
	case *expr.Call:
		x, y := value(e.Args[0], col, params), value(e.Args[1], col, params)
		if x == y && x != null {
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("the model has no %T", e))
}

// byID runs a logical tree: rows by the IDs of their columns, those of the rows around it among them.
func byID(n logical.Node, around map[int]int64) (out []map[int]int64) {
	at := func(row map[int]int64) func(int) int64 {
		return func(id int) int64 {
			v, ok := row[id]
			if !ok {
				panic(fmt.Sprintf("nothing gives column %d", id))
			}
			return v
		}
	}
	over := func(rows ...map[int]int64) map[int]int64 {
		all := map[int]int64{}
		for _, r := range append([]map[int]int64{around}, rows...) {
			for id, v := range r {
				all[id] = v
			}
		}
		return all
	}
	switch n := n.(type) {
	case *logical.Values:
		for _, row := range n.Rows {
			r := map[int]int64{}
			for i, e := range row {
				r[n.Cols[i]] = value(e, at(around), nil)
			}
			out = append(out, r)
		}
	case *logical.Select:
		for _, row := range byID(n.Input, around) {
			if value(n.Cond, at(over(row)), nil) == 1 {
				out = append(out, row)
			}
		}
	case *logical.Project:
		for _, row := range byID(n.Input, around) {
			r := map[int]int64{}
			for i, e := range n.Exprs {
				r[n.Cols[i]] = value(e, at(over(row)), nil)
			}
			out = append(out, r)
		}
	case *logical.Union:
		for _, p := range n.Parts {
			ids := p.Out()
			for _, row := range byID(p, around) {
				r := map[int]int64{}
				for i, id := range n.Cols {
					r[id] = row[ids[i]]
				}
				out = append(out, r)
			}
		}
	case *logical.Join:
		for _, left := range byID(n.Left, around) {
			inner := around
			if n.Apply {
				inner = over(left)
			}
			matched := false
			for _, right := range byID(n.Right, inner) {
				if value(n.On, at(over(left, right)), nil) == 1 {
					matched = true
					if n.Kind.GivesRight() {
						both := map[int]int64{}
						for _, side := range []map[int]int64{left, right} {
							for id, v := range side {
								both[id] = v
							}
						}
						out = append(out, both)
					}
				}
			}
			switch {
			case n.Kind == plan.Left && !matched:
				r := map[int]int64{}
				for _, id := range n.Right.Out() {
					r[id] = null
				}
				for id, v := range left {
					r[id] = v
				}
				out = append(out, r)
			case n.Kind == plan.Semi && matched:
				out = append(out, left)
			}
		}
	}
	return out
}

// byPosition runs a plan.
func byPosition(n plan.Node, params map[int]int64) (out [][]int64) {
	at := func(row []int64) func(int) int64 { return func(i int) int64 { return row[i] } }
	join := func(kind plan.JoinKind, left, right plan.Node, m *plan.Match, of []plan.ApplyParam) {
		for _, l := range byPosition(left, params) {
			inner := map[int]int64{}
			for k, v := range params {
				inner[k] = v
			}
			for _, p := range of {
				inner[p.N] = value(p.Value, at(l), params)
			}
			matched := false
			for _, r := range byPosition(right, inner) {
				both := slices.Concat(l, r)
				match := value(m.Filter, at(both), params) == 1
				for _, k := range m.Keys {
					x, y := value(k.Left, at(l), params), value(k.Right, at(r), params)
					match = match && x == y && x != null
				}
				if match {
					matched = true
					if kind.GivesRight() {
						out = append(out, both)
					}
				}
			}
			switch {
			case kind == plan.Left && !matched:
				r := make([]int64, plan.Width(right))
				for i := range r {
					r[i] = null
				}
				out = append(out, slices.Concat(l, r))
			case kind == plan.Semi && matched:
				out = append(out, l)
			}
		}
	}
	switch n := n.(type) {
	case *plan.Values:
		for _, row := range n.Rows {
			r := make([]int64, len(row))
			for i, e := range row {
				r[i] = value(e, nil, params)
			}
			out = append(out, r)
		}
	case *plan.Filter:
		for _, row := range byPosition(n.Input, params) {
			if value(n.Cond, at(row), params) == 1 {
				out = append(out, row)
			}
		}
	case *plan.Project:
		for _, row := range byPosition(n.Input, params) {
			r := make([]int64, len(n.Exprs))
			for i, e := range n.Exprs {
				r[i] = value(e, at(row), params)
			}
			out = append(out, r)
		}
	case *plan.Append:
		for _, p := range n.Parts {
			out = append(out, byPosition(p, params)...)
		}
	case *plan.HashJoin:
		join(n.Kind, n.Left, n.Right, &n.Match, nil)
	case *plan.NestedLoop:
		join(n.Kind, n.Left, n.Right, &n.Match, nil)
	case *plan.Apply:
		join(n.Kind, n.Left, n.Right, &n.Match, n.Params)
	default:
		panic(fmt.Sprintf("the model has no %T", n))
	}
	return out
}

// drawer draws trees of all that the model has.
type drawer struct {
	*rand.Rand
	meta    *logical.Meta
	choices physical.Choices
	t       *testing.T
}

func (d *drawer) add() int { return d.meta.Add(logical.Column{Name: "c", Type: types.Of(types.Int4)}) }

func (d *drawer) equality(xs, ys []int) expr.Expr {
	e, err := expr.ResolveOp("=", d.meta.Ref(xs[d.IntN(len(xs))]), d.meta.Ref(ys[d.IntN(len(ys))]), 0)
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

// tree draws one; its expressions may name the columns around it.
func (d *drawer) tree(depth int, around []int) logical.Node {
	if depth == 0 {
		v := &logical.Values{}
		for range 1 + d.IntN(3) {
			v.Cols = append(v.Cols, d.add())
		}
		for range d.IntN(4) {
			var row []expr.Expr
			for range v.Cols {
				row = append(row, &expr.Const{Value: types.NewInt(d.Int64N(3)), T: types.Of(types.Int4)})
			}
			v.Rows = append(v.Rows, row)
		}
		return v
	}
	switch in := d.tree(depth-1, around); d.IntN(5) {
	case 0:
		return &logical.Select{Input: in, Cond: d.equality(in.Out(), append(slices.Clone(around), in.Out()...))}
	case 1: // in another order, some left out, some computed, some of the rows around
		p := &logical.Project{Input: in}
		for _, i := range d.Perm(len(in.Out()))[:1+d.IntN(len(in.Out()))] {
			p.Exprs, p.Cols = append(p.Exprs, d.meta.Ref(in.Out()[i])), append(p.Cols, in.Out()[i])
		}
		if len(around) > 0 && d.IntN(2) == 0 {
			p.Exprs, p.Cols = append(p.Exprs, d.meta.Ref(around[d.IntN(len(around))])), append(p.Cols, d.add())
		}
		return p
	case 2:
		u := &logical.Union{Parts: []logical.Node{in, d.tree(d.IntN(depth), around)}}
		for range min(len(in.Out()), len(u.Parts[1].Out())) {
			u.Cols = append(u.Cols, d.add())
		}
		for i, p := range u.Parts {
			if ids := p.Out(); len(ids) > len(u.Cols) {
				u.Parts[i] = &logical.Project{Input: p, Exprs: d.meta.Refs(ids[:len(u.Cols)]), Cols: ids[:len(u.Cols)]}
			}
		}
		return u
	default:
		j := &logical.Join{Kind: []plan.JoinKind{plan.Inner, plan.Left, plan.Semi}[d.IntN(3)], Left: in, Apply: d.IntN(2) == 0}
		inner := around
		if j.Apply {
			inner = append(slices.Clone(around), in.Out()...)
		}
		j.Right = d.tree(d.IntN(depth), inner)
		if d.IntN(4) > 0 {
			sides := [][]int{in.Out(), j.Right.Out()}
			if d.IntN(2) == 0 {
				slices.Reverse(sides)
			}
			j.On = d.equality(sides[0], sides[1])
		}
		if d.IntN(3) == 0 {
			j.On = logical.And(j.On, d.equality(in.Out(), in.Out()))
		}
		if d.IntN(3) == 0 {
			d.choices[j] = physical.Choice{Method: physical.Loop}
		}
		return j
	}
}

// TestLowered draws trees and runs each by a model of logical trees, which knows columns by their
// IDs, and what is made of it by one of plans, which knows positions. Both give the same rows.
func TestLowered(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	given := 0
	nodes := map[string]int{}
	for range 20000 {
		d := &drawer{r, logical.NewMeta(0), physical.Choices{}, t}
		if d.IntN(2) == 0 { // columns print with the names of their relations
			d.meta.AddRelation()
			d.meta.AddRelation()
		}
		root := d.tree(1+d.IntN(4), nil)
		s := &logical.Statement{Meta: d.meta, Root: root}
		for range 1 + d.IntN(3) {
			s.Out, s.Names = append(s.Out, root.Out()[d.IntN(len(root.Out()))]), append(s.Names, "x")
		}
		p, err := Statement(s, d.choices)
		if err != nil {
			t.Fatalf("%v\n%#v", err, root)
		}
		var want [][]int64
		for _, row := range byID(root, nil) {
			var out []int64
			for _, id := range s.Out {
				out = append(out, row[id])
			}
			want = append(want, out)
		}
		got := byPosition(p.Root, nil)
		if len(p.Columns) != len(s.Out) || !slices.EqualFunc(got, want, slices.Equal[[]int64]) {
			t.Fatalf("%v\nis lowered to\n%v\nwhich gives %v, want %v", root, p.Root, got, want)
		}
		given += len(got)
		var count func(plan.Node)
		count = func(n plan.Node) {
			nodes[fmt.Sprintf("%T", n)]++
			for _, in := range n.Inputs() {
				count(in)
			}
		}
		count(p.Root)
	}
	for _, kind := range []string{"*plan.HashJoin", "*plan.NestedLoop", "*plan.Apply", "*plan.Append", "*plan.Filter", "*plan.Project"} {
		if nodes[kind] < 1000 {
			t.Errorf("%d of %s only", nodes[kind], kind)
		}
	}
	if given < 10000 {
		t.Errorf("%d rows only", given)
	}
}
