package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// chooseIndex reads tables by an index where that costs less: each leaf of the plan is
// tried by each of its table's indexes, with all the rules that come after, and the
// cheapest plan stays. So an order that an index gives, a limit, or a seek counts as
// well as a condition does. Where that would be too many plans, each leaf is tried apart.
//
// Not for samples of a table, nor for what a join has narrowed by its key, nor for full keys.
func chooseIndex(ctx *Context, root plan.Node, rest []rule) plan.Node {
	if !readsIndexed(ctx, root) {
		return nil
	}
	quiet := *ctx
	quiet.Options.Fired, quiet.Options.Made, quiet.Notice = nil, nil, nil
	root = rewritten(&quiet, root, pruneColumns)
	tries, read := 0, leaves(root)
	for _, leaf := range read {
		tries += len(indexPaths(ctx, leaf.scan))
	}
	if tries*len(read) > maxTries {
		return chooseApart(&quiet, root, rest)
	}
	return chooseAmong(&quiet, root, rest)
}

// maxTries bounds the plans of one leaf, so to speak, that are finished to see what they cost.
const maxTries = 1000

// chooseApart chooses for each leaf as if what is between it and the node where it meets
// others were all: of many relations that is what planning has time for. nil where no leaf
// changes.
func chooseApart(quiet *Context, n plan.Node, rest []rule) plan.Node {
	if oneLeaf(n) {
		return chooseAmong(quiet, n, rest)
	}
	var out []plan.Node
	for i, in := range n.Inputs() {
		if m := chooseApart(quiet, in, rest); m != nil {
			if out == nil {
				out = slices.Clone(n.Inputs())
			}
			out[i] = m
		}
	}
	if out == nil {
		return nil
	}
	return walk.WithInputs(n, out)
}

// oneLeaf says that nothing below a node meets anything else.
func oneLeaf(n plan.Node) bool {
	for {
		if _, ok := walk.ScanUnder(n); ok {
			return true
		}
		ins := n.Inputs()
		if len(ins) != 1 {
			return false
		}
		n = ins[0]
	}
}

// chooseAmong tries all leaves of a plan, one after the other; nil where none changes.
func chooseAmong(quiet *Context, root plan.Node, rest []rule) plan.Node {
	read := leaves(root)
	f := finisher{ctx: quiet, rules: rest, Costing: estimate.Costing{By: quiet.Known()}}
	if len(read) > 1 {
		f.done, f.Seen = map[step]plan.Node{}, map[plan.Node]estimate.NodeCost{}
	}
	cost := f.cost(root)
	changed := false
	for _, leaf := range read {
		paths := indexPaths(quiet, leaf.scan)
		if len(paths) == 0 {
			continue
		}
		if quiet.mustRead(leaf.scan) {
			cost = noCost // any of the indexes named is better
		}
		best := root
		for _, p := range paths {
			tried := p.replace(quiet, root, leaf)
			if tried == nil {
				continue
			}
			if c := f.cost(tried); c < cost*Worthwhile {
				best, cost, changed = tried, c, true
			}
		}
		root = best
	}
	if !changed {
		return nil
	}
	return root
}

// finisher says what plans cost once the rules have done with them. Plans that differ in one
// leaf share what the others become, which is seen to once.
type finisher struct {
	estimate.Costing
	ctx   *Context
	rules []rule
	done  map[step]plan.Node // nil where nothing is shared
}

// step is a node as a rule finds it, by the rule's number.
type step struct {
	rule int
	node plan.Node
}

func (f *finisher) cost(n plan.Node) float64 {
	for i, r := range f.rules {
		// Those that look at a whole plan come last, and leave costs as they are.
		if !f.ctx.Options.disabled(r.name) && r.whole == nil {
			n = f.apply(i, n)
		}
	}
	return f.Node(n).Total
}

// apply is rewrite by a rule.
func (f *finisher) apply(i int, n plan.Node) plan.Node {
	if f.done == nil {
		return rewritten(f.ctx, n, f.rules[i].apply)
	}
	at := step{i, n}
	if m, ok := f.done[at]; ok {
		return m
	}
	m := n
	if _, ok := walk.ScanUnder(n); !ok {
		m = walk.RewriteInputs(n, func(in plan.Node) plan.Node { return f.apply(i, in) })
	}
	if by := f.rules[i].apply(f.ctx, m); by != nil {
		m = by
	}
	f.done[at] = m
	return m
}

// Worthwhile is the part of the cost of the best plan so far that another must not reach:
// estimates are not so exact that less would count.
const Worthwhile = 0.95

// noCost is more than any plan costs: of one that hints rule out.
const noCost = 1e300

// leaf is a scan of a plan and the filter right above it.
type leaf struct {
	scan *plan.Scan
	cond expr.Expr
}

// leaves lists the scans of a plan.
func leaves(n plan.Node) []leaf { return addLeaves(nil, n) }

