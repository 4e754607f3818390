package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// keepInvariant has what is the same in every run of a side that is run again and again made
// once: of the right side of an Apply, and of the step of a recursive query.
//
//	Apply (for each a)                    With (same for all rows)
//	  └── Filter (n < $a)            →      ├── Aggregate …
//	        └── Aggregate …                 └── Apply (for each a)
//	                                              └── Filter (n < $a)
//	                                                    └── With Scan
//
// The side that a join keeps in memory stays there, with its table of hashes (KeptBy);
// what is computed otherwise, as groups and sorts, becomes a WITH query, which is read as
// far as the longest run reads it. Plain scans stay as they are.
//
// Not what is volatile, draws a sample, locks or writes, nor what names a value or rows
// that another run has otherwise.
func keepInvariant(_ *Context, root plan.Node, _ []rule) plan.Node {
	if !runsAgain(root) {
		return nil
	}
	k := &invariants{known: map[plan.Node]*dependence{}}
	k.lastID(root)
	out := k.node(root, nil)
	if out == root {
		return nil
	}
	return out
}

// runsAgain says that a node of the plan runs a side more than once.
func runsAgain(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Apply:
		if !atMostOne(n.Left) {
			return true
		}
	case *plan.RecursiveUnion:
		return true
	}
	return slices.ContainsFunc(n.Inputs(), runsAgain)
}

// atMostOne says that a tree surely gives no second row.
func atMostOne(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.OneRow:
		return true
	case *plan.Aggregate:
		return n.Phase != plan.Partial && len(n.Groups) == 0
	case *plan.Filter, *plan.Project:
		return atMostOne(n.Inputs()[0])
	case *plan.NestedLoop:
		return atMostOne(n.Left) && atMostOne(n.Right)
	}
	return false
}

// invariants is the work on one plan.
type invariants struct {
	known map[plan.Node]*dependence
	id    int // the last that was given
}

// dependence is what the rows of a tree follow from, beside the store and the statement's
// parameters.
type dependence struct {
	params, withs map[int]bool // those that are named
	sets, makes   map[int]bool // those that nodes of the tree give values and rows
	changes       bool         // another run may give other rows all the same
}

// repeated is a side that is run again, while what is in it is looked at.
type repeated struct {
	by    plan.Node
	of    *dependence // the side's, and what by itself gives it
	id    int         // of by's Keeps, once one is wanted
	withs []*plan.With
}

// lastID finds the greatest ID of the plan.
func (k *invariants) lastID(n plan.Node) {
	switch n := n.(type) {
	case *plan.With:
		k.id = max(k.id, n.ID)
	case *plan.RecursiveUnion:
		k.id = max(k.id, n.ID)
	}
	for _, in := range n.Inputs() {
		k.lastID(in)
	}
}

