package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindOver binds f(…) OVER … and gives the column that stands for it.
func (b *Binder) bindOver(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	switch {
	case p.Clause == scope.NestedAgg:
		panic(sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot contain window function calls").At(pos))
	case p.Level == nil || !p.Windows && p.Clause != scope.InWindowCall:
		panic(sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", p.Clause).At(pos))
	case p.Clause == scope.InWindowCall:
		panic(sqlerr.New(sqlerr.WindowingError, "window function calls cannot be nested").At(pos))
	}
	call := b.windowCall(&scope.Place{Level: p.Level, Clause: scope.InWindowCall, Aggs: p.Aggs}, c)
	spec := b.windowSpec(p, c.Over)
	call.Frame = b.bindFrame(p, spec)
	col := p.Level.Windows.Add(b.Meta, spec, call, pos)
	b.Capture.over(col, c.Over)
	return col
}

// windowCall binds what stands before OVER; inner is the place of the arguments.
func (b *Binder) windowCall(inner *scope.Place, c *tree.Func) plan.WindowCall {
	pos := b.Pos(c)
	var call plan.WindowCall
	if expr.IsWindow(c.Name) && !c.Within {
		switch {
		case c.Star:
			panic(sqlerr.New(sqlerr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.Name, c.Name).At(pos))
		case c.Distinct:
			panic(sqlerr.New(sqlerr.WrongObjectType, "DISTINCT specified, but %s is not an aggregate function", c.Name).At(pos))
		case len(c.OrderBy) > 0:
			panic(sqlerr.New(sqlerr.WrongObjectType, "ORDER BY specified, but %s is not an aggregate function", c.Name).At(pos))
		case c.Filter != nil:
			panic(sqlerr.New(sqlerr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions").At(pos))
		}
		args := b.exprs(inner, c.Args)
		call.Func, call.Args = fail.Must2(expr.ResolveWindow(c.Name, args, pos))
		call.T = call.Func.T
		call.Text = aggText(&plan.AggCall{Agg: &expr.Agg{Name: c.Name}, Args: call.Args})
		if len(call.Args) == 0 {
			call.Text = c.Name + "()"
		}
		return call
	}
	switch {
	case !expr.IsAgg(c.Name):
		fail.If(expr.UnsupportedFunction(c.Name, pos))
		panic(sqlerr.New(sqlerr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", c.Name).At(pos))
	case c.Within || expr.IsWithin(c.Name):
		panic(sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", c.Name).At(pos))
	case c.Distinct:
		panic(sqlerr.New(sqlerr.FeatureNotSupported, "DISTINCT is not implemented for window functions").At(pos))
	case len(c.OrderBy) > 0:
		panic(sqlerr.New(sqlerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions").At(pos))
	}
	agg := b.aggCall(inner, c)
	return plan.WindowCall{Agg: agg.Agg, Args: agg.Args, Filter: agg.Filter, T: agg.Agg.T, Text: agg.Text}
}

// windowSpec binds an OVER clause or a definition.
func (b *Binder) windowSpec(p *scope.Place, w *tree.Window) *scope.WindowSpec {
	pos := b.Pos(w)
	var base *scope.WindowSpec
	if w.Ref != "" {
		if base = b.namedWindow(p, w.Ref, pos); w.Bare {
			return base
		}
		switch {
		case len(w.PartitionBy) > 0:
			panic(sqlerr.New(sqlerr.WindowingError, `cannot override PARTITION BY clause of window "%s"`, w.Ref).At(pos))
		case len(w.OrderBy) > 0 && base.Ordered:
			panic(sqlerr.New(sqlerr.WindowingError, `cannot override ORDER BY clause of window "%s"`, w.Ref).At(pos))
		case base.Frame != nil:
			e := sqlerr.New(sqlerr.WindowingError, `cannot copy window "%s" because it has a frame clause`, w.Ref).At(pos)
			if len(w.OrderBy) == 0 && w.Frame == nil {
				e.WithHint("Omit the parentheses in this OVER clause.")
			}
			panic(e)
		}
	}
	spec := &scope.WindowSpec{Pos: pos, Frame: w.Frame, Ordered: len(w.OrderBy) > 0}
	inner := &scope.Place{Level: p.Level, Clause: scope.InWindowDefinition, Aggs: p.Aggs}
	if base != nil {
		spec.Partition = base.Partition
	}
	for _, n := range w.PartitionBy {
		e := b.windowKey(inner, n)
		if !expr.ContainsExpr(spec.Partition, e) {
			spec.Partition = append(spec.Partition, e)
		}
	}
	if base != nil && base.Ordered {
		spec.Order, spec.Ordered = base.Order, true
		return spec
	}
	for i := range w.OrderBy {
		e := b.windowKey(inner, w.OrderBy[i].Expr)
		key := b.sortKey(&w.OrderBy[i], e)
		spec.Order = append(spec.Order, key)
	}
	return spec
}

// windowKey binds an expression of PARTITION BY or of a window's ORDER BY.
func (b *Binder) windowKey(p *scope.Place, n tree.Expr) expr.Expr {
	e := b.Expr(p, n)
	e = fail.Must(expr.ResolveUnknown(e))
	b.orderable(e, b.Pos(n))
	return e
}

// namedWindow finds a definition of the WINDOW clause: 42704.
func (b *Binder) namedWindow(p *scope.Place, name string, pos int) *scope.WindowSpec {
	list := p.Level.Windows.Named
	for i, w := range list {
		if w.Def.Name != name {
			continue
		}
		if w.Bound == nil {
			// It may name those before it.
			saved := p.Level.Windows.Named
			p.Level.Windows.Named = list[:i]
			w.Bound = b.windowSpec(p, &w.Def.Window)
			p.Level.Windows.Named = saved
		}
		return w.Bound
	}
	panic(sqlerr.New(sqlerr.UndefinedObject, `window "%s" does not exist`, name).At(pos))
}

// declareWindows makes the WINDOW clause known: 42P20 for a name that stands twice.
func (b *Binder) declareWindows(l *scope.Level, defs []tree.NamedWindow) {
	for i := range defs {
		for _, w := range l.Windows.Named {
			if w.Def.Name == defs[i].Name {
				panic(sqlerr.New(sqlerr.WindowingError, `window "%s" is already defined`, defs[i].Name).At(b.Pos(defs[i])))
			}
		}
		l.Windows.Named = append(l.Windows.Named, &scope.NamedWindow{Def: &defs[i]})
	}
}

// bindUnusedWindows checks the definitions that no call has named.
func (b *Binder) bindUnusedWindows(l *scope.Level) {
	p := &scope.Place{Level: l, Clause: "WINDOW", Aggs: true}
	for _, w := range l.Windows.Named {
		spec := b.namedWindow(p, w.Def.Name, b.Pos(w.Def))
		frame := b.bindFrame(p, spec)
		b.Capture.window(w.Def, spec, frame)
	}
}

// bindFrame binds the frame of a window.
func (b *Binder) bindFrame(p *scope.Place, spec *scope.WindowSpec) plan.Frame {
	f := spec.Frame
	if f == nil {
		return plan.Frame{Mode: plan.FrameRange, End: plan.Bound{Kind: plan.CurrentRow}}
	}
	out := plan.Frame{
		Mode:    [...]plan.FrameMode{tree.Rows: plan.FrameRows, tree.Range: plan.FrameRange, tree.Groups: plan.FrameGroups}[f.Mode],
		Exclude: plan.Exclusion(f.Exclude),
	}
	offset := f.Start.Offset != nil || f.End.Offset != nil
	pos := spec.Pos
	if offset && f.Mode == tree.Range && len(spec.Order) != 1 {
		panic(sqlerr.New(sqlerr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column").At(pos))
	}
	if f.Mode == tree.Groups && len(spec.Order) == 0 {
		panic(sqlerr.New(sqlerr.WindowingError, "GROUPS mode requires an ORDER BY clause").At(pos))
	}
	out.Start = b.bindBound(p, spec, &f.Start)
	out.End = b.bindBound(p, spec, &f.End)
	return out
}

func (b *Binder) bindBound(p *scope.Place, spec *scope.WindowSpec, n *tree.Bound) plan.Bound {
	out := plan.Bound{Kind: [...]plan.BoundKind{
		tree.UnboundedPreceding: plan.UnboundedPreceding, tree.OffsetPreceding: plan.OffsetPreceding,
		tree.CurrentRow:      plan.CurrentRow,
		tree.OffsetFollowing: plan.OffsetFollowing, tree.UnboundedFollowing: plan.UnboundedFollowing,
	}[n.Kind]}
	if n.Offset == nil {
		return out
	}
	mode := map[tree.FrameMode]string{tree.Rows: "ROWS", tree.Range: "RANGE", tree.Groups: "GROUPS"}[spec.Frame.Mode]
	l := p.Level
	saved := l.Deepest
	l.Deepest = scope.NoLevel
	e := b.Expr(&scope.Place{Level: l, Clause: "window " + mode}, n.Offset)
	if l.Deepest == l.Depth {
		panic(sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables", mode).At(firstColumn(e)))
	}
	l.Deepest = max(saved, l.Deepest)
	if spec.Frame.Mode != tree.Range {
		offset, err := expr.ResolveCast(e, types.Of(types.Int8), expr.Assignment, b.Pos(n.Offset))
		if sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
			err = sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type bigint, not type %s", mode, e.Type()).At(b.Pos(n.Offset))
		}
		out.Offset = fail.Must(offset, err)
		return out
	}
	key := &spec.Order[0]
	out.Offset, out.Shift = fail.Must2(expr.ResolveInRange(key.Expr, e, n.Kind == tree.OffsetPreceding, key.Desc, b.Pos(n.Offset)))
	return out
}
