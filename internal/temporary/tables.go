package temporary

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/overlay"
	"github.com/saltsql/saltsql/storage/txn"
)

// Tables is what a session has of temporary tables: a store in memory with a catalog of its
// own, both laid over those of the database. One goroutine changes it; OverCatalog and Stamp may
// be called by others.
//
//	names      catalog.Snapshot.Lay: the session's snapshot is the database's with these over it
//	rows       storage/overlay: one transaction writes tables of both
//	memory     booked with the session: 53200 where there is no more
//	plans      plancache.Key.Temp: no other session takes them
type Tables struct {
	Catalog *live.Catalog
	Txns    *txn.Manager // reads and writes tables of both stores
	Schema  string       // pg_temp_1

	store  *mem.Store
	base   func() *catalog.Snapshot
	logger *slog.Logger
	uid    string
	// onCommit says what becomes of tables at the end of a transaction, by their IDs; nothing
	// of those that keep their rows.
	onCommit map[uint32]OnCommit
	made     []uint32 // tables and views that the transaction made, which ROLLBACK drops
	written  bool     // rows may have come since the last end of a transaction

	mu    sync.Mutex
	held  memory.Share
	under *catalog.Snapshot // laid is over it
	own   *catalog.Snapshot // laid has it
	laid  *catalog.Snapshot
	stamp uint64 // of own, in the keys of plans
}

// OnCommit says what becomes of a table at the end of a transaction.
type OnCommit byte

// What becomes of tables.
const (
	KeepRows OnCommit = iota
	DeleteRows
	DropTable
)

// Options say what temporary tables are laid over.
type Options struct {
	Store   storage.Store            // of the database
	Txns    *txn.Manager             // over Store
	Base    func() *catalog.Snapshot // of the database
	Account *memory.Account          // that rows are booked on
	Now     func() time.Time
	Lease   time.Duration
	Logger  *slog.Logger
}

// sessions counts those that have had temporary tables, and stamps the states of their catalogs.
var sessions, stamps atomic.Uint64

// Open makes the tables of a session that had none.
func Open(ctx context.Context, o *Options) (*Tables, error) {
	schema := catalog.TemporarySchema(uint32(sessions.Add(1)))
	options := []mem.Option{mem.WithClock(o.Now)}
	if !o.Txns.Atomic() {
		options = append(options, mem.WithoutBatches())
	}
	t := &Tables{store: mem.New(options...), Schema: schema.Name, base: o.Base, logger: o.Logger, onCommit: map[uint32]OnCommit{}}
	t.held = memory.Of(o.Account, false)
	var err error
	t.Catalog, err = live.Open(ctx, t.store, live.Alone, live.OpenOptions{
		Now: o.Now, Lease: o.Lease, Logger: o.Logger, Schema: schema, Base: o.Base,
		Alone: func(ctx context.Context, tables ...string) (func(), error) { return t.Txns.Alone(ctx, tables...) },
	})
	if err != nil {
		return nil, err
	}
	t.uid = t.Catalog.Snapshot().UID()
	logOf := func(table string) string {
		if t.owns(table) {
			return t.Catalog.Snapshot().ChangeLog(table)
		}
		return o.Base().ChangeLog(table)
	}
	t.Txns = o.Txns.Over(overlay.New(o.Store, t.store, t.owns, t.room), logOf)
	if whole := o.Txns.For(true); whole != o.Txns {
		t.Txns.SetWhole(whole.Over(overlay.New(whole.Raw(), t.store.Batches(), t.owns, t.room), logOf))
	}
	return t, nil
}

// OverCatalog is the catalog of the database as the session sees it: with its temporary tables.
func (t *Tables) OverCatalog() *catalog.Snapshot { laid, _ := t.over(); return laid }

// Stamp tells plans of this session from those of others: each state of its tables has its own.
func (t *Tables) Stamp() uint64 { _, stamp := t.over(); return stamp }

func (t *Tables) over() (*catalog.Snapshot, uint64) {
	base := t.base()
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.Catalog.Snapshot()
	if t.own != own {
		t.stamp = stamps.Add(1)
	}
	if t.own != own || t.under != base {
		t.under, t.own, t.laid = base, own, base.Lay(own)
	}
	return t.laid, t.stamp
}

