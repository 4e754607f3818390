package ddl

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

func (r *Runner) createView(ctx context.Context, u *tree.CreateView) (catalog.Notices, error) {
	def, err := r.ViewOf(ctx, u)
	if err != nil {
		return nil, err
	}
	_, notices, err := r.CreateViewOf(ctx, u, def)
	return notices, err
}

// CreateViewOf keeps what ViewOf has made of the statement.
func (r *Runner) CreateViewOf(ctx context.Context, u *tree.CreateView, def *catalog.ViewDef) (*catalog.View, catalog.Notices, error) {
	if r.Temp != "" {
		def.Name.Schema = r.Temp
	}
	return r.Catalog.CreateView(ctx, def, u.IfNotExists)
}

// ReadsTemporary says that a query names temporary relations.
func ReadsTemporary(def *catalog.ViewDef) bool {
	return slices.ContainsFunc(def.DependsOn, catalog.TemporaryID)
}

// ViewOf binds a view's query, so that what is kept of it means the same under all settings.
func (r *Runner) ViewOf(ctx context.Context, u *tree.CreateView) (*catalog.ViewDef, error) {
	pos := u.Name.Pos
	if u.ColumnDefs != nil || u.Query == nil {
		return nil, unsupportedAt(pos, "Add the columns to the table with ALTER TABLE … ADD, and write CREATE VIEW v AS SELECT ….", "Phoenix's views with columns of their own are not supported")
	}
	q := u.Query
	if u.Recursive {
		q = recursiveQuery(u)
	}
	check := u.CheckOption
	for _, o := range u.Options {
		switch {
		case o.Name == "check_option" && (o.Value == "local" || o.Value == "cascaded"):
			check = o.Value
		case o.Name == "security_barrier" && o.Value == "false", o.Name == "security_invoker" && o.Value == "false":
		default:
			return nil, unsupportedAt(o.Pos, "Leave the option out.", "the option %q of a view is not supported", o.Name)
		}
	}
	var def *catalog.ViewDef
	err := r.Host.Lookup(ctx, func() (version uint64, err error) {
		if def, err = planner.BindView(r.Host.Planner(), q, u.Columns, pos); err == nil && check != "" {
			err = r.checkable(def, u.Name.Name)
		}
		return r.Catalog.Snapshot().Version(), err
	})
	if err != nil {
		return nil, err
	}
	def.Name, def.OrReplace, def.Check = r.catalogName(u.Name), u.OrReplace, check
	return def, nil
}

// recursiveQuery is the query of CREATE RECURSIVE VIEW: WITH RECURSIVE name (columns) AS (query)
// SELECT columns FROM name.
func recursiveQuery(u *tree.CreateView) *tree.Statement {
	query, ok := u.Query.DML.(tree.Query)
	if !ok {
		return u.Query // which is refused for what it writes
	}
	pos := tree.Pos(u.Name.Pos)
	from := &tree.TableRef{Pos: pos, Name: u.Name.Name}
	outer := &tree.Select{From: []tree.From{from}}
	outer.With = &tree.With{Recursive: true, CTEs: []tree.CTE{{Pos: pos, Name: u.Name.Name, Columns: u.Columns, Query: query}}}
	for _, c := range u.Columns {
		outer.Items = append(outer.Items, tree.Item{Pos: pos, Expr: &tree.ColumnRef{Pos: pos, Name: c}, Name: c})
	}
	st := *u.Query
	st.DML = outer
	return &st
}

// checkable refuses WITH CHECK OPTION of a view that nobody can write: 0A000.
func (r *Runner) checkable(def *catalog.ViewDef, name string) error {
	v := &catalog.View{Name: name, Query: def.Query, Columns: def.Columns}
	_, why, err := planner.Updatable(r.Host.Planner(), v)
	if err == nil && why != "" {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "WITH CHECK OPTION is supported only on automatically updatable views").WithHint("%s", why)
	}
	return err
}

// alterView carries out the actions of ALTER VIEW.
func (r *Runner) alterView(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	if len(u.Actions) != 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "ALTER VIEW takes one action").At(u.Name.Pos)
	}
	a := &u.Actions[0]
	switch a.Kind {
	case tree.RenameTable:
		return r.Catalog.RenameRelation(ctx, "view", r.catalogName(u.Name), u.IfExists, a.NewName)
	case tree.RenameColumn:
		return r.Catalog.RenameViewColumn(ctx, r.catalogName(u.Name), u.IfExists, a.Column, a.NewName)
	case tree.SetSchema:
		return r.Catalog.MoveRelation(ctx, "view", r.catalogName(u.Name), u.IfExists, a.NewName, a.Pos)
	}
	return nil, unsupportedAt(a.Pos, "Use CREATE OR REPLACE VIEW.", "ALTER VIEW ... %s is not supported", actionName(a))
}