// node rewrites a tree; around are the sides that it is in, the outermost first.
func (k *invariants) node(n plan.Node, around []*repeated) plan.Node {
	if _, ok := walk.ScanUnder(n); ok {
		return n
	}
	switch n := n.(type) {
	case *plan.Apply:
		if atMostOne(n.Left) {
			break // its right side runs as often as it does
		}
		r := &repeated{by: n, of: k.sideOf(n.Right)}
		for _, p := range n.Params {
			r.of.sets[p.N] = true
		}
		left := k.part(n.Left, around)
		right := k.part(n.Right, append(slices.Clip(around), r))
		var out plan.Node = n
		if left != n.Left || right != n.Right || r.id != 0 {
			c := *n
			c.Left, c.Right, c.Keeps = left, right, r.id
			out = &c
		}
		return r.with(out)
	case *plan.RecursiveUnion:
		r := &repeated{by: n, of: k.sideOf(n.Step)}
		r.of.makes[n.ID] = true
		start := k.part(n.Start, around)
		step := k.part(n.Step, append(slices.Clip(around), r))
		var out plan.Node = n
		if start != n.Start || step != n.Step || r.id != 0 {
			c := *n
			c.Start, c.Step, c.Keeps = start, step, r.id
			out = &c
		}
		return r.with(out)
	case *plan.HashJoin:
		build, probe := &n.Right, &n.Left
		if n.BuildLeft {
			build, probe = probe, build
		}
		if r := k.sameIn(k.table(n), around); r != nil {
			c := *n
			c.KeptBy, c.Left, c.Right = k.keeps(r), k.part(*probe, around), k.node(*build, outside(around, r))
			if n.BuildLeft {
				c.Left, c.Right = c.Right, c.Left
			}
			return &c
		}
	case *plan.NestedLoop:
		if r := k.sameIn(k.of(n.Right), around); r != nil {
			c := *n
			c.KeptBy, c.Left, c.Right = k.keeps(r), k.part(n.Left, around), k.node(n.Right, outside(around, r))
			return &c
		}
	case *plan.Aggregate:
		// Buckets whose rows are kept are not aggregated one by one.
		if p, ok := n.Input.(*plan.Aggregate); ok && p.Phase == plan.Partial && computed(p.Input) && k.sameIn(k.of(p.Input), around) != nil {
			c := *p
			c.Phase, c.Input = plan.Complete, k.part(p.Input, around)
			return &c
		}
	case *plan.SaltGather, *plan.SaltMerge:
		around = nil // what is below runs once for each bucket, side by side
	}
	return walk.RewriteInputs(n, func(in plan.Node) plan.Node { return k.part(in, around) })
}

// part is node of an input, which may be the same in every run as a whole.
func (k *invariants) part(n plan.Node, around []*repeated) plan.Node {
	if computed(n) {
		if r := k.sameIn(k.of(n), around); r != nil {
			k.id++
			w := &plan.With{ID: k.id, Name: sameEachRun} // before what is within takes others
			w.Query = k.node(n, outside(around, r))
			r.withs = append(r.withs, w)
			return &plan.WithScan{ID: w.ID, Name: w.Name, Cols: n.Columns()}
		}
	}
	return k.node(n, around)
}

// outside are the sides around r's node: what is the same in every run of r's side runs
// once for each of theirs.
func outside(around []*repeated, r *repeated) []*repeated { return around[:slices.Index(around, r)] }

// sameEachRun names the WITH queries of this rule.
const sameEachRun = "same for all runs"

// computed says that making a tree's rows again costs more than reading them where they
// are kept.
func computed(n plan.Node) bool {
	if _, ok := walk.ScanUnder(n); ok {
		return false
	}
	switch n := n.(type) {
	case *plan.Aggregate, *plan.Sort, *plan.TopN, *plan.DistinctOn, *plan.Window, *plan.SetOp, *plan.HashJoin, *plan.MergeJoin,
		*plan.NestedLoop, *plan.LookupJoin, *plan.Apply, *plan.RecursiveUnion, *plan.With, *plan.SaltGather, *plan.SaltMerge:
		return true
	case *plan.Filter, *plan.Project, *plan.Limit, *plan.ProjectSet:
		return computed(n.Inputs()[0])
	case *plan.Append:
		return slices.ContainsFunc(n.Parts, computed)
	}
	return false
}

// keeps gives the number by which joins in a side name the node that runs it.
func (k *invariants) keeps(r *repeated) int {
	if r.id == 0 {
		k.id++
		r.id = k.id
	}
	return r.id
}

// with puts the WITH queries of a side over the node that runs it.
func (r *repeated) with(n plan.Node) plan.Node {
	for _, w := range slices.Backward(r.withs) {
		w.Body = n
		n = w
	}
	return n
}

// sameIn gives the outermost side in whose every run what has this dependence is the same;
// nil where there is none.
func (k *invariants) sameIn(d *dependence, around []*repeated) *repeated {
	if d.changes {
		return nil
	}
	for _, r := range around {
		if d.apart(r.of) {
			return r
		}
	}
	return nil
}

