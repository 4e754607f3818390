package walk

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// MapExprs copies a node with fn applied to each of its expressions, those of the scan that it
// gathers or merges among them; n itself where none changed.
func MapExprs(n plan.Node, fn func(expr.Expr) expr.Expr) plan.Node {
	return Mapped(new(plan.Exprs), n, fn)
}

// Mapped is MapExprs for those that map many nodes: it lists their expressions in x.
func Mapped(x *plan.Exprs, n plan.Node, fn func(expr.Expr) expr.Expr) plan.Node {
	if s, ok := ScanUnder(n); ok && n != plan.Node(s) {
		if c := Mapped(x, s, fn); c != plan.Node(s) {
			return WithScan(n, c.(*plan.Scan))
		}
		return n
	}
	return plan.MapExprs(x, n, copied, fn)
}

// VisitExprs calls fn for each of the expressions that MapExprs would map.
func VisitExprs(n plan.Node, fn func(expr.Expr)) {
	if s, ok := ScanUnder(n); ok {
		n = s
	}
	plan.VisitExprs(n, fn)
}

// copied copies a node that has expressions.
func copied(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Scan:
		return with(n, func(*plan.Scan) {})
	case *plan.Values:
		return with(n, func(*plan.Values) {})
	case *plan.VirtualScan:
		return with(n, func(*plan.VirtualScan) {})
	case *plan.TableFunc:
		return with(n, func(*plan.TableFunc) {})
	}
	return WithInputs(n, n.Inputs())
}
