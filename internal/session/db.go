package session

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/serverlocks"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/idle"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/notify/relay"
	"github.com/saltsql/saltsql/internal/peers"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/rowid"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/spliced"
	"github.com/saltsql/saltsql/storage/transact"
	"github.com/saltsql/saltsql/storage/txn"
)

// DB is one store with its catalog. It is safe for concurrent use; sessions
// are not.
type DB struct {
	opts     Options
	store    storage.Store
	claimed  storage.Store // as it was given to Open; nil until that has ended
	catalog  *live.Catalog
	shared   bool // with other servers
	door     *peers.Door
	slot     *atomic.Int32 // this server's number among those of the store, from 0
	readOnly bool          // the store takes no writes
	txns     *txn.Manager
	tx       *transact.Store // of the tables that txns.For(true) has; nil where the store needs none
	exported exportedSnapshots
	rowIDs   *rowid.Source
	plans    *plancache.Cache[*cachedPlan]
	sizes    *stats.Estimates
	memory   *memory.Pool
	advisory advisory.Table[*Session, expr.AdvisoryKey]
	locks    *serverlocks.Locks // those of advisory, among servers; nil: there are no others
	channels notify.Hub
	relay    *relay.Relay // of channels, among servers; nil: there are no others
	idle     *idle.Kept[*plan.Plan, *operators]
	defaults atomic.Pointer[map[string]string] // that sessions begin with
	reload   atomic.Pointer[func()]            // has the server read its settings again
	// statements counts them; nil does not.
	statements *statements.Collector
	slow       statements.SlowLog
	heat       *heat.Heat // nil counts nothing
	// suspended is how many bytes portals that wait have in pages.
	suspended atomic.Int64

	ids     atomic.Int64 // of sessions
	started time.Time

	mu       sync.Mutex
	sessions map[*Session]struct{}
	closed   bool
}

// Open reads the catalog of store, or makes one in an empty store. The caller
// closes store after the DB. On a store with one process (pebble, mem) there may be one
// DB at a time.
func Open(ctx context.Context, store storage.Store, opts *Options) (*DB, error) {
	if err := claim(store); err != nil {
		return nil, err
	}
	db, err := openClaimed(ctx, store, opts)
	if err != nil {
		unclaim(store)
		return nil, err
	}
	db.claimed = store
	return db, nil
}

// claimed are the exclusive stores that a DB is open on: its row locks, catalog
// and plans know nothing of another's.
var claimed sync.Map

func claim(store storage.Store) error {
	if !store.Caps().Exclusive || !reflect.ValueOf(store).Comparable() {
		return nil
	}
	if _, open := claimed.LoadOrStore(store, true); open {
		return sqlerr.New(sqlerr.ObjectInUse, "the store is open in another DB of this process").
			WithHint("Share the DB, which any number of sessions may use at once, or close it first.")
	}
	return nil
}

func unclaim(store storage.Store) {
	if store != nil && reflect.ValueOf(store).Comparable() {
		claimed.Delete(store)
	}
}

// layers lays over a store what its tables' names tell: parts of one table, and transactions where it
// has none itself. whole is that store as one that has them; nil where it needs no help.
func layers(base storage.Store, o *Options) (store, whole storage.Store, tx *transact.Store) {
	if base.Caps().AtomicBatch {
		return spliced.Wrap(base), nil, nil
	}
	tx = transact.Wrap(base, transact.Options{Now: o.Now, Logger: o.Logger})
	return spliced.Wrap(tx), spliced.Wrap(tx.Transactions()), tx
}

