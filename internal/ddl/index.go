package ddl

import (
	"context"
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

// createIndex makes an index, in Phoenix's spelling or PostgreSQL's. All are made while
// others write, so that CONCURRENTLY says nothing; ASYNC, by which Phoenix leaves the
// filling to a job of its own, is told so.
func (r *Runner) createIndex(ctx context.Context, u *tree.CreateIndex) (catalog.Notices, error) {
	_, def, err := r.IndexDef(ctx, u)
	if err != nil {
		return nil, err
	}
	by := r.buildOptions()
	if u.Concurrently {
		by.Command += " CONCURRENTLY"
	}
	notices, err := r.Catalog.CreateIndex(ctx, def, by)
	if err == nil && u.Async {
		notices = append(notices, sqlerr.Notice(sqlerr.SuccessfulCompletion, "the index is filled already: ASYNC has nothing to leave for later"))
	}
	return notices, r.Host.StorageError(ctx, err)
}

// IndexDef gives the index that a statement would make, and its table.
func (r *Runner) IndexDef(ctx context.Context, u *tree.CreateIndex) (*catalog.Table, *catalog.IndexDef, error) {
	if err := refuseIndexClauses(u); err != nil {
		return nil, nil, err
	}
	t, _, err := r.tableNamed(ctx, u.Table)
	if err != nil {
		return nil, nil, at(err, u.Table.Pos)
	}
	options, err := indexOptions(u.Options)
	if err != nil {
		return nil, nil, err
	}
	def := &catalog.IndexDef{
		Name: u.Name, On: r.catalogName(u.Table), Table: t.ID, Unique: u.Unique,
		NullsNotDistinct: u.NullsNotDistinct, IfNotExists: u.IfNotExists, Options: options, Pos: u.Pos,
	}
	for i := range u.Include {
		if err := ofFamily(t, &u.Include[i]); err != nil {
			return nil, nil, err
		}
	}
	def.Include = namesOf(u.Include)
	if def.Parts, err = r.indexParts(t, u.Columns); err != nil {
		return nil, nil, err
	}
	if u.Where != nil {
		w, err := planner.BindIndexPredicate(r.Host.Planner(), u.Where, t)
		if err != nil {
			return nil, nil, err
		}
		def.Where, def.WhereColumns = w.Expr, w.Columns
	}
	return t, def, nil
}

// backfillRate is how many rows of a table that serves may be gone over in a second.
func (r *Runner) backfillRate() int {
	rate, _ := strconv.Atoi(r.Host.Setting("saltsql.backfill_rows_per_second"))
	return rate
}

func (r *Runner) buildOptions() live.BuildOptions {
	return live.BuildOptions{Command: "CREATE INDEX", Rate: r.backfillRate(), PID: r.Host.BackendPID()}
}

func refuseIndexClauses(u *tree.CreateIndex) error {
	switch {
	case u.Local:
		return unsupportedAt(u.Pos, "Create it without LOCAL: a global index reads fewer rows.", "CREATE LOCAL INDEX is not supported")
	case u.Uncovered:
		return unsupportedAt(u.Pos, "Create it without UNCOVERED: what it does not include is read from the table.", "CREATE UNCOVERED INDEX is not supported")
	case u.Only:
		return unsupportedAt(u.Pos, "Leave ONLY out: there are no partitions.", "CREATE INDEX ON ONLY is not supported")
	case u.Method != "" && u.Method != "btree":
		switch u.Method {
		case "hash", "gist", "gin", "brin", "spgist":
			return unsupportedAt(u.Pos, "Indexes are sorted by their columns: leave USING out.", "access method %q is not supported", u.Method)
		}
		return sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", u.Method)
	case len(u.SplitOn) > 0:
		return unsupportedAt(u.Pos, "The store splits tables by itself; SALT_BUCKETS spreads writes at once.", "SPLIT ON of an index is not supported")
	case u.Tablespace != "" && u.Tablespace != "pg_default":
		return unsupportedAt(u.Pos, "Leave TABLESPACE out.", "tablespaces are not supported")
	}
	return nil
}

// ofFamily refuses a column that is not of the family that is named with it.
func ofFamily(t *catalog.Table, k *tree.KeyCol) error {
	if k.Family == "" {
		return nil
	}
	for i := range t.Columns {
		if t.Columns[i].Name == k.Name && t.InFamily(i, k.Family) {
			return nil
		}
	}
	return sqlerr.New(sqlerr.UndefinedColumn, `column "%s.%s" does not exist`, k.Family, k.Name).At(k.Pos)
}

// namesOf are the names of columns.
func namesOf(cols []tree.KeyCol) []string {
	var names []string
	for i := range cols {
		names = append(names, cols[i].Name)
	}
	return names
}

// indexParts turns the columns and expressions of an index into the catalog's terms.
func (r *Runner) indexParts(t *catalog.Table, cols []tree.KeyCol) ([]catalog.IndexPartDef, error) {
	var parts []catalog.IndexPartDef
	for i := range cols {
		k := &cols[i]
		switch {
		case k.Collation.Name != "" && k.Collation.Name != "C" && k.Collation.Name != "POSIX" && k.Collation.Name != "default":
			return nil, unsupportedAt(k.Pos, `Text compares by bytes, collation "C", which is key order.`, "collation %q is not supported", k.Collation.Name)
		case k.RowTimestamp:
			return nil, unsupportedAt(k.Pos, "Cell timestamps are chosen by the server: leave ROW_TIMESTAMP out.", "ROW_TIMESTAMP is not supported")
		}
		if err := ofFamily(t, k); err != nil {
			return nil, err
		}
		p := catalog.IndexPartDef{Column: k.Name, Desc: k.Desc, NullsFirst: k.NullsFirst, NullsLast: k.NullsLast, OpClass: k.OpClass.Name, Pos: k.Pos}
		if k.Expr != nil {
			if c, ok := k.Expr.Node.(*tree.ColumnRef); ok && c.Table == "" {
				p.Column = c.Name
			} else {
				e, err := planner.BindIndexExpr(r.Host.Planner(), k.Expr, t)
				if err != nil {
					return nil, err
				}
				p.Name, p.Expr, p.Type, p.IDs, p.Call = k.Label, e.Expr, e.Type, e.Columns, e.Call
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// alterIndex is ALTER INDEX.
func (r *Runner) alterIndex(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	if len(u.Actions) == 1 && u.Actions[0].Kind == tree.RenameTable {
		return r.Catalog.RenameIndex(ctx, r.catalogName(u.Name), u.Actions[0].NewName, u.IfExists)
	}
	a := &u.Actions[0]
	return nil, unsupportedAt(a.Pos, "RENAME TO is what an index takes. DROP it and create it anew.", "ALTER INDEX ... %s is not supported", actionName(a))
}
