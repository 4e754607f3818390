package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// windows are the window calls of one level. In the bound expressions a call stands as
// the column of its ID.
type windows struct {
	named []*namedWindow
	list  []*logical.Window // without Input, in the order of their first calls
}

// namedWindow is a definition of a WINDOW clause.
type namedWindow struct {
	def   *tree.NamedWindow
	bound *windowSpec
}

// windowSpec is a bound window definition.
type windowSpec struct {
	partition []expr.Expr
	order     []plan.SortKey
	ordered   bool // ORDER BY is written, perhaps of nothing but constants
	frame     *tree.Frame
	pos       int
}

// The places around windows, as errors call them.
const (
	inWindowCall       = "window function calls"
	inWindowDefinition = "window definitions"
)

// bindOver binds f(…) OVER … and gives the column that stands for it.
func (b *Binder) bindOver(p *Place, c *tree.Func) (expr.Expr, error) {
	pos := b.Pos(c)
	switch {
	case p.Clause == nestedAgg:
		return nil, sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot contain window function calls").At(pos)
	case p.Level == nil || !p.windows && p.Clause != inWindowCall:
		return nil, sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", p.Clause).At(pos)
	case p.Clause == inWindowCall:
		return nil, sqlerr.New(sqlerr.WindowingError, "window function calls cannot be nested").At(pos)
	}
	call, err := b.windowCall(&Place{Level: p.Level, Clause: inWindowCall, aggs: p.aggs}, c)
	if err != nil {
		return nil, err
	}
	spec, err := b.windowSpec(p, c.Over)
	if err != nil {
		return nil, err
	}
	if call.Frame, err = b.bindFrame(p, spec); err != nil {
		return nil, err
	}
	return p.Level.windows.add(b.Meta, spec, call, pos), nil
}