func openClaimed(ctx context.Context, base storage.Store, opts *Options) (*DB, error) {
	o := opts.withDefaults()
	store, whole, distributed := layers(base, &o)
	defaults, err := settings.CheckDefaults(o.Settings)
	if err != nil {
		return nil, err
	}
	clock := txn.NewClock(o.Now)
	rowIDs := rowid.New(o.Now)
	number := new(atomic.Int32)
	open := live.OpenOptions{Now: o.Now, Lease: o.Lease, Logger: o.Logger, Poll: o.CatalogRefresh, Slot: func(slot, n int) {
		clock.SetSlot(slot, n)
		rowIDs.SetSlot(slot)
		number.Store(int32(slot))
	}}
	as := live.Serving(store)
	if o.ReadOnly {
		as = live.Observer
	}
	txns := txn.NewManager(store, clock)
	if whole != nil {
		txns.SetWhole(txns.Over(whole, nil))
	}
	if txns.Atomic() && as == live.Alone {
		open.Alone = txns.Alone
	}
	cat, err := live.Open(ctx, store, as, open)
	if err != nil {
		return nil, err
	}
	txns.Landed, txns.Late = cat.Landed, cat.Options.Lease
	cat.SayMarks(txns.MarksEnded)
	txns.LogWrites(func(table string) string { return cat.Snapshot().ChangeLog(table) })
	maintenance.FillIndexes(cat, txns, o.Now)
	pool := memory.NewPool(o.Memory)
	db := &DB{
		opts: o, store: store, catalog: cat, shared: cat.Shared(), readOnly: as == live.Observer,
		txns:     txns,
		tx:       distributed,
		rowIDs:   rowIDs,
		slot:     number,
		plans:    plancache.New[*cachedPlan](o.PlanCache),
		sizes:    stats.New(store, cat, cat.Snapshot, o.Now, o.Logger, o.NoEstimates, !o.NoAutoAnalyze && as != live.Observer),
		memory:   pool,
		idle:     idle.New[*plan.Plan, *operators](pool),
		sessions: map[*Session]struct{}{},
		started:  time.Now(),
		slow:     statements.SlowLog{Logger: o.Logger},
	}
	if distributed != nil && as != live.Observer {
		cat.Background(db.sweep)
	}
	db.heat = heat.New(o.HeatMemory, o.Now, db.heatedRelations)
	cat.Background(db.heat.Run)
	db.defaults.Store(&defaults)
	cat.Heed(db.endBarred)
	cat.CountConnections(db.connections)
	db.openLocks()
	db.openRelay()
	if o.TrackStatements > 0 {
		db.statements = statements.New(o.TrackStatements)
		if db.shared && !db.readOnly {
			cat.Background(db.teller().Run)
		}
	}
	if err := db.openDoor(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Catalog gives the catalog, for tools that look at it.
func (db *DB) Catalog() *live.Catalog { return db.catalog }

// Estimates gives what is known of the tables' rows.
func (db *DB) Estimates() *stats.Estimates { return db.sizes }

// PlanStats says how much the cache of texts and plans holds and has served.
func (db *DB) PlanStats() plancache.Stats { return db.plans.Stats() }

// TracksStatements is how many shapes of statements are counted at most; 0 counts nothing.
func (db *DB) TracksStatements() int { return max(0, db.opts.TrackStatements) }

// Memory is what statements and sessions hold together.
func (db *DB) Memory() *memory.Pool { return db.memory }

// LockWaits is how many statements wait for a lock of another transaction now.
func (db *DB) LockWaits() int64 { return db.txns.Waiting() }

// TimestampWaits is how many writes have waited because their rows are written more often
// than there are timestamps for: 1,000 a second for a row of an embedded store, 62 for one that
// up to 16 servers share.
func (db *DB) TimestampWaits() int64 { return db.txns.Clock().Waits() }

func (db *DB) register(s *Session) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return errors.New("saltsql: the DB is closed")
	}
	if err := s.barred(db.catalog.Snapshot()); err != nil { // since admit
		return err
	}
	db.sessions[s] = struct{}{}
	return nil
}

func (db *DB) unregister(s *Session) {
	db.mu.Lock()
	defer db.mu.Unlock()
	delete(db.sessions, s)
	if limited(db.catalog.Snapshot().RoleByID(s.who.Login.ID)) {
		db.catalog.Recount()
	}
}

// Close cancels what runs and forbids new sessions. Sessions still have to be
// closed by who opened them; the store stays open.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	open := make([]*Session, 0, len(db.sessions))
	for s := range db.sessions {
		open = append(open, s)
	}
	db.mu.Unlock()
	for _, s := range open {
		s.Terminate(errClosed)
	}
	if db.door != nil {
		if err := db.door.Close(); err != nil {
			db.opts.Logger.Debug("the peers' door did not close", "error", err)
		}
	}
	db.sizes.Close()
	db.idle.End()
	if db.tx != nil {
		ctx, cancel := context.WithTimeout(context.Background(), settleWithin)
		db.tx.Settle(ctx)
		cancel()
	}
	err := db.catalog.Close()
	unclaim(db.claimed)
	return err
}

// storageErr is storageError of an error that may be nil.
func (db *DB) storageErr(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return db.storageError(ctx, err)
}

// storageError words an error of the store as Postgres would.
func (db *DB) storageError(ctx context.Context, err error) error {
	return op.MapError(ctx, err, db.catalog.Snapshot().Tables())
}
