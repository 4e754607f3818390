package versions

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/stored"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// Keeper keeps the versions of the catalog of one store. Any number of them, in any
// number of processes, may work on one store. All methods are safe for concurrent use.
type Keeper struct {
	Store   storage.Store
	Table   storage.Table
	Options Options
	Owner   string // who we are on the lease
	as      As
	coord   coord

	snap  atomic.Pointer[catalog.Snapshot]
	users *types.Users // the same as those of Options.Base
	// ddl is held by the statement that holds the lease: one per process.
	ddl chan struct{}
	// turn is held to commit, where one process has the store to itself: see UpdateWith.
	turn sync.Mutex

	freshMu sync.Mutex
	fresh   time.Time // when the last read by RefreshSince began
	flight  *flight   // the one under way

	seqMu sync.Mutex
	seqs  map[uint32]*seqCache
	// unfinished and finish are about what a dead server's DDL statement left behind.
	unfinished func(*catalog.Snapshot) bool
	finish     func(context.Context, *Held) error
	tidy       atomic.Pointer[catalog.Snapshot] // the last in which nothing was unfinished

	life context.Context // ends with Close
	end  context.CancelFunc
	once sync.Once
	me   member
	heed atomic.Pointer[func()]                               // see Heed
	lose atomic.Pointer[func()]                               // see OnLapse
	on   atomic.Pointer[func() (channels []string, all bool)] // see SayListening
	// toldShapes says that this server may have rows of statements.
	toldShapes atomic.Bool

	Gate  writeGate
	reads readGate
	begin sync.Mutex // held to add to wg, and to end life
	wg    sync.WaitGroup
}

// Options change how a catalog is opened. The zero value is right.
type Options struct {
	// Now is the clock, for tests.
	Now func() time.Time
	// Lease bounds how long a DDL statement may keep others out without a sign
	// of life; it also bounds each call that changes the store's tables. After a
	// server died in a DDL statement, other servers wait so long at most, and ALTER
	// TABLE so long for a server that died at any time. A server's clock may differ by a
	// fifth of it from the store's, which is checked: see clock.go. On a store that servers share it is
	// that of the first, whatever others ask for: see times.go. Default 30 s.
	Lease time.Duration
	// Poll is how often to look for changes that other servers made, where there may be
	// others; the store's, as Lease is. Default 1 s.
	Poll time.Duration
	// Slot is told which of n slots of the milliseconds this server has for the
	// timestamps of rows, before Open returns and whenever that changes. Not
	// called where one process has the store to itself.
	Slot func(slot, n int)
	// Alone, where transactions lock rows, waits until none holds rows of the
	// storage tables, and keeps new ones out until release is called.
	Alone  func(ctx context.Context, tables ...string) (release func(), err error)
	Logger *slog.Logger
	// ListAfter is how many objects the root may name beside the list of all before a new list
	// is written. Default 256.
	ListAfter int
	// Schema, where set, is the first schema of a new catalog in the place of public, and the
	// OIDs of its objects come after its own.
	Schema *catalog.Schema
	// Base, where set, gives the catalog that this one is laid over: changes see its roles,
	// schemas and relations, and may not change them.
	Base func() *catalog.Snapshot
}

// processID tells the catalogs of this process from those of others.
var processID = randomHex(8)

// OpenKeeper reads the catalog of a store, or makes an empty one with the schema
// public. finish is to put in order what a dead server's DDL statement left half done,
// where unfinished says that a snapshot has such: it is called under the lease. start
// must follow. As an Observer it is CodeNotFound where there is no catalog.
func OpenKeeper(ctx context.Context, store storage.Store, as As, opts Options, unfinished func(*catalog.Snapshot) bool, finish func(context.Context, *Held) error) (*Keeper, error) {
	opts = defaults(opts)
	c := &Keeper{
		Store: store, Table: store.Table(SystemTable), Options: opts, as: as, Owner: processID + "/" + randomHex(4),
		users: new(types.Users), ddl: make(chan struct{}, 1), seqs: map[uint32]*seqCache{},
		unfinished: unfinished, finish: finish,
	}
	if opts.Base != nil {
		c.users = opts.Base().Users
	}
	c.coord = newCoord(c)
	c.life, c.end = context.WithCancel(catalog.AsProgram(context.Background()))
	if err := c.bootstrap(ctx); err != nil {
		return nil, catalog.FromStorage(err, "opening the catalog")
	}
	if err := c.coord.join(ctx); err != nil {
		return nil, catalog.FromStorage(err, "joining the other servers")
	}
	s, err := c.Load(ctx, nil)
	if err != nil {
		c.coord.leave()
		return nil, catalog.FromStorage(err, "reading the catalog")
	}
	c.snap.Store(s)
	return c, nil
}