// apart says that a tree names nothing that a side around it sets, but what it sets itself.
func (d *dependence) apart(side *dependence) bool {
	for p := range d.params {
		if side.sets[p] && !d.sets[p] {
			return false
		}
	}
	for w := range d.withs {
		if side.makes[w] && !d.makes[w] {
			return false
		}
	}
	return true
}

// table finds what the table of hashes of a join depends on: the rows in it, and the keys by
// which they are found.
func (k *invariants) table(n *plan.HashJoin) *dependence {
	build := n.Right
	if n.BuildLeft {
		build = n.Left
	}
	d := k.sideOf(build)
	for _, key := range n.Keys {
		if n.BuildLeft {
			d.expression(key.Left)
		} else {
			d.expression(key.Right)
		}
	}
	return d
}

// sideOf is of, as a copy that may be added to.
func (k *invariants) sideOf(n plan.Node) *dependence {
	d := newDependence()
	d.add(k.of(n))
	return d
}

func newDependence() *dependence {
	return &dependence{params: map[int]bool{}, withs: map[int]bool{}, sets: map[int]bool{}, makes: map[int]bool{}}
}

func (d *dependence) add(o *dependence) {
	for _, m := range [][2]map[int]bool{{d.params, o.params}, {d.withs, o.withs}, {d.sets, o.sets}, {d.makes, o.makes}} {
		for x := range m[1] {
			m[0][x] = true
		}
	}
	d.changes = d.changes || o.changes
}

// expression adds what the value of an expression depends on. It gives false, to walk on.
func (d *dependence) expression(e expr.Expr) bool {
	if e == nil {
		return false
	}
	d.changes = d.changes || expr.Volatile(e)
	expr.Walk(e, func(x expr.Expr) bool {
		if p, ok := x.(*expr.Param); ok {
			d.params[p.N] = true
		}
		return true
	})
	return false
}

// of finds what a tree depends on.
func (k *invariants) of(n plan.Node) *dependence {
	if d := k.known[n]; d != nil {
		return d
	}
	d := newDependence()
	each := func(e expr.Expr) { d.expression(e) }
	walk.VisitExprs(n, each)
	scan := func(s *plan.Scan) {
		s.Key.HasArg(d.expression)
		s.Skip.HasArg(d.expression)
		if s.Reduced != nil {
			d.params[s.Reduced.Param] = true
			s.Reduced.Key.HasArg(d.expression)
		}
		d.changes = d.changes || s.Sample != nil || s.ForUpdate
	}
	if s, ok := walk.ScanUnder(n); ok {
		scan(s)
	}
	switch n := n.(type) {
	case *plan.Apply:
		for _, p := range n.Params {
			d.sets[p.N] = true
		}
	case *plan.HashJoin:
		for _, r := range n.Reduce {
			d.sets[r.Param] = true
		}
	case *plan.LookupJoin:
		walk.VisitExprs(n.Right, each)
		scan(n.Right)
	case *plan.With:
		d.makes[n.ID] = true
	case *plan.RecursiveUnion:
		d.makes[n.ID] = true
	case *plan.WithScan:
		d.withs[n.ID] = true
	case *plan.TableFunc:
		d.changes = d.changes || n.Set != nil && n.Set.Sig != nil && n.Set.Sig.Volatile
	case *plan.ProjectSet:
		for i := range n.Sets {
			d.changes = d.changes || n.Sets[i].Set != nil && n.Sets[i].Set.Sig != nil && n.Sets[i].Set.Sig.Volatile
		}
	case *plan.External, *plan.Lock:
		d.changes = true
	}
	d.changes = d.changes || plan.WritesHere(n)
	if _, ok := walk.ScanUnder(n); !ok {
		for _, in := range n.Inputs() {
			d.add(k.of(in))
		}
	}
	k.known[n] = d
	return d
}