func addLeaves(list []leaf, n plan.Node) []leaf {
	if s, ok := walk.ScanUnder(n); ok {
		return append(list, leaf{scan: s})
	}
	if f, ok := n.(*plan.Filter); ok {
		if s, ok := walk.ScanUnder(f.Input); ok {
			return append(list, leaf{scan: s, cond: f.Cond})
		}
	}
	for _, in := range n.Inputs() {
		list = addLeaves(list, in)
	}
	return list
}

// readsIndexed says that some scan of a plan may read an index.
func readsIndexed(ctx *Context, n plan.Node) bool {
	if s, ok := walk.ScanUnder(n); ok {
		return len(indexPaths(ctx, s)) > 0
	}
	for _, in := range n.Inputs() {
		if readsIndexed(ctx, in) {
			return true
		}
	}
	return false
}

// replace gives the plan with a leaf read by the index; nil where the index does not have
// all rows wanted.
func (p *indexPath) replace(ctx *Context, root plan.Node, at leaf) plan.Node {
	w, ok := p.widen(at.scan, at.cond)
	if !ok {
		return nil
	}
	if at.scan.WithKey {
		out, _ := replaceLeaf(root, at.scan, func() (plan.Node, *widened) { return w.fetched(), nil })
		return out
	}
	// What is asked for is known once the index's expressions stand in their places: a
	// table of the wide columns is pruned.
	wide := *p.table
	wide.Columns = wide.Columns[:len(wide.Columns):len(wide.Columns)]
	for _, e := range p.exprs {
		wide.Columns = append(wide.Columns, catalog.Column{Name: expr.ToText(e), Type: e.Type(), KeyPos: -1})
	}
	s := &plan.Scan{Source: plan.Source{Table: &wide, Alias: at.scan.Alias, Cols: w.cols}}
	tree, above := replaceLeaf(root, at.scan, func() (plan.Node, *widened) {
		return filtered(s, slices.Concat(w.conds, w.volatile)), w
	})
	if tree == nil {
		return nil
	}
	if above != nil {
		tree = cut(tree, plan.Width(root))
	}
	tree = rewritten(ctx, tree, pruneColumns)
	var pruned *leaf
	for _, l := range leaves(tree) {
		if l.scan.Table == &wide {
			pruned = &l
		}
	}
	if pruned == nil {
		return nil
	}
	narrow := *w
	narrow.cols, narrow.conds, narrow.volatile = pruned.scan.Cols, nil, nil
	if pruned.cond != nil {
		for _, c := range walk.Conjuncts(pruned.cond) {
			if expr.Volatile(c) {
				narrow.volatile = append(narrow.volatile, c)
			} else {
				narrow.conds = append(narrow.conds, c)
			}
		}
	}
	out, _ := replaceLeaf(tree, pruned.scan, func() (plan.Node, *widened) {
		if narrow.covers() {
			return narrow.covered(), nil
		}
		return narrow.fetched(), nil
	})
	if out == nil {
		return nil
	}
	return applyRules(ctx, out, []rule{{name: "push_filter", apply: pushFilter}, {name: "merge_projections", apply: mergeProjections}})
}

// replaceLeaf puts what leaf makes in the place of a scan and of the filter right above it. The columns
// that it adds behind the scan's are passed up as far as they are of use: what is computed
// from the table's columns there, and is one of the index's expressions, is read
// instead. nil where the scan is not in n.
func replaceLeaf(n plan.Node, s *plan.Scan, leaf func() (plan.Node, *widened)) (plan.Node, *widened) {
	if at, ok := walk.ScanUnder(n); ok {
		if at != s {
			return nil, nil
		}
		return leaf()
	}
	if f, ok := n.(*plan.Filter); ok {
		if at, ok := walk.ScanUnder(f.Input); ok && at == s {
			return leaf()
		}
	}
	ins := n.Inputs()
	for i, in := range ins {
		m, w := replaceLeaf(in, s, leaf)
		if m == nil {
			continue
		}
		up := false
		switch n.(type) {
		case *plan.Filter, *plan.Sort, *plan.TopN, *plan.Limit, *plan.DistinctOn:
			up = true
		case *plan.Project, *plan.Aggregate:
		default:
			if w != nil {
				m, w = cut(m, plan.Width(in)), nil
			}
		}
		out := make([]plan.Node, len(ins))
		copy(out, ins)
		out[i] = m
		above := walk.WithInputs(n, out)
		if w != nil {
			above = walk.MapExprs(above, w.substitute())
		}
		if !up {
			w = nil
		}
		return above, w
	}
	return nil, nil
}

// cut gives the first columns of n.
func cut(n plan.Node, width int) plan.Node {
	cols := n.Columns()
	if len(cols) == width {
		return n
	}
	p := &plan.Project{Input: n, Cols: cols[:width:width]}
	for i, c := range p.Cols {
		p.Exprs = append(p.Exprs, &expr.Col{Index: i, T: c.Type, Name: c.Name})
	}
	return p
}
