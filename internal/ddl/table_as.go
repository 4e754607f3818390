package ddl

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// CREATE TABLE AS and CREATE MATERIALIZED VIEW make a table of a query's columns and fill it with
// its rows: a table without a key, unless the option primary_key names one. The session plans the
// query and runs it; what fails leaves no table.

// CheckTableAs refuses what the two do not take, before the query is planned.
func CheckTableAs(u *tree.CreateTableAs, temporary bool) error {
	query, ok := u.Query.DML.(tree.Query)
	switch {
	case !u.Materialized && !ok:
		return sqlerr.Unsupported("CREATE TABLE AS EXECUTE is not supported", "Write the query itself.").At(u.Name.Pos)
	case !u.Materialized && u.Query.NumParams > 0:
		return sqlerr.Unsupported("parameters in CREATE TABLE AS are not supported", "Write their values, or CREATE TABLE first and INSERT INTO … SELECT.").At(u.Name.Pos)
	case !u.Materialized:
		return nil
	case u.Unlogged:
		return sqlerr.New(sqlerr.FeatureNotSupported, "materialized views cannot be unlogged")
	case u.Query.NumParams > 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "materialized views may not be defined using bound parameters").WithHint("Write their values.")
	case ok && writesInWith(query):
		return sqlerr.New(sqlerr.FeatureNotSupported, "materialized views must not use data-modifying statements in WITH")
	case temporary:
		return sqlerr.Unsupported("temporary materialized views are not supported", "CREATE TEMPORARY TABLE … AS has the rows for the session.").At(u.Name.Pos)
	}
	return nil
}

// writesInWith says that a WITH of a query has INSERT, UPDATE or DELETE.
func writesInWith(q tree.Query) bool {
	with := q.Outer().With
	return with != nil && slices.ContainsFunc(with.CTEs, func(c tree.CTE) bool { return c.Writes != nil })
}

// TableOfQuery is the CREATE TABLE of a query's columns, and where u makes a materialized view
// what that is of; else nil.
func (r *Runner) TableOfQuery(u *tree.CreateTableAs, cols []plan.Column) (*tree.CreateTable, *catalog.Materialized, error) {
	if len(u.Columns) > len(cols) {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "too many column names were specified")
	}
	def := &tree.CreateTable{
		Name: u.Name, Temp: u.Temp, Unlogged: u.Unlogged, Options: u.Options, OnCommit: u.OnCommit,
		Tablespace: u.Tablespace, Using: u.Using,
	}
	for i, c := range cols {
		name := c.Name
		if i < len(u.Columns) {
			name = u.Columns[i]
		}
		switch {
		case c.Type.Kind == types.Record && c.Type.Shape().Table():
			return nil, nil, sqlerr.Unsupported("a column of a table's row type is not supported", "Select its fields, or to_jsonb of the row.").At(u.Name.Pos)
		case c.Type.Kind == types.Record:
			return nil, nil, sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has pseudo-type %s`, name, c.Type)
		}
		t, err := dialect.ParseTypeName(c.Type.Spelled())
		if err != nil {
			return nil, nil, err
		}
		t.Pos = u.Name.Pos
		def.Columns = append(def.Columns, tree.ColumnDef{Name: name, Type: t, Pos: u.Name.Pos})
	}
	if !u.Materialized {
		return def, nil, nil
	}
	of, err := r.bindMaterialized(u)
	return def, of, err
}

// CreateOfQuery makes what TableOfQuery gives, without rows; no table where IF NOT EXISTS finds
// its name taken.
func (r *Runner) CreateOfQuery(ctx context.Context, u *tree.CreateTable, of *catalog.Materialized) (*catalog.Table, catalog.Notices, error) {
	return r.createStored(ctx, u, of)
}

// PlanRows plans that a query's rows are written into its new table.
func (r *Runner) PlanRows(t *catalog.Table, st *tree.Statement) (*plan.Plan, error) {
	insert := *st
	insert.DML = &tree.Insert{Table: tree.TableRef{Schema: t.Schema, Name: t.Name}, Query: st.DML.(tree.Query)}
	return planner.Plan(r.Host.Planner(), &insert)
}

// dropWithin is how long a table that could not be filled may take to be dropped.
const dropWithin = 10 * time.Second

// DropUnfilled drops a table or a materialized view that could not be filled.
func (r *Runner) DropUnfilled(ctx context.Context, t *catalog.Table) error {
	drop, cancel := versions.Detached(catalog.AsProgram(ctx), dropWithin)
	defer cancel()
	names := []catalog.Name{{Schema: t.Schema, Name: t.Name}}
	if t.Materialized != nil {
		_, err := r.Catalog.DropMaterialized(drop, names, true, false)
		return err
	}
	_, err := r.Catalog.DropTable(drop, names, true, false)
	return err
}
