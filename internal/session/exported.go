package session

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

// exportedSnapshots are the snapshots that transactions of this server have exported and that are not over.
type exportedSnapshots struct {
	mu   sync.Mutex
	last uint32
	byID map[string]*exportedSnapshot
}

type exportedSnapshot struct {
	shared  *txn.Shared
	version uint64 // of the catalog, as tx.version
	as      string // the isolation level
	only    bool   // the transaction reads only
	whole   bool   // as tx.whole
}

// ExportSnapshot is pg_export_snapshot: 0A000 where the store has no snapshots, 25P01 outside of a block.
func (f sessionFuncs) ExportSnapshot(ctx context.Context) (id string, err error) {
	s, x := f.s, &f.s.tx
	switch {
	case !s.txns().Raw().Caps().Snapshots:
		return "", sqlerr.Unsupported("pg_export_snapshot on "+s.txns().Raw().Caps().Name+" is not supported", "The store has no views of one moment: let nobody write while several sessions read parts.")
	case x.status == TxIdle:
		return "", sqlerr.New(sqlerr.NoActiveSQLTransaction, "pg_export_snapshot can only be used in transaction blocks").
			WithHint("The snapshot is there as long as the transaction that exported it: BEGIN ISOLATION LEVEL REPEATABLE READ first.")
	case len(x.points) > 0:
		return "", sqlerr.New(sqlerr.ActiveSQLTransaction, "cannot export a snapshot from a subtransaction")
	}
	t, err := x.txn(ctx, s)
	if err != nil {
		return "", err
	}
	shared, err := t.Share(ctx)
	if err != nil {
		return "", s.db.storageError(ctx, err)
	}
	e := &s.db.exported
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	// As PostgreSQL writes them, the lease of the server in the place of a process.
	id = fmt.Sprintf("%08X-%08X-1", crc32.ChecksumIEEE([]byte(s.db.catalog.Owner)), e.last)
	if e.byID == nil {
		e.byID = map[string]*exportedSnapshot{}
	}
	e.byID[id] = &exportedSnapshot{shared, x.version, x.isolation(s), x.readOnly(s), x.whole}
	x.exports = append(x.exports, func() {
		e.mu.Lock()
		delete(e.byID, id)
		e.mu.Unlock()
		shared.Release()
	})
	return id, nil
}

// importSnapshot is SET TRANSACTION SNAPSHOT: the transaction begins with what another one of this server reads.
func (x *tx) importSnapshot(ctx context.Context, s *Session, id string) error {
	if x.used || x.t != nil || len(x.points) > 0 {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "SET TRANSACTION SNAPSHOT must be called before any query")
	}
	if !s.repeatable() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ")
	}
	e := &s.db.exported
	e.mu.Lock()
	from := e.byID[id]
	if from != nil {
		from.shared.Hold()
	}
	e.mu.Unlock()
	if from == nil {
		err := sqlerr.New(sqlerr.InvalidParameterValue, `invalid snapshot identifier: "%s"`, id)
		if server, _, ok := strings.Cut(id, "-"); ok && server != fmt.Sprintf("%08X", crc32.ChecksumIEEE([]byte(s.db.catalog.Owner))) {
			err = err.WithHint("A snapshot is of one server, as long as the transaction that exported it: connect to the same one.")
		}
		return err
	}
	defer from.shared.Release()
	switch {
	case x.isolation(s) == "serializable" && from.as != "serializable":
		return sqlerr.New(sqlerr.FeatureNotSupported, "a serializable transaction cannot import a snapshot from a non-serializable transaction")
	case x.isolation(s) == "serializable" && from.only && !x.readOnly(s):
		return sqlerr.New(sqlerr.FeatureNotSupported, "a non-read-only serializable transaction cannot import a snapshot from a read-only transaction")
	}
	x.imports, x.whole = from, from.whole
	_, err := x.txn(ctx, s)
	x.imports = nil
	return err
}