// defaults fills in what is not set.
func defaults(opts Options) Options {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Lease <= 0 {
		opts.Lease = DefaultLease
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.Poll = cmp.Or(max(opts.Poll, 0), DefaultRefresh)
	opts.ListAfter = cmp.Or(opts.ListAfter, 256)
	return opts
}

// Start begins to look for changes of other servers, after repair has put in order what
// it finds; if it fails, the keeper is closed.
func (c *Keeper) Start(repair func() error) error {
	if c.as != Observer {
		if err := repair(); err != nil {
			c.coord.leave()
			return err
		}
	}
	c.coord.start(c.life)
	return c.coord.sayTimes(c.life)
}

// Close ends the catalog's work. It does not close the store.
func (c *Keeper) Close() error {
	c.once.Do(func() {
		c.begin.Lock()
		c.end()
		c.begin.Unlock()
		c.wg.Wait()
		c.coord.leave()
	})
	return nil
}

// Snapshot gives the catalog as this process knows it. It costs one atomic load.
func (c *Keeper) Snapshot() *catalog.Snapshot { return c.snap.Load() }

// Refresh looks whether another server has changed the catalog, at the price of one
// small read, and gives the newest snapshot.
func (c *Keeper) Refresh(ctx context.Context) (*catalog.Snapshot, error) {
	old := c.snap.Load()
	r, ok, err := c.readRootCell(ctx)
	if err != nil {
		return nil, catalog.FromStorage(err, "reading the catalog")
	}
	if ok && r.TS == old.Root.TS && r.Version == old.Version() {
		return old, nil
	}
	s, err := c.Load(ctx, old)
	if err != nil {
		return nil, catalog.FromStorage(err, "reading the catalog")
	}
	c.publish(s)
	return s, nil
}

// flight is one Refresh that several callers wait for.
type flight struct {
	began time.Time
	done  chan struct{}
	err   error // once done
}

// RefreshSince is Refresh for who has not found a name: it reads only if no
// Refresh by RefreshSince has begun at t or later, and one for all who ask
// meanwhile, so that many wrong names make one read at a time.
func (c *Keeper) RefreshSince(ctx context.Context, t time.Time) (*catalog.Snapshot, error) {
	for {
		c.freshMu.Lock()
		if !c.fresh.Before(t) {
			c.freshMu.Unlock()
			return c.snap.Load(), nil
		}
		f := c.flight
		if f == nil {
			f = &flight{began: time.Now(), done: make(chan struct{})}
			c.flight = f
			c.freshMu.Unlock()
			s, err := c.Refresh(ctx)
			c.freshMu.Lock()
			if c.flight = nil; err == nil {
				c.fresh = f.began
			} else if ctx.Err() == nil {
				f.err = err
			}
			c.freshMu.Unlock()
			close(f.done)
			return s, err
		}
		c.freshMu.Unlock()
		select {
		case <-f.done:
			if f.err != nil && !f.began.Before(t) {
				return nil, f.err
			}
		case <-ctx.Done():
			return nil, catalog.FromStorage(ctx.Err(), "reading the catalog")
		}
	}
}

// publish makes s the current snapshot unless a newer one is.
func (c *Keeper) publish(s *catalog.Snapshot) {
	for {
		old := c.snap.Load()
		if old != nil && old.Version() >= s.Version() || c.snap.CompareAndSwap(old, s) {
			return
		}
	}
}

func (c *Keeper) poll(ctx context.Context) {
	t := time.NewTicker(c.Options.Poll)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			c.Options.Logger.Warn("catalog: looking for changes failed", "err", err)
		}
	}
}

