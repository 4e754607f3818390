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
	if owner, _ = catalog.OwnedBy(t); !i.of.HasPrivsOf(i.current.id, owner) {
		return nil, catalog.NotOwner("table", t.Name)
	}
	failed := func(err error) error { return op.MapError(ctx, err, []*catalog.Table{t}) }
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	var out [][]string
	if u.Salt {
		rows, wrong, err := write.CheckSalt(ctx, s.txns(), t)
		if err != nil {
			return nil, failed(err)
		}
		out = append(out, []string{t.Name, num(rows), "0", num(wrong), "0", "0", ""})
		if wrong > 0 {
			s.notice(warning(sqlerr.DataCorrupted, "%d rows of table %q stand under a wrong salt", wrong, t.Name))
		}
	}
	if !u.Index {
		return out, nil
	}
	env := s.env(nil)
	env.Ctx = ctx
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		if !ix.Readable() {
			continue
		}
		r, err := write.CheckIndex(ctx, s.txns(), env, t, ix, u.Repair && !s.tx.readOnly(s))
		if err != nil {
			return nil, failed(err)
		}
		out = append(out, []string{ix.Name, num(r.Rows), num(r.Missing), num(r.Wrong), num(r.Stale), num(r.Repaired), r.Sample})
		if left := r.Faults() - r.Repaired; left > 0 {
			s.notice(warning(sqlerr.IndexCorrupted, "%d entries of index %q are missing, wrong or stale", left, ix.Name).
				WithHint("CHECK TABLE %s INDEX REPAIR writes them anew.", t.Name))
		}
	}
	return out, nil
}