// Made notes that the transaction has made a table or a view, and what is to become of it.
func (t *Tables) Made(id uint32, on OnCommit) {
	t.made = append(t.made, id)
	if on != KeepRows {
		t.onCommit[id] = on
	}
}

// NumMade is how many tables and views the transaction has made.
func (t *Tables) NumMade() int { return len(t.made) }

// Unmake drops the tables and views that the transaction has made since the n-th.
func (t *Tables) Unmake(n int) {
	if made := t.made[min(n, len(t.made)):]; len(made) > 0 {
		t.made = t.made[:n]
		t.drop(made)
	}
}

// Wrote notes that a statement writes rows.
func (t *Tables) Wrote() { t.written = true }

func (t *Tables) owns(table string) bool {
	_, ok := catalog.OwnsPhysical(t.uid, table)
	return ok
}

// room books what the tables hold, and what is to come: 53200 where it is not to be had.
func (t *Tables) room(more int64) error {
	now := t.store.Bytes()
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.held.MustTo(now + more)
	if e := sqlerr.As(err); e != nil {
		return e.WithDetail("Temporary tables are held in memory: they hold %d bytes, and %d more are to come.", now, more)
	}
	return err
}

// drop removes tables and views by their IDs. Storage in memory does not fail, and what ends with the
// session need not be complained about.
func (t *Tables) drop(ids []uint32) {
	ctx := catalog.AsProgram(context.Background())
	var views, tables []catalog.Name
	for _, id := range ids {
		delete(t.onCommit, id)
		switch r := t.Catalog.Snapshot().ByID(id).(type) {
		case *catalog.View:
			views = append(views, catalog.Name{Schema: r.Schema, Name: r.Name})
		case *catalog.Table:
			tables = append(tables, catalog.Name{Schema: r.Schema, Name: r.Name})
		}
	}
	if len(views) > 0 {
		if _, err := t.Catalog.DropView(ctx, views, true, true); err != nil {
			t.logger.Warn("temporary views were not dropped", "err", err)
		}
	}
	if len(tables) > 0 {
		if _, err := t.Catalog.DropTable(ctx, tables, true, true); err != nil {
			t.logger.Warn("temporary tables were not dropped", "err", err)
		}
	}
	_ = t.room(0) // less cannot fail
}

// empty removes the rows of tables by their IDs.
func (t *Tables) empty(ids []uint32) error {
	for _, id := range ids {
		r := t.Catalog.Snapshot().TableByID(id)
		if r == nil {
			delete(t.onCommit, id)
			continue
		}
		for n := range r.NumIndexes() {
			if ix := r.Index(n); ix.Primary || ix.Kept() {
				if err := t.store.Admin().Truncate(context.Background(), ix.Physical); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
					return err
				}
			}
		}
	}
	return t.room(0)
}

// End does what ON COMMIT says, at the end of a transaction or of a lone statement; ROLLBACK
// drops what the transaction has made.
func (t *Tables) End(committed bool) {
	made := t.made
	t.made = nil
	if !committed {
		if len(made) > 0 {
			t.drop(made)
		}
		t.written = false
		return
	}
	var gone, emptied []uint32
	for id, what := range t.onCommit {
		switch {
		case what == DropTable:
			gone = append(gone, id)
		case t.written:
			emptied = append(emptied, id)
		}
	}
	t.written = false
	if len(gone) > 0 {
		t.drop(gone)
	}
	if len(emptied) > 0 {
		if err := t.empty(emptied); err != nil {
			t.logger.Warn("temporary tables were not emptied", "err", err)
		}
	}
}

// Discard is DISCARD TEMP.
func (t *Tables) Discard() {
	var all []uint32
	for _, r := range t.Catalog.Snapshot().Relations() {
		all = append(all, r.RelID())
	}
	if len(all) > 0 {
		t.drop(all)
	}
}

// Close forgets all tables.
func (t *Tables) Close() {
	_ = t.Catalog.Close()
	_ = t.store.Close()
	t.held.Release()
}