// look is one round of poll.
func (c *Keeper) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.Options.Lease/4)
	defer cancel()
	if _, err := c.Refresh(ctx); err != nil {
		return err
	}
	return c.beat(ctx)
}

// bootstrap makes the system table and the first root where they are missing.
// Two servers may do it at once: one of them wins, for both.
func (c *Keeper) bootstrap(ctx context.Context) error {
	r, ok, err := c.readRootCell(ctx)
	if err == nil && ok {
		c.coord.takeTimes(r)
		return nil
	}
	if err != nil && storage.CodeOf(err) != storage.CodeNotFound {
		return err
	}
	if c.as == Observer {
		return storage.Errorf(storage.CodeNotFound, storage.OpMultiGet, SystemTable, "the store holds no catalog")
	}
	err = RetryAdmin(ctx, func() error {
		err := c.Store.Admin().CreateTable(ctx, storage.TableSpec{
			Name: SystemTable, Families: []storage.FamilySpec{{Name: SystemFamily, MaxVersions: 1}},
		})
		if storage.CodeOf(err) == storage.CodeAlreadyExists {
			return nil
		}
		return err
	})
	if err == nil {
		err = c.keepTime(ctx) // a server whose clock is wrong makes no root
	}
	if err != nil {
		return err
	}
	first, next := &catalog.Schema{ID: catalog.PublicSchemaID, Name: catalog.PublicSchema, Comment: "standard public schema"}, uint32(catalog.FirstNormalOID)
	if s := c.Options.Schema; s != nil {
		first, next = s, s.ID+1
	}
	r = catalog.Root{Format: rootFormat, UID: randomUID(), Version: 1, NextID: next, Recent: []string{randomHex(6)}}
	r.TS = c.nextTimestamp(0)
	if c.Shared() {
		r.Lease, r.Refresh = c.Options.Lease.Milliseconds(), c.Options.Poll.Milliseconds()
	}
	ptr := "1/" + r.Recent[0]
	desc, err := stored.Encode(first, catalog.StatePublic)
	if err != nil {
		return err
	}
	value, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	set := func(qualifier, value []byte) storage.Mutation {
		return storage.Mutation{Op: storage.SetCell, Family: SystemFamily, Qualifier: qualifier, Timestamp: r.TS, Value: value}
	}
	row := storage.RowMutation{Key: []byte(descKey(first.ID, ptr)), Mutations: []storage.Mutation{set([]byte(descCell), desc)}}
	if err := c.putRows(ctx, []storage.RowMutation{row}); err != nil {
		return err
	}
	for try := 0; ; try++ {
		_, err = c.Table.CheckAndMutate(ctx, &storage.CondMutation{
			Key: []byte(rootKey), Cond: storage.Cond{Op: storage.RowAbsent},
			Then: []storage.Mutation{set(ptrCell(first.ID), []byte(ptr)), set([]byte(rootCell), value)},
		})
		// Whoever made the root: if it is there, all is well.
		if r, ok, rerr := c.readRootCell(ctx); rerr == nil && ok {
			c.coord.takeTimes(r)
			return nil
		}
		if err == nil || try == 8 {
			return errors.Join(err, catalog.Corrupt(rootKey, "the row is missing after it was written"))
		}
		if serr := storage.Pause(ctx, try, raceUnit); serr != nil {
			return err
		}
	}
}

// randomUID is six characters that storage table names may hold.
func randomUID() string {
	const digits = "abcdefghijkmnpqrstuvwxyz23456789" // 32, none that looks like another
	uid := make([]byte, 6)
	_, _ = rand.Read(uid) // never fails: see crypto/rand
	for i := range uid {
		uid[i] = digits[uid[i]&31]
	}
	return string(uid)
}

// RetryAdmin repeats an admin call while the store says that nothing happened,
// or that it may have: all admin calls here are idempotent, as the caller
// takes "already exists" or "not found" for an answer.
func RetryAdmin(ctx context.Context, call func() error) error {
	return storage.Again(ctx, call, storage.CodeAmbiguous)
}
