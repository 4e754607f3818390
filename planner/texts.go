package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/bind/viewtext"
	"github.com/saltsql/saltsql/planner/plan"
)

// What DDL wants of the binder.

// ScopeColumn is a column that a CHECK may name.
type ScopeColumn = bind.ScopeColumn

// TableScope gives a table's columns.
func TableScope(t *catalog.Table) []ScopeColumn { return bind.TableScope(t) }

// BindDefault binds a column's DEFAULT: see bind.Default.
func BindDefault(ctx *Context, e *tree.SourceExpr, column string, t types.T) (catalog.ColumnDefault, error) {
	return bind.Default(ctx.forBind(), e, column, t)
}

// FixedDefault gives the one value of a column's DEFAULT: see bind.FixedDefault.
func FixedDefault(ctx *Context, e *tree.SourceExpr, column string, t types.T) (types.Datum, error) {
	return bind.FixedDefault(ctx.forBind(), e, column, t)
}

// SettledDefault gives the value that rows have of the DEFAULT of a column that is added to
// them; false where each would have its own: see bind.SettledDefault.
func SettledDefault(ctx *Context, e *tree.SourceExpr, column string, t types.T) (types.Datum, bool, error) {
	return bind.SettledDefault(ctx.forBind(), e, column, t)
}

// BindCheck binds a CHECK: see bind.Check.
func BindCheck(ctx *Context, e *tree.SourceExpr, table string, cols []ScopeColumn) (expr.Stored, []int, error) {
	return bind.Check(ctx.forBind(), e, table, cols)
}

// BindDomainCheck binds a CHECK of a domain: see bind.DomainCheck.
func BindDomainCheck(ctx *Context, e *tree.SourceExpr, base types.T) (expr.Stored, error) {
	return bind.DomainCheck(ctx.forBind(), e, base)
}

// BindGenerated binds what a generated column is computed by: see bind.Generated.
func BindGenerated(ctx *Context, e *tree.SourceExpr, table, column string, t types.T, cols []ScopeColumn) (expr.Stored, []int, error) {
	return bind.Generated(ctx.forBind(), e, table, column, t, cols)
}

// IndexExpr is a bound part of an index.
type IndexExpr = bind.IndexExpr

// BindIndexExpr binds an expression of an index over a table's columns: see bind.Indexed.
func BindIndexExpr(ctx *Context, e *tree.SourceExpr, t *catalog.Table) (IndexExpr, error) {
	return bind.Indexed(ctx.forBind(), e, t)
}

// BindIndexPredicate binds an index's WHERE over a table's columns: see bind.IndexPredicate.
func BindIndexPredicate(ctx *Context, e *tree.SourceExpr, t *catalog.Table) (IndexExpr, error) {
	return bind.IndexPredicate(ctx.forBind(), e, t)
}

// BindView binds the query of a view: see bind.View.
func BindView(ctx *Context, q *tree.Statement, names []string, pos int) (*catalog.ViewDef, error) {
	return viewtext.View(ctx.forBind(), q, names, pos)
}

// Updatable says which columns of a view can be written: see bind.Updatable.
func Updatable(ctx *Context, v *catalog.View) (columns []bool, why string, err error) {
	return bind.Updatable(ctx.forBind(), v)
}

// TypeOf finds a type by its name as written, those of users among them: 42704.
func TypeOf(ctx *Context, n *tree.TypeName) (types.T, error) { return ctx.forBind().TypeOf(n) }

// EvalConstant computes an expression without columns as a value of type t.
func EvalConstant(ctx *Context, e *tree.SourceExpr, t types.T) (types.Datum, error) {
	return bind.Constant(ctx.forBind(), e, t)
}

// PlanCopy plans the copying of all rows from one table into another: see bind.Copy.
func PlanCopy(ctx *Context, from, to *catalog.Table, using map[string]*tree.SourceExpr) (*plan.Plan, error) {
	bound, err := bind.Copy(ctx.forBind(), from, to, using)
	return finish(ctx, bound, err)
}

// PlanFill plans the filling of a materialized view's new rows, for what its owner may read: see
// bind.Fill.
func PlanFill(ctx *Context, to *catalog.Table) (*plan.Plan, error) {
	bound, err := bind.Fill(ctx.forBind(), to)
	return finish(ctx, bound, err)
}

// PlanDomainViolations plans the search for a row of t whose value in a column, by its ID, violates
// a constraint of its domain: see bind.DomainViolations.
func PlanDomainViolations(ctx *Context, t *catalog.Table, column int, of *types.Domain, check *types.DomainCheck) (*plan.Plan, error) {
	bound, err := bind.DomainViolations(ctx.forBind(), t, column, of, check)
	return finish(ctx, bound, err)
}

// PlanViolations plans the search for a row of t that violates a CHECK: it gives one, or none.
func PlanViolations(ctx *Context, t *catalog.Table, c *catalog.Check) (*plan.Plan, error) {
	bound, err := bind.Violations(ctx.forBind(), t, c)
	return finish(ctx, bound, err)
}
