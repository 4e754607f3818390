package viewtext

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// window prints call i of w: OVER a window's name, or its definition.
func (p *viewPrinter) window(w *logical.Window, i int, l *printedLevel) string {
	c := &w.Calls[i]
	text := ""
	if c.Agg != nil {
		text = p.agg(&plan.AggCall{Agg: c.Agg, Args: c.Args, Filter: c.Filter}, l)
	} else {
		text = c.Func.Name + "(" + p.list(c.Args, l, ", ") + ")"
	}
	over := p.Over[w.Cols[i]]
	switch {
	case over == nil:
		p.fail(notKept(nil))
		return ""
	case over.Bare:
		return text + " OVER " + ident.Quote(over.Ref)
	}
	spec := p.windowSpec(over, w.Partition, w.Order, &c.Frame, l)
	for i := range l.named { // one that is defined alike is the same
		if p.definition(&l.named[i], l) == spec {
			return text + " OVER " + ident.Quote(l.named[i].Name)
		}
	}
	return text + " OVER " + spec
}

// windows prints the WINDOW clause.
func (p *viewPrinter) windows(l *printedLevel) {
	for i := range l.named {
		if i == 0 {
			p.clause(" WINDOW ", 1)
		} else {
			p.w(", ")
		}
		p.w(ident.Quote(l.named[i].Name) + " AS " + p.definition(&l.named[i], l))
	}
}

func (p *viewPrinter) definition(def *tree.NamedWindow, l *printedLevel) string {
	w, ok := p.Windows[def]
	if !ok {
		p.fail(notKept(nil))
	}
	return p.windowSpec(&def.Window, w.Partition, w.Order, &w.Frame, l)
}

// windowSpec prints a window's definition. What it has of the window that it names is not said
// again.
func (p *viewPrinter) windowSpec(w *tree.Window, partition []expr.Expr, order []plan.SortKey, frame *plan.Frame, l *printedLevel) string {
	var parts []string
	if w.Ref != "" {
		parts = append(parts, ident.Quote(w.Ref))
	}
	if len(w.PartitionBy) > 0 {
		keys := make([]plan.SortKey, len(partition))
		for i, e := range partition {
			keys[i].Expr = e
		}
		parts = append(parts, joined("PARTITION BY ", p.keys(keys, l, nil)))
	}
	if len(w.OrderBy) > 0 {
		parts = append(parts, joined("ORDER BY ", p.keys(order, l, nil)))
	}
	if w.Frame != nil {
		parts = append(parts, p.frame(frame, w.Frame.Between, l))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// frame prints a frame; between says that both its bounds were written.
func (p *viewPrinter) frame(f *plan.Frame, between bool, l *printedLevel) string {
	bound := func(b *plan.Bound) string {
		switch b.Kind {
		case plan.UnboundedPreceding:
			return "UNBOUNDED PRECEDING"
		case plan.OffsetPreceding:
			return p.offset(b, f.Mode, l) + " PRECEDING"
		case plan.OffsetFollowing:
			return p.offset(b, f.Mode, l) + " FOLLOWING"
		case plan.UnboundedFollowing:
			return "UNBOUNDED FOLLOWING"
		}
		return "CURRENT ROW"
	}
	text := [...]string{plan.FrameRows: "ROWS ", plan.FrameRange: "RANGE ", plan.FrameGroups: "GROUPS "}[f.Mode]
	if between {
		text += "BETWEEN " + bound(&f.Start) + " AND " + bound(&f.End)
	} else {
		text += bound(&f.Start)
	}
	return text + [...]string{plan.ExcludeNoOthers: "", plan.ExcludeCurrentRow: " EXCLUDE CURRENT ROW", plan.ExcludeGroup: " EXCLUDE GROUP", plan.ExcludeTies: " EXCLUDE TIES"}[f.Exclude]
}

// offset prints how far a bound is off: a number of rows needs no type.
func (p *viewPrinter) offset(b *plan.Bound, mode plan.FrameMode, l *printedLevel) string {
	if mode == plan.FrameRange {
		return p.expr(b.Offset, l)
	}
	return p.number(b.Offset, l)
}
