package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

// maintenance gives what carries out ANALYZE, VACUUM, REINDEX and CHECK TABLE for the session.
func (s *Session) maintenance() *maintenance.Runner {
	return &maintenance.Runner{Host: host{s}, Store: s.db.store, Catalog: s.db.catalog, Sizes: s.db.sizes, ReadOnly: s.db.readOnly}
}

// host answers what these, and functions over sequences, ask of the session.
type host struct{ s *Session }

func (h host) Snapshot() *catalog.Snapshot  { return h.s.snapshot() }
func (h host) SearchPath() []string         { return h.s.searchPath() }
func (h host) Database() string             { return h.s.opts.Database }
func (h host) Identity() *identity.Identity { return h.s.identity() }
func (h host) Notice(n *sqlerr.Error)       { h.s.notice(n) }
func (h host) InTransaction() bool          { return h.s.tx.inTransaction() }
func (h host) ReadOnly() bool               { return h.s.tx.readOnly(h.s) }
func (h host) Wrote(t *catalog.Table) bool  { return h.s.wroteTable(t) != nil }
func (h host) Env() *expr.Env               { return h.s.env(nil) }
func (h host) Txns() *txn.Manager           { return h.s.txns() }

func (h host) Keeper(id uint32) *live.Catalog { return h.s.view.Keeper(id) }

func (h host) Enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error) {
	return h.s.view.Enter(ctx, tables...)
}
