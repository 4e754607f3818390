package maintenance

import (
	"context"
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CheckTable is CHECK TABLE: a row for the table, whose rows must stand under their salt,
// and one for each of its indexes, with what is not as it should be. What is left of that
// is told by a WARNING: XX001 for rows, XX002 for entries of indexes.
func (run *Runner) CheckTable(ctx context.Context, u *tree.CheckTable) ([][]string, error) {
	t, err := run.Host.Snapshot().ResolveTable(run.Host.SearchPath(), u.Table.Schema, u.Table.Name)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			return nil, e.At(u.Table.Pos)
		}
		return nil, err
	}
	i, owner := run.Host.Identity(), uint32(0)
	if owner, _ = catalog.OwnedBy(t); !i.Of.HasPrivsOf(i.Current.ID, owner) {
		return nil, catalog.NotOwner("table", t.Name)
	}
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	var out [][]string
	if u.Salt {
		var rows, wrong int64
		err := run.asStored(ctx, t, func(t *catalog.Table) (err error) {
			rows, wrong, err = write.CheckSalt(ctx, run.Host.Txns().For(t.Distributed()), t)
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, []string{t.Name, num(rows), "0", num(wrong), "0", "0", "0", ""})
		if wrong > 0 {
			run.Host.Notice(sqlerr.Warn(sqlerr.DataCorrupted, "%d rows of table %q stand under a wrong salt", wrong, t.Name))
		}
	}
	if !u.Index {
		return out, nil
	}
	if u.Repair && run.Host.Wrote(t) {
		return nil, sqlerr.New(sqlerr.ActiveSQLTransaction, `CHECK TABLE with REPAIR cannot run inside a transaction block that has written table "%s"`, t.Name).
			WithHint("COMMIT first: entries are compared with rows that are committed.")
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		if !ix.Readable() {
			continue
		}
		r, err := run.checkIndex(ctx, t, ix, u.Repair && !run.Host.ReadOnly())
		if err != nil {
			return nil, err
		}
		if r == nil { // it was dropped meanwhile
			continue
		}
		out = append(out, []string{ix.Name, num(r.Rows), num(r.Missing), num(r.Wrong), num(r.Stale), num(r.Duplicates), num(r.Repaired), r.Sample})
		if left := r.Faults() - r.Repaired; left > 0 {
			run.Host.Notice(sqlerr.Warn(sqlerr.IndexCorrupted, "%d entries of index %q are missing, wrong or stale", left, ix.Name).
				WithHint("CHECK TABLE %s INDEX REPAIR writes them anew.", t.Name))
		}
		if r.Duplicates > 0 {
			run.Host.Notice(sqlerr.Warn(sqlerr.IndexCorrupted, "%d rows have values that another row has in unique index %q", r.Duplicates, ix.Name).
				WithDetail("%s", r.Duplicate).
				WithHint("Look for them with /*+ NO_INDEX(%s %s) */, and DELETE or UPDATE all but one.", t.Name, ix.Name))
		}
	}
	return out, nil
}

// checkIndex compares an index with its table; nil where it is not there, or not made yet.
func (run *Runner) checkIndex(ctx context.Context, t *catalog.Table, ix *catalog.Index, repair bool) (r *write.IndexReport, err error) {
	env, id := run.Host.Env(), ix.ID
	env.Ctx = ctx
	err = run.asStored(ctx, t, func(t *catalog.Table) (err error) {
		r = nil
		if ix := t.IndexByID(id); ix != nil && ix.Readable() {
			r, err = write.CheckIndex(ctx, run.Host.Txns().For(t.Distributed()), env, t, ix, repair, run.Host.Enter)
		}
		return err
	})
	return r, err
}

// asStored does work on a table as it is now, again where its rows were put into another
// storage meanwhile. What it reads stays until it ends.
func (run *Runner) asStored(ctx context.Context, t *catalog.Table, work func(t *catalog.Table) error) error {
	for {
		snap := run.Catalog.BeginRead()
		if now := snap.TableByID(t.ID); now != nil { // nil of a temporary one
			t = now
		}
		err := work(t)
		run.Catalog.EndRead(snap.Version())
		now := run.Catalog.Snapshot().TableByID(t.ID)
		if now == nil || now.Physical == t.Physical {
			return op.MapError(ctx, err, []*catalog.Table{t})
		}
	}
}
