package session

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// beginRead notes that the statement reads by the catalog of now, until endRead: the storage
// of its tables is not removed before. One that was planned for storage that a table has no
// more is planned anew; where Reshape allows it, its columns and parameters follow.
func (q *query) beginRead(ctx context.Context) error {
	for {
		snap := q.s.db.catalog.BeginRead()
		q.read = snap.Version()
		if q.read == q.st.key.Catalog || !q.s.storedElsewhere(snap, q.st.plan) {
			return nil
		}
		q.endRead()
		if err := q.s.refresh(ctx, q.st); err != nil {
			return err
		}
		if err := q.s.mayRun(q.st); err != nil { // a name may mean another table
			return err
		}
		if !q.st.reshapes {
			continue
		}
		if q.portal == nil {
			continue
		}
		q.portal.cols = q.st.cols
		if args := q.portal.args; args != nil {
			params, err := q.s.datums(nil, args, q.st.params)
			if err != nil {
				return err
			}
			q.params = params
		}
	}
}

// late takes the view of the store that a statement over several tables reads by, and says
// that a table has had its storage replaced between beginRead and then.
func (q *query) late(ctx context.Context) (bool, error) {
	if !q.st.plan.ReadOnly || len(q.st.plan.Tables) < 2 {
		return false, nil
	}
	if _, err := q.cx.Snapshot(); err != nil {
		return false, q.s.db.storageError(ctx, err)
	}
	snap := q.s.db.catalog.Snapshot()
	return snap.Version() != q.read && q.s.storedElsewhere(snap, q.st.plan), nil
}

func (q *query) endRead() {
	if q.read != 0 {
		q.s.db.catalog.EndRead(q.read)
		q.read = 0
	}
}

// storedElsewhere says that a table of a plan, or an index of it, is gone or has other storage by
// now. Those that no other session knows of are not others' to change.
func (s *Session) storedElsewhere(snap *catalog.Snapshot, p *plan.Plan) bool {
	return slices.ContainsFunc(p.Tables, func(t *catalog.Table) bool {
		if s.view.Mine(t) {
			return false
		}
		now := snap.TableByID(t.ID)
		return now == nil || now.Physical != t.Physical || slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool {
			is := now.IndexByID(ix.ID)
			return is == nil || is.Physical != ix.Physical
		})
	})
}

// stillStored refuses a statement of a transaction over a table that has had its storage
// replaced since the transaction began, where the old one matters to it: it is in the
// transaction's snapshot, or the transaction holds rows or locks of it. 40001.
func (x *tx) stillStored(s *Session, p *plan.Plan) error {
	if x.t == nil {
		return nil
	}
	for _, t := range p.Tables {
		if t.SwitchedAt <= x.version {
			continue
		}
		if p.ReadOnly && !x.t.Written() && !s.repeatable() {
			continue
		}
		return sqlerr.New(sqlerr.SerializationFailure, `could not serialize access: the salt of table "%s" was changed since the transaction began`, t.Name).
			WithHint("Repeat the transaction.")
	}
	return nil
}

// repeatable says that the transaction's statements read one snapshot of the store.
func (s *Session) repeatable() bool {
	iso := s.tx.isolation(s)
	return iso == "repeatable read" || iso == "serializable"
}
