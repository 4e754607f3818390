package session

import (
	"context"
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// checkTable is CHECK TABLE: a row for the table, whose rows must stand under their salt,
// and one for each of its indexes, with what is not as it should be. What is left of that
// is told by a WARNING: XX001 for rows, XX002 for entries of indexes.
func (s *Session) checkTable(ctx context.Context, u *tree.CheckTable) ([][]string, error) {
	t, err := s.snapshot().ResolveTable(s.searchPath(), u.Table.Schema, u.Table.Name)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			return nil, e.At(u.Table.Pos)
		}
		return nil, err
	}
	i, owner := s.identity(), uint32(0)
	if owner, _ = catalog.OwnedBy(t); !i.Of.HasPrivsOf(i.Current.ID, owner) {
		return nil, catalog.NotOwner("table", t.Name)
	}
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	var out [][]string
	if u.Salt {
		var rows, wrong int64
		err := s.asStored(ctx, t, func(t *catalog.Table) (err error) {
			rows, wrong, err = write.CheckSalt(ctx, s.txns(), t)
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, []string{t.Name, num(rows), "0", num(wrong), "0", "0", ""})
		if wrong > 0 {
			s.notice(warning(sqlerr.DataCorrupted, "%d rows of table %q stand under a wrong salt", wrong, t.Name))
		}
	}
	if !u.Index {
		return out, nil
	}
	if u.Repair && s.wroteTable(t) != nil {
		return nil, sqlerr.New(sqlerr.ActiveSQLTransaction, `CHECK TABLE with REPAIR cannot run inside a transaction block that has written table "%s"`, t.Name).
			WithHint("COMMIT first: entries are compared with rows that are committed.")
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		if !ix.Readable() {
			continue
		}
		r, err := s.checkIndex(ctx, t, ix, u.Repair && !s.tx.readOnly(s))
		if err != nil {
			return nil, err
		}
		if r == nil { // it was dropped meanwhile
			continue
		}
		out = append(out, []string{ix.Name, num(r.Rows), num(r.Missing), num(r.Wrong), num(r.Stale), num(r.Repaired), r.Sample})
		if left := r.Faults() - r.Repaired; left > 0 {
			s.notice(warning(sqlerr.IndexCorrupted, "%d entries of index %q are missing, wrong or stale", left, ix.Name).
				WithHint("CHECK TABLE %s INDEX REPAIR writes them anew.", t.Name))
		}
	}
	return out, nil
}

// checkIndex compares an index with its table; nil where it is not there, or not made yet.
func (s *Session) checkIndex(ctx context.Context, t *catalog.Table, ix *catalog.Index, repair bool) (r *write.IndexReport, err error) {
	env, id := s.env(nil), ix.ID
	env.Ctx = ctx
	err = s.asStored(ctx, t, func(t *catalog.Table) (err error) {
		r = nil
		if ix := t.IndexByID(id); ix != nil && ix.Readable() {
			r, err = write.CheckIndex(ctx, s.txns(), env, t, ix, repair, s.entering)
		}
		return err
	})
	return r, err
}

// asStored does work on a table as it is now, again where its rows were put into another
// storage meanwhile. What it reads stays until it ends.
func (s *Session) asStored(ctx context.Context, t *catalog.Table, work func(t *catalog.Table) error) error {
	for {
		snap := s.db.catalog.BeginRead()
		if now := snap.TableByID(t.ID); now != nil { // nil of a temporary one
			t = now
		}
		err := work(t)
		s.db.catalog.EndRead(snap.Version())
		now := s.db.catalog.Snapshot().TableByID(t.ID)
		if now == nil || now.Physical == t.Physical {
			return op.MapError(ctx, err, []*catalog.Table{t})
		}
	}
}