// windowCall binds what stands before OVER; inner is the place of the arguments.
func (b *Binder) windowCall(inner *Place, c *tree.Func) (plan.WindowCall, error) {
	pos := b.Pos(c)
	var call plan.WindowCall
	if expr.IsWindow(c.Name) && !c.Within {
		switch {
		case c.Star:
			return call, sqlerr.New(sqlerr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.Name, c.Name).At(pos)
		case c.Distinct:
			return call, sqlerr.New(sqlerr.WrongObjectType, "DISTINCT specified, but %s is not an aggregate function", c.Name).At(pos)
		case len(c.OrderBy) > 0:
			return call, sqlerr.New(sqlerr.WrongObjectType, "ORDER BY specified, but %s is not an aggregate function", c.Name).At(pos)
		case c.Filter != nil:
			return call, sqlerr.New(sqlerr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions").At(pos)
		}
		args, err := b.exprs(inner, c.Args)
		if err != nil {
			return call, err
		}
		if call.Func, call.Args, err = expr.ResolveWindow(c.Name, args, pos); err != nil {
			return call, err
		}
		call.T = call.Func.T
		call.Text = aggText(&plan.AggCall{Agg: &expr.Agg{Name: c.Name}, Args: call.Args})
		if len(call.Args) == 0 {
			call.Text = c.Name + "()"
		}
		return call, nil
	}
	switch {
	case !expr.IsAgg(c.Name):
		return call, sqlerr.New(sqlerr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", c.Name).At(pos)
	case c.Within || expr.IsWithin(c.Name):
		return call, sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", c.Name).At(pos)
	case c.Distinct:
		return call, sqlerr.New(sqlerr.FeatureNotSupported, "DISTINCT is not implemented for window functions").At(pos)
	case len(c.OrderBy) > 0:
		return call, sqlerr.New(sqlerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions").At(pos)
	}
	agg, err := b.aggCall(inner, c)
	if err != nil {
		return call, err
	}
	return plan.WindowCall{Agg: agg.Agg, Args: agg.Args, Filter: agg.Filter, T: agg.Agg.T, Text: agg.Text}, nil
}

// windowSpec binds an OVER clause or a definition.
func (b *Binder) windowSpec(p *Place, w *tree.Window) (*windowSpec, error) {
	pos := b.Pos(w)
	var base *windowSpec
	if w.Ref != "" {
		var err error
		if base, err = b.namedWindow(p, w.Ref, pos); err != nil || w.Bare {
			return base, err
		}
		switch {
		case len(w.PartitionBy) > 0:
			return nil, sqlerr.New(sqlerr.WindowingError, `cannot override PARTITION BY clause of window "%s"`, w.Ref).At(pos)
		case len(w.OrderBy) > 0 && base.ordered:
			return nil, sqlerr.New(sqlerr.WindowingError, `cannot override ORDER BY clause of window "%s"`, w.Ref).At(pos)
		case base.frame != nil:
			e := sqlerr.New(sqlerr.WindowingError, `cannot copy window "%s" because it has a frame clause`, w.Ref).At(pos)
			if len(w.OrderBy) == 0 && w.Frame == nil {
				e.WithHint("Omit the parentheses in this OVER clause.")
			}
			return nil, e
		}
	}
	spec := &windowSpec{pos: pos, frame: w.Frame, ordered: len(w.OrderBy) > 0}
	inner := &Place{Level: p.Level, Clause: inWindowDefinition, aggs: p.aggs}
	if base != nil {
		spec.partition = base.partition
	}
	for _, n := range w.PartitionBy {
		e, err := b.windowKey(inner, n)
		if err != nil {
			return nil, err
		}
		if !expr.ContainsExpr(spec.partition, e) {
			spec.partition = append(spec.partition, e)
		}
	}
	if base != nil && base.ordered {
		spec.order, spec.ordered = base.order, true
		return spec, nil
	}
	for i := range w.OrderBy {
		e, err := b.windowKey(inner, w.OrderBy[i].Expr)
		if err != nil {
			return nil, err
		}
		key, err := b.sortKey(&w.OrderBy[i], e)
		if err != nil {
			return nil, err
		}
		spec.order = append(spec.order, key)
	}
	return spec, nil
}

// windowKey binds an expression of PARTITION BY or of a window's ORDER BY.
func (b *Binder) windowKey(p *Place, n tree.Expr) (expr.Expr, error) {
	e, err := b.Expr(p, n)
	if err != nil {
		return nil, err
	}
	if e, err = expr.ResolveUnknown(e); err != nil {
		return nil, err
	}
	return e, b.orderable(e, b.Pos(n))
}

// namedWindow finds a definition of the WINDOW clause: 42704.
func (b *Binder) namedWindow(p *Place, name string, pos int) (*windowSpec, error) {
	list := p.Level.windows.named
	for i, w := range list {
		if w.def.Name != name {
			continue
		}
		if w.bound == nil {
			// It may name those before it.
			saved := p.Level.windows.named
			p.Level.windows.named = list[:i]
			spec, err := b.windowSpec(p, &w.def.Window)
			p.Level.windows.named = saved
			if err != nil {
				return nil, err
			}
			w.bound = spec
		}
		return w.bound, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, `window "%s" does not exist`, name).At(pos)
}

// declareWindows makes the WINDOW clause known: 42P20 for a name that stands twice.
func (b *Binder) declareWindows(l *Level, defs []tree.NamedWindow) error {
	for i := range defs {
		for _, w := range l.windows.named {
			if w.def.Name == defs[i].Name {
				return sqlerr.New(sqlerr.WindowingError, `window "%s" is already defined`, defs[i].Name).At(b.Pos(defs[i]))
			}
		}
		l.windows.named = append(l.windows.named, &namedWindow{def: &defs[i]})
	}
	return nil
}

// bindUnusedWindows checks the definitions that no call has named.
func (b *Binder) bindUnusedWindows(l *Level) error {
	p := &Place{Level: l, Clause: "WINDOW", aggs: true}
	for _, w := range l.windows.named {
		spec, err := b.namedWindow(p, w.def.Name, b.Pos(w.def))
		if err != nil {
			return err
		}
		if _, err := b.bindFrame(p, spec); err != nil {
			return err
		}
	}
	return nil
}

// bindFrame binds the frame of a window.
func (b *Binder) bindFrame(p *Place, spec *windowSpec) (plan.Frame, error) {
	f := spec.frame
	if f == nil {
		return plan.Frame{Mode: plan.FrameRange, End: plan.Bound{Kind: plan.CurrentRow}}, nil
	}
	out := plan.Frame{
		Mode:    [...]plan.FrameMode{tree.Rows: plan.FrameRows, tree.Range: plan.FrameRange, tree.Groups: plan.FrameGroups}[f.Mode],
		Exclude: plan.Exclusion(f.Exclude),
	}
	offset := f.Start.Offset != nil || f.End.Offset != nil
	pos := spec.pos
	if offset && f.Mode == tree.Range && len(spec.order) != 1 {
		return out, sqlerr.New(sqlerr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column").At(pos)
	}
	if f.Mode == tree.Groups && len(spec.order) == 0 {
		return out, sqlerr.New(sqlerr.WindowingError, "GROUPS mode requires an ORDER BY clause").At(pos)
	}
	var err error
	if out.Start, err = b.bindBound(p, spec, &f.Start); err != nil {
		return out, err
	}
	out.End, err = b.bindBound(p, spec, &f.End)
	return out, err
}

func (b *Binder) bindBound(p *Place, spec *windowSpec, n *tree.Bound) (plan.Bound, error) {
	out := plan.Bound{Kind: [...]plan.BoundKind{
		tree.UnboundedPreceding: plan.UnboundedPreceding, tree.OffsetPreceding: plan.OffsetPreceding,
		tree.CurrentRow:      plan.CurrentRow,
		tree.OffsetFollowing: plan.OffsetFollowing, tree.UnboundedFollowing: plan.UnboundedFollowing,
	}[n.Kind]}
	if n.Offset == nil {
		return out, nil
	}
	mode := map[tree.FrameMode]string{tree.Rows: "ROWS", tree.Range: "RANGE", tree.Groups: "GROUPS"}[spec.frame.Mode]
	l := p.Level
	saved := l.deepest
	l.deepest = noLevel
	e, err := b.Expr(&Place{Level: l, Clause: "window " + mode}, n.Offset)
	if err != nil {
		return out, err
	}
	if l.deepest == l.depth {
		return out, sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", mode).At(firstColumn(e))
	}
	l.deepest = max(saved, l.deepest)
	if spec.frame.Mode != tree.Range {
		out.Offset, err = expr.ResolveCast(e, types.Of(types.Int8), expr.Assignment, b.Pos(n.Offset))
		if err != nil && sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
			err = sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", mode, e.Type()).At(b.Pos(n.Offset))
		}
		return out, err
	}
	key := &spec.order[0]
	out.Offset, out.Shift, err = expr.ResolveInRange(key.Expr, e, n.Kind == tree.OffsetPreceding, key.Desc, b.Pos(n.Offset))
	return out, err
}

// add gives the column for a call; equal calls are computed once, and those over one
// partitioning and order side by side.
func (w *windows) add(m *logical.Meta, spec *windowSpec, call plan.WindowCall, pos int) expr.Expr {
	var in *logical.Window
	for _, x := range w.list {
		if expr.EqualLists(x.Partition, spec.partition) && equalKeys(x.Order, spec.order) {
			in = x
			break
		}
	}
	if in == nil {
		in = &logical.Window{Partition: spec.partition, Order: spec.order}
		w.list = append(w.list, in)
	}
	i := 0
	for i < len(in.Calls) && !equalWindow(&in.Calls[i], &call) {
		i++
	}
	if i == len(in.Calls) {
		in.Calls = append(in.Calls, call)
		in.Cols = append(in.Cols, m.Add(logical.Column{Name: call.Text, Type: call.T}))
	}
	return &expr.Col{Index: in.Cols[i], T: call.T, Name: call.Text, At: pos}
}

// in says that e holds one of the calls.
func (w *windows) in(e expr.Expr) bool {
	found := false
	if len(w.list) == 0 {
		return false
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			for _, win := range w.list {
				for _, id := range win.Cols {
					found = found || id == c.Index
				}
			}
		}
		return !found
	})
	return found
}

func equalKeys(a, b []plan.SortKey) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Desc != b[i].Desc || a[i].NullsFirst != b[i].NullsFirst || !expr.Equal(a[i].Expr, b[i].Expr) {
			return false
		}
	}
	return true
}

func equalWindow(a, b *plan.WindowCall) bool {
	if a.Text != b.Text || a.T != b.T || (a.Func == nil) != (b.Func == nil) || a.Func != nil && a.Func.Name != b.Func.Name ||
		!expr.EqualLists(a.Args, b.Args) || !expr.EqualOrNil(a.Filter, b.Filter) {
		return false
	}
	f, g := &a.Frame, &b.Frame
	if f.Mode != g.Mode || f.Exclude != g.Exclude || !equalBound(&f.Start, &g.Start) || !equalBound(&f.End, &g.End) {
		return false
	}
	for _, e := range a.Args {
		if logical.VolatileExpr(e) {
			return false
		}
	}
	return a.Filter == nil || !logical.VolatileExpr(a.Filter)
}

func equalBound(a, b *plan.Bound) bool {
	return a.Kind == b.Kind && expr.EqualOrNil(a.Offset, b.Offset) && expr.EqualOrNil(a.Shift, b.Shift)
}

// over puts the windows above a node.
func (w *windows) over(node logical.Node) logical.Node {
	for _, x := range w.list {
		x.Input = node
		node = x
	}
	return node
}
