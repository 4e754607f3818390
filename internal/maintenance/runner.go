package maintenance

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Host is what maintenance asks of the session that runs it.
type Host interface {
	// Snapshot is the catalog as the session sees it, SearchPath where it looks for names.
	Snapshot() *catalog.Snapshot
	SearchPath() []string
	Database() string
	// Identity is whom the statement acts for.
	Identity() *identity.Identity
	Notice(*sqlerr.Error)
	// InTransaction says that a block is open, ReadOnly that the transaction may not write.
	InTransaction() bool
	ReadOnly() bool
	// Wrote says that the block holds rows of a table.
	Wrote(t *catalog.Table) bool
	// Env is what expressions of indexes may know, Txns what reads and writes the tables.
	Env() *expr.Env
	Txns() *txn.Manager
	// Enter begins a write: see versions.Keeper.Enter.
	Enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error)
}

// Runner carries out maintenance of the tables of a catalog.
type Runner struct {
	Host     Host
	Store    storage.Store // of all tables but the session's own
	Catalog  *live.Catalog
	Sizes    *stats.Estimates
	ReadOnly bool // the store takes no writes
}
