package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/temporary"
	"github.com/saltsql/saltsql/storage/txn"
)

// snapshot is the catalog as the session sees it: with its temporary tables.
func (s *Session) snapshot() *catalog.Snapshot { return s.view.Snapshot() }

// txns is what reads and writes the tables that the session sees.
func (s *Session) txns() *txn.Manager { return s.view.Txns() }

// temporaries gives what the session has of temporary tables, made where it had none yet.
func (s *Session) temporaries(ctx context.Context) (*temporary.Tables, error) {
	if t := s.view.Own(); t != nil {
		return t, nil
	}
	o := &s.db.opts
	t, err := s.view.Open(ctx, &temporary.Options{
		Store: s.db.store, Txns: s.db.txns, Base: s.db.catalog.Snapshot, Account: &s.held, Now: o.Now, Lease: o.Lease, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	maintenance.FillIndexes(t.Catalog, t.Txns, o.Now)
	if s.tx.t != nil {
		t.Txns.Move(s.tx.t)
	}
	return t, nil
}
