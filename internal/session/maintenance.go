package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

// maintenance gives what carries out ANALYZE, VACUUM, REINDEX and CHECK TABLE for the session.
func (s *Session) maintenance() *maintenance.Runner {
	return &maintenance.Runner{Host: maintenanceHost{s}, Catalog: s.db.catalog, Sizes: s.db.sizes, ReadOnly: s.db.readOnly}
}

// maintenanceHost answers what these ask of the session.
type maintenanceHost struct{ s *Session }

func (h maintenanceHost) Snapshot() *catalog.Snapshot  { return h.s.snapshot() }
func (h maintenanceHost) SearchPath() []string         { return h.s.searchPath() }
func (h maintenanceHost) Database() string             { return h.s.opts.Database }
func (h maintenanceHost) Identity() *identity.Identity { return h.s.identity() }
func (h maintenanceHost) Notice(n *sqlerr.Error)       { h.s.notice(n) }
func (h maintenanceHost) InTransaction() bool          { return h.s.tx.inTransaction() }
func (h maintenanceHost) ReadOnly() bool               { return h.s.tx.readOnly(h.s) }
func (h maintenanceHost) Wrote(t *catalog.Table) bool  { return h.s.wroteTable(t) != nil }
func (h maintenanceHost) Env() *expr.Env               { return h.s.env(nil) }
func (h maintenanceHost) Txns() *txn.Manager           { return h.s.txns() }

func (h maintenanceHost) Enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error) {
	return h.s.enter(ctx, tables...)
}
