package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

// bindMaterialized binds the query of a materialized view as it is kept: 0A000 where it reads a
// temporary table.
func (r *Runner) bindMaterialized(u *tree.CreateTableAs) (*catalog.Materialized, error) {
	def, err := planner.BindView(r.Host.Planner(), u.Query, u.Columns, u.Name.Pos)
	if err != nil {
		return nil, err
	}
	if ReadsTemporary(def) {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "materialized views must not use temporary tables or views").
			WithHint("CREATE TEMPORARY TABLE … AS has the rows for the session.")
	}
	return &catalog.Materialized{Query: def.Query, DependsOn: def.DependsOn, Uses: def.Uses}, nil
}

func (r *Runner) refresh(ctx context.Context, u *tree.Refresh) error {
	_, err := r.Refresh(ctx, u)
	return err
}

// Refresh is REFRESH MATERIALIZED VIEW, and gives the number of rows.
func (r *Runner) Refresh(ctx context.Context, u *tree.Refresh) (rows int64, err error) {
	by := live.RefreshOptions{Concurrently: u.Concurrently, NoData: u.NoData, PID: r.Host.BackendPID()}
	var filled *catalog.Table
	err = r.Catalog.RefreshMaterialized(ctx, r.catalogName(u.Name), by, func(ctx context.Context, to *catalog.Table) (err error) {
		filled = to
		rows, err = r.Host.FillView(ctx, to)
		if !u.Concurrently {
			err = keyFault(err, to)
		}
		return err
	})
	if filled != nil {
		r.Host.Truncated([]*catalog.Table{filled}) // what was measured were other rows
	}
	return rows, r.Host.StorageError(ctx, err)
}

// alterMaterialized carries out ALTER MATERIALIZED VIEW, and ALTER TABLE of one.
func (r *Runner) alterMaterialized(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	var actions []live.AlterAction
	for i := range u.Actions {
		a := &u.Actions[i]
		switch a.Kind {
		case tree.RenameTable, tree.RenameColumn, tree.SetSchema:
		case tree.SetOptions, tree.ResetOptions:
			if live.OfSalt(optionDefs(a.Options)) || a.Forward != nil {
				return nil, unsupportedAt(a.Pos, "DROP it and create it anew with the salt you want.", "changing the salt of a materialized view is not supported")
			}
		default:
			if word := actionWords[a.Kind]; word != "" {
				return nil, sqlerr.New(sqlerr.WrongObjectType, `ALTER action %s cannot be performed on relation "%s"`, word, u.Name.Name).
					WithDetail("This operation is not supported for materialized views.")
			}
			return nil, unsupportedAt(a.Pos, "DROP it and create it anew.", "ALTER MATERIALIZED VIEW ... %s is not supported", actionName(a))
		}
		list, err := r.alterActions(ctx, u, a)
		if err != nil {
			return nil, err
		}
		actions = append(actions, list...)
	}
	return r.Catalog.AlterMaterialized(ctx, r.catalogName(u.Name), u.IfExists, actions)
}

// actionWords are how PostgreSQL calls the actions that a materialized view does not take.
var actionWords = map[tree.AlterKind]string{
	tree.AddColumn: "ADD COLUMN", tree.DropColumn: "DROP COLUMN", tree.AlterType: "ALTER COLUMN ... SET DATA TYPE",
	tree.SetDefault: "ALTER COLUMN ... SET DEFAULT", tree.DropDefault: "ALTER COLUMN ... DROP DEFAULT",
	tree.SetNotNull: "ALTER COLUMN ... SET NOT NULL", tree.DropNotNull: "ALTER COLUMN ... DROP NOT NULL",
	tree.AddConstraint: "ADD CONSTRAINT", tree.DropConstraint: "DROP CONSTRAINT", tree.ValidateConstraint: "VALIDATE CONSTRAINT",
	tree.AddIdentity: "ALTER COLUMN ... ADD IDENTITY", tree.SetIdentity: "ALTER COLUMN ... SET", tree.DropIdentity: "ALTER COLUMN ... DROP IDENTITY",
	tree.DropExpression: "ALTER COLUMN ... DROP EXPRESSION",
}
