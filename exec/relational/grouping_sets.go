package relational

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// groupingSets groups its input by several sets of columns in one pass: each row goes to the
// groups once for each set, with the columns that the set leaves out NULL and the set's
// number beside them.
//
//	a b | 3   -->  a b 0 | 3,  a NULL 1 | 3,  NULL NULL 2 | 3   -->  groups by three columns
//
// A set without columns has a group even where there are no rows.
type groupingSets struct {
	n       *plan.Aggregate
	each    *eachSet
	agg     *hashAgg
	nothing *aggSpec // the aggregates without groups
	cx      *op.Context
	masks   [][]int64 // per set, the value of each of Groupings
	rest    []int     // sets whose group of no rows is still to be given
	done    bool      // with agg
	out     vec.Batch
	extra   []*vec.Vec // Groupings
	none    *aggTable
}

func newGroupingSets(n *plan.Aggregate, in op.Operator) (op.Operator, error) {
	each := &eachSet{in: in, sets: n.Sets}
	rowTypes := op.TypesOf(n.Input)
	groups := &plan.Aggregate{Aggs: n.Aggs}
	var err error
	if each.keys, err = op.NewRowExprs(n.Groups); err != nil {
		return nil, err
	}
	outTypes := []types.T{}
	add := func(t types.T) {
		groups.Groups = append(groups.Groups, &expr.Col{Index: len(rowTypes), T: t})
		rowTypes, outTypes = append(rowTypes, t), append(outTypes, t)
	}
	for _, g := range n.Groups {
		add(g.Type())
		v := vec.New(g.Type())
		v.Resize(vec.MaxRows)
		for i := range vec.MaxRows {
			v.Nulls.Set(i)
		}
		each.nulls = append(each.nulls, v)
	}
	add(types.Of(types.Int4))
	each.number = vec.New(types.Of(types.Int4))
	spec, err := newAggSpec(groups)
	if err != nil {
		return nil, err
	}
	for _, a := range n.Aggs {
		outTypes = append(outTypes, a.Agg.T)
	}
	g := &groupingSets{n: n, each: each, agg: &hashAgg{top: groups, node: n, spec: spec, in: each, rowTypes: rowTypes, out: vec.NewBatch(outTypes)}}
	if g.nothing, err = newAggSpec(&plan.Aggregate{Aggs: n.Aggs}); err != nil {
		return nil, err
	}
	for _, set := range n.Sets {
		masks := make([]int64, len(n.Groupings))
		for i, args := range n.Groupings {
			for _, a := range args {
				masks[i] <<= 1
				if !contains(set, a) {
					masks[i] |= 1
				}
			}
		}
		g.masks = append(g.masks, masks)
	}
	for range n.Groupings {
		g.extra = append(g.extra, vec.New(types.Of(types.Int4)))
	}
	return g, nil
}

func contains(set []int, x int) bool {
	for _, s := range set {
		if s == x {
			return true
		}
	}
	return false
}

func (g *groupingSets) Open(cx *op.Context) error {
	g.cx, g.done, g.rest = cx, false, g.rest[:0]
	return g.agg.Open(cx)
}

func (g *groupingSets) Next() (*vec.Batch, error) {
	if !g.done {
		b, err := g.agg.Next()
		if err == nil {
			groups := len(g.n.Groups)
			g.out.Cols = append(append(g.out.Cols[:0], b.Cols[:groups]...), b.Cols[groups+1:]...)
			g.out.N, g.out.Sel = b.N, nil
			g.groupings(b.N, func(i int) int { return int(b.Cols[groups].Ints[i]) })
			return &g.out, nil
		}
		if err != io.EOF {
			return nil, err
		}
		g.done = true
		if !g.each.any {
			for i, set := range g.n.Sets {
				if len(set) == 0 {
					g.rest = append(g.rest, i)
				}
			}
		}
	}
	if len(g.rest) == 0 {
		return nil, io.EOF
	}
	set := g.rest[0]
	g.rest = g.rest[1:]
	return g.ofNothing(set)
}

// ofNothing gives the group of no rows.
func (g *groupingSets) ofNothing(set int) (*vec.Batch, error) {
	g.closeNone()
	var err error
	if g.none, err = newAggTable(g.nothing, g.cx, neverOverflow); err != nil {
		return nil, err
	}
	if err := g.none.finish(); err != nil {
		return nil, err
	}
	g.out.Cols = append(g.out.Cols[:0], g.each.nulls...)
	aggs := vec.Batch{Cols: g.agg.out.Cols[len(g.n.Groups)+1:]}
	if err := g.none.emit(0, 1, &aggs); err != nil {
		return nil, err
	}
	g.out.Cols = append(g.out.Cols, aggs.Cols...)
	g.out.N, g.out.Sel = 1, nil
	g.groupings(1, func(int) int { return set })
	return &g.out, nil
}

// groupings adds the GROUPING columns of n rows, of the sets that setOf says.
func (g *groupingSets) groupings(n int, setOf func(i int) int) {
	for k, v := range g.extra {
		v.Resize(n)
		for i := range n {
			v.Ints[i] = g.masks[setOf(i)][k]
		}
		g.out.Cols = append(g.out.Cols, v)
	}
}

func (g *groupingSets) closeNone() {
	if g.none != nil {
		g.none.close()
		g.none = nil
	}
}

func (g *groupingSets) Close() error {
	g.closeNone()
	return g.agg.Close()
}

// eachSet gives every batch once for each grouping set.
type eachSet struct {
	in     op.Operator
	sets   [][]int
	keys   *op.RowExprs
	nulls  []*vec.Vec
	number *vec.Vec
	cx     *op.Context
	part   *vec.Batch
	set    int // the next one of part
	any    bool
	out    vec.Batch
}

func (e *eachSet) Open(cx *op.Context) error {
	e.cx, e.part, e.any = cx, nil, false
	e.keys.Reset()
	return e.in.Open(cx)
}

func (e *eachSet) Next() (*vec.Batch, error) {
	if e.part == nil {
		part, err := e.keys.NextPart(e.cx.Env, e.in.Next)
		if err != nil {
			return nil, err
		}
		e.part, e.set, e.any = part, 0, true
	}
	e.out.Cols = append(e.out.Cols[:0], e.part.Cols...)
	for i, v := range e.keys.Vals {
		if !contains(e.sets[e.set], i) {
			v = e.nulls[i]
		}
		e.out.Cols = append(e.out.Cols, v)
	}
	e.number.Resize(e.part.N)
	for i := range e.number.Ints {
		e.number.Ints[i] = int64(e.set)
	}
	e.out.Cols = append(e.out.Cols, e.number)
	e.out.N, e.out.Sel = e.part.N, e.part.Sel
	if e.set++; e.set == len(e.sets) {
		e.part = nil
	}
	return &e.out, nil
}

func (e *eachSet) Close() error {
	e.part = nil
	return e.in.Close()
}
