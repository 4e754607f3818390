package session

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/temporary"
	"github.com/saltsql/saltsql/storage/txn"
)

// snapshot is the catalog as the session sees it: with its temporary tables.
func (s *Session) snapshot() *catalog.Snapshot {
	if s.temp == nil {
		return s.db.catalog.Snapshot()
	}
	return s.temp.OverCatalog()
}

// tempStamp tells plans of this session from those of others where it has temporary tables.
func (s *Session) tempStamp() uint64 {
	if s.temp == nil {
		return 0
	}
	return s.temp.Stamp()
}

// txns is what reads and writes the tables that the session sees.
func (s *Session) txns() *txn.Manager {
	if s.temp == nil {
		return s.db.txns
	}
	return s.temp.Txns
}

// keeperOf gives the catalog that an object is in.
func (s *Session) keeperOf(id uint32) *live.Catalog {
	if s.temp != nil && catalog.TemporaryID(id) {
		return s.temp.Catalog
	}
	return s.db.catalog
}

// lasting leaves temporary tables out, which nobody else alters or holds.
func (s *Session) lasting(tables []*catalog.Table) []*catalog.Table {
	if s.temp == nil || !slices.ContainsFunc(tables, isTemporary) {
		return tables
	}
	return slices.DeleteFunc(slices.Clone(tables), isTemporary)
}

func isTemporary(t *catalog.Table) bool { return catalog.IsTemporary(t) }

// enter begins a write: see versions.Keeper.Enter.
func (s *Session) enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error) {
	last := s.lasting(tables)
	if len(last) < len(tables) {
		s.temp.Wrote()
		if len(last) == 0 {
			return ctx, func() {}, nil
		}
	}
	return s.db.enter(ctx, last...)
}

// tryEnter is op.Context.TryEnter of the session.
func (s *Session) tryEnter(ctx context.Context, t *catalog.Table) (context.Context, func(), bool) {
	if len(s.lasting([]*catalog.Table{t})) == 0 {
		return ctx, func() {}, true
	}
	return s.db.catalog.TryEnter(ctx, t)
}

// temporaries gives what the session has of temporary tables, made where it had none yet.
func (s *Session) temporaries(ctx context.Context) (*temporary.Tables, error) {
	if s.temp != nil {
		return s.temp, nil
	}
	o := &s.db.opts
	t, err := temporary.Open(ctx, &temporary.Options{
		Store: s.db.store, Txns: s.db.txns, Base: s.db.catalog.Snapshot, Account: &s.held, Now: o.Now, Lease: o.Lease, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	maintenance.FillIndexes(t.Catalog, t.Txns, o.Now)
	s.temp = t
	if s.tx.t != nil {
		t.Txns.Move(s.tx.t)
	}
	return t, nil
}

// endTemporary ends what a transaction or a lone statement did with temporary tables.
func (s *Session) endTemporary(committed bool) {
	if s.temp != nil {
		s.temp.End(committed)
	}
}

// discardTemporary is DISCARD TEMP.
func (s *Session) discardTemporary() {
	if s.temp != nil {
		s.temp.Discard()
	}
}

// closeTemporary forgets all that the session has of temporary tables.
func (s *Session) closeTemporary() {
	if s.temp != nil {
		s.temp.Close()
		s.temp = nil
	}
}

// madeTemporary is how many temporary tables the transaction has made.
func (s *Session) madeTemporary() int {
	if s.temp == nil {
		return 0
	}
	return s.temp.NumMade()
}

// unmakeTemporary drops the temporary tables that the transaction has made since the n-th.
func (s *Session) unmakeTemporary(n int) {
	if s.temp != nil {
		s.temp.Unmake(n)
	}
}
