package scope

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Windows are the window calls of one level. In the bound expressions a call stands as
// the column of its ID.
type Windows struct {
	Named []*NamedWindow
	List  []*logical.Window // without Input, in the order of their first calls
}

// NamedWindow is a definition of a WINDOW clause.
type NamedWindow struct {
	Def   *tree.NamedWindow
	Bound *WindowSpec
}

// WindowSpec is a bound window definition.
type WindowSpec struct {
	Partition []expr.Expr
	Order     []plan.SortKey
	Ordered   bool // ORDER BY is written, perhaps of nothing but constants
	Frame     *tree.Frame
	Pos       int
}

// The places around windows, as errors call them.
const (
	InWindowCall       = "window function calls"
	InWindowDefinition = "window definitions"
)

// Add gives the column for a call; equal calls are computed once, and those over one
// partitioning and order side by side.
func (w *Windows) Add(m *logical.Meta, spec *WindowSpec, call plan.WindowCall, pos int) expr.Expr {
	var in *logical.Window
	for _, x := range w.List {
		if expr.EqualLists(x.Partition, spec.Partition) && equalKeys(x.Order, spec.Order) {
			in = x
			break
		}
	}
	if in == nil {
		in = &logical.Window{Partition: spec.Partition, Order: spec.Order}
		w.List = append(w.List, in)
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

// In says that e holds one of the calls.
func (w *Windows) In(e expr.Expr) bool {
	found := false
	if len(w.List) == 0 {
		return false
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			for _, win := range w.List {
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

// Over puts the windows above a node.
func (w *Windows) Over(node logical.Node) logical.Node {
	for _, x := range w.List {
		x.Input = node
		node = x
	}
	return node
}
