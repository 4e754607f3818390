package bind

import (
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/bind/viewtarget"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Statements that write a view which selects columns of one table write that table, as
// PostgreSQL's automatically updatable views do.

// verb words what a statement does with a view.
type verb struct{ does, doing, event string }

var (
	inserts = verb{"insert into", "inserting into", "INSERT"}
	updates = verb{"update", "updating", "UPDATE"}
	deletes = verb{"delete from", "deleting from", "DELETE"}
)

// bindView makes a view the target: 55000 for one that cannot be written.
func (b *writer) bindView(v *catalog.View, does verb, pos int) *catalog.Table {
	var t *viewtarget.Target
	err := fail.Try(func() { t = viewtarget.Of(b.Binder, v, does == deletes) })
	var not *viewtarget.NotUpdatable
	if errors.As(err, &not) {
		panic(sqlerr.New(sqlerr.ObjectNotInPrerequisite, `cannot %s view "%s"`, does.does, not.View.Name).WithDetail("%s", not.Why).
			WithHint("To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule.", does.doing, does.event, does.event))
	}
	fail.If(catalog.Positioned(err, pos))
	b.view, b.does = t, does
	b.Uses(t.Table)
	return t.Table
}

// wants notes the right that writing the target needs; columns are places, nil for whole rows.
func (b writer) wants(t *catalog.Table, want acl.Right, columns []int) {
	switch {
	case b.view != nil:
		b.view.Wants(b.Binder, want, columns)
	case columns == nil:
		b.Right(t, want)
	default:
		b.WritesColumns(t, want, columns)
	}
}

// targetOf gives the target's columns, and what the statement may name of it: the same, but for
// a view.
func (b writer) targetOf(t *catalog.Table, alias string) (base, named *scope.Relation) {
	if b.view == nil {
		r := b.TableRelation(t, alias)
		return r, r
	}
	b.view.Reads()
	return b.view.Base, b.view.Relation(b.Binder, alias)
}

// viewColumn finds the table's column that a column of the target view is.
func (b writer) viewColumn(target *tree.Target) int {
	pos := b.Pos(target)
	if target.Type != nil || target.Family != "" {
		panic(sqlerr.Unsupported("assigning to anything but a whole column of a view is not supported", "Write to the table that the view reads.").At(pos))
	}
	i := slices.IndexFunc(b.view.Columns, func(c viewtarget.Column) bool { return c.Name == target.Name })
	if i < 0 {
		panic(sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, target.Name, b.view.View.Name).At(pos))
	}
	if c := &b.view.Columns[i]; c.Place < 0 {
		panic(b.computed(c))
	}
	return b.view.Columns[i].Place
}

// computed says that a column of a view cannot be written.
func (b writer) computed(c *viewtarget.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `cannot %s column "%s" of view "%s"`, b.does.does, c.Called, c.Of).
		WithDetail("View columns that are not columns of their base relation are not updatable.")
}

// viewColumns are the table's columns that an INSERT without a list gives values for: those of
// the target view, up to the first that is computed.
func (b writer) viewColumns() []int {
	var cols []int
	for i := range b.view.Columns {
		if b.view.Columns[i].Place < 0 {
			break
		}
		cols = append(cols, b.view.Columns[i].Place)
	}
	return cols
}

// viewChecks are the conditions of WITH CHECK OPTION.
func (b writer) viewChecks() (list []plan.CheckExpr) {
	if b.view == nil {
		return nil
	}
	b.view.Checked(func(view string, cond expr.Expr) {
		if logical.HoldsQuery(cond) {
			panic(sqlerr.Unsupported(`the CHECK OPTION of view "`+view+`", whose condition has a query, is not supported`, "Write to the table that the view reads."))
		}
		list = append(list, plan.CheckExpr{Name: view, Cond: scope.Positions(cond, b.view.Base), View: true})
	})
	return list
}

// Updatable says which columns of a view can be written; why not where none can.
func Updatable(ctx *query.Context, v *catalog.View) (columns []bool, why string, err error) {
	var t *viewtarget.Target
	err = fail.Try(func() { t = viewtarget.Of(newWriter(ctx, 0).Binder, v, false) })
	var not *viewtarget.NotUpdatable
	if errors.As(err, &not) {
		return nil, not.Why, nil
	}
	if err != nil {
		return nil, "", err
	}
	for i := range t.Columns {
		columns = append(columns, t.Columns[i].Place >= 0)
	}
	return columns, "", nil
}
