package maintenance

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Vacuum is VACUUM: the tables and their indexes are merged where the store gains by that, and
// with ANALYZE what is known of them is found out anew. 25001 within a transaction.
func (run *Runner) Vacuum(ctx context.Context, u *tree.Vacuum) error {
	m, err := maintenanceOptions("VACUUM", u.Options)
	if err != nil {
		return err
	}
	if !m.analyze && slices.ContainsFunc(u.Columns, func(cols []string) bool { return len(cols) > 0 }) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "ANALYZE option must be specified when a column list is provided")
	}
	if run.Host.InTransaction() {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "VACUUM cannot run inside a transaction block")
	}
	list, err := run.maintained("vacuum", u.Tables, u.Columns)
	if err != nil {
		return err
	}
	if run.Store.Caps().Compacts {
		for _, of := range list {
			if err := run.compact(ctx, of.table, m.verbose); err != nil {
				return op.MapError(ctx, err, []*catalog.Table{of.table})
			}
		}
	} else if !m.analyze {
		run.Host.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "VACUUM has nothing to do here: the store keeps itself in order"))
	}
	if !m.analyze {
		return nil
	}
	return run.analyzeAll(ctx, list, m.verbose)
}

// compact merges the storage tables of a table's rows and of its indexes.
func (run *Runner) compact(ctx context.Context, t *catalog.Table, verbose bool) error {
	if verbose {
		run.info(`vacuuming "%s.%s.%s"`, run.Host.Database(), t.Schema, t.Name)
	}
	names := []string{t.Physical}
	for i := range t.Indexes {
		names = append(names, t.Indexes[i].Physical)
	}
	for _, name := range names {
		// What was dropped, or put elsewhere, since the statement began needs no merging.
		if err := run.Store.Compact(ctx, name); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
			return err
		}
	}
	return nil
}
