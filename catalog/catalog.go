package catalog

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Catalog keeps the descriptors of one store. Any number of them, in any number
// of processes, may work on one store. All methods are safe for concurrent use.
type Catalog struct {
	store storage.Store
	table storage.Table
	opts  OpenOptions
	owner string // who we are on the lease

	snap atomic.Pointer[Snapshot]
	// ddl is held by the statement that holds the lease: one per process.
	ddl chan struct{}

	freshMu sync.Mutex
	fresh   time.Time // when the last read by RefreshSince began
	flight  *flight   // the one under way

	seqMu  sync.Mutex
	seqs   map[uint32]*seqCache
	closed chan struct{}
	once   sync.Once
	me     member
	gate   writeGate
	reads  readGate

	jobMu sync.Mutex
	jobs  map[uint32]bool // that this process carries out
	// reshaping is held for reading while a TRUNCATE without the DDL lease removes rows.
	reshaping sync.RWMutex

	wg sync.WaitGroup
}

// OpenOptions change how a catalog is opened. The zero value is right.
type OpenOptions struct {
	// Now is the clock, for tests.
	Now func() time.Time
	// Lease bounds how long a DDL statement may keep others out without a sign
	// of life; it also bounds each call that changes the store's tables. After a
	// server died in a DDL statement, other servers wait so long at most, and ALTER
	// TABLE so long for a server that died at any time. The servers' clocks may
	// differ by a quarter of it, which is checked. All servers of a store must
	// have the same. Default 30 s.
	Lease time.Duration
	// Poll is how often to look for changes that other servers made; 0 never
	// looks, which is right where one process has the store to itself.
	Poll time.Duration
	// Slot is told which of n slots of the milliseconds this server has for the
	// timestamps of rows, before Open returns and whenever that changes. Not
	// called where one process has the store to itself.
	Slot func(slot, n int)
	// Alone, where transactions lock rows, waits until none holds rows of the
	// storage tables, and keeps new ones out until release is called.
	Alone  func(ctx context.Context, tables ...string) (release func(), err error)
	Logger *slog.Logger
}

// processID tells the catalogs of this process from those of others.
var processID = randomHex(8)

// Open reads the catalog of a store, or makes an empty one with the schema
// public. What a DDL statement left half done because its server died is undone or
// finished. Close it before the store.
func Open(ctx context.Context, store storage.Store, opts OpenOptions) (*Catalog, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Lease <= 0 {
		opts.Lease = 30 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Catalog{
		store: store, table: store.Table(SystemTable), opts: opts, owner: processID + "/" + randomHex(4),
		ddl: make(chan struct{}, 1), seqs: map[uint32]*seqCache{}, jobs: map[uint32]bool{}, closed: make(chan struct{}),
	}
	if err := c.bootstrap(ctx); err != nil {
		return nil, fromStorage(err, "opening the catalog")
	}
	if err := c.join(ctx); err != nil {
		return nil, fromStorage(err, "joining the other servers")
	}
	s, err := c.load(ctx, nil)
	if err != nil {
		c.leave()
		return nil, fromStorage(err, "reading the catalog")
	}
	c.snap.Store(s)
	if c.shared() {
		if err := c.compareClocks(ctx); err != nil {
			opts.Logger.Warn("catalog: the clocks of other servers could not be read", "err", err)
		}
	}
	if err := c.repairAtOpen(ctx); err != nil {
		c.leave()
		return nil, err
	}
	if c.shared() {
		c.wg.Add(1)
		go c.poll()
	}
	if !store.Caps().ReadOnly {
		c.wg.Add(1)
		go c.lookForJobs()
	}
	return c, nil
}

// Close ends the catalog's work. It does not close the store.
func (c *Catalog) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.wg.Wait()
		c.leave()
	})
	return nil
}

// Snapshot gives the catalog as this process knows it. It costs one atomic load.
func (c *Catalog) Snapshot() *Snapshot { return c.snap.Load() }

// Refresh looks whether another server has changed the catalog, at the price of one
// small read, and gives the newest snapshot.
func (c *Catalog) Refresh(ctx context.Context) (*Snapshot, error) {
	old := c.snap.Load()
	r, ok, err := c.readRootCell(ctx)
	if err != nil {
		return nil, fromStorage(err, "reading the catalog")
	}
	if ok && r.ts == old.root.ts && r.Version == old.version {
		return old, nil
	}
	s, err := c.load(ctx, old)
	if err != nil {
		return nil, fromStorage(err, "reading the catalog")
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
func (c *Catalog) RefreshSince(ctx context.Context, t time.Time) (*Snapshot, error) {
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
			return nil, fromStorage(ctx.Err(), "reading the catalog")
		}
	}
}

// publish makes s the current snapshot unless a newer one is.
func (c *Catalog) publish(s *Snapshot) {
	for {
		old := c.snap.Load()
		if old != nil && old.version >= s.version || c.snap.CompareAndSwap(old, s) {
			return
		}
	}
}

func (c *Catalog) poll() {
	defer c.wg.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-c.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	t := time.NewTicker(c.opts.Poll)
	defer t.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-t.C:
		}
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			c.opts.Logger.Warn("catalog: looking for changes failed", "err", err)
		}
	}
}

// look is one round of poll.
func (c *Catalog) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Lease/4)
	defer cancel()
	if _, err := c.Refresh(ctx); err != nil {
		return err
	}
	return c.beat(ctx)
}

// bootstrap makes the system table and the first root where they are missing.
// Two servers may do it at once: one of them wins, for both.
func (c *Catalog) bootstrap(ctx context.Context) error {
	_, ok, err := c.readRootCell(ctx)
	if err == nil && ok {
		return nil
	}
	if err != nil && storage.CodeOf(err) != storage.CodeNotFound {
		return err
	}
	err = retryAdmin(ctx, func() error {
		err := c.store.Admin().CreateTable(ctx, storage.TableSpec{
			Name: SystemTable, Families: []storage.FamilySpec{{Name: systemFamily, MaxVersions: 1}},
		})
		if storage.CodeOf(err) == storage.CodeAlreadyExists {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	r := root{Format: rootFormat, UID: randomUID(), Version: 1, NextID: firstNormalOID, Recent: []string{randomHex(6)}}
	r.ts = c.nextTimestamp(0)
	ptr := "1/" + r.Recent[0]
	desc, err := encodeDescriptor(&Schema{ID: publicSchemaID, Name: PublicSchema, Comment: "standard public schema"}, public)
	if err != nil {
		return err
	}
	value, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	set := func(qualifier, value []byte) storage.Mutation {
		return storage.Mutation{Op: storage.SetCell, Family: systemFamily, Qualifier: qualifier, Timestamp: r.ts, Value: value}
	}
	row := storage.RowMutation{Key: []byte(descKey(publicSchemaID, ptr)), Mutations: []storage.Mutation{set([]byte(descCell), desc)}}
	if err := c.putRows(ctx, []storage.RowMutation{row}); err != nil {
		return err
	}
	for try := 0; ; try++ {
		_, err = c.table.CheckAndMutate(ctx, &storage.CondMutation{
			Key: []byte(rootKey), Cond: storage.Cond{Op: storage.RowAbsent},
			Then: []storage.Mutation{set(ptrCell(publicSchemaID), []byte(ptr)), set([]byte(rootCell), value)},
		})
		// Whoever made the root: if it is there, all is well.
		if _, ok, rerr := c.readRootCell(ctx); rerr == nil && ok {
			return nil
		}
		if err == nil || try == 8 {
			return errors.Join(err, corrupt(rootKey, "the row is missing after it was written"))
		}
		if serr := sleep(ctx, backoff(try)); serr != nil {
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

// retryAdmin repeats an admin call while the store says that nothing happened,
// or that it may have: all admin calls here are idempotent, as the caller
// takes "already exists" or "not found" for an answer.
func retryAdmin(ctx context.Context, call func() error) error {
	for try := 0; ; try++ {
		err := call()
		if err == nil || !storage.IsRetryable(err) && storage.CodeOf(err) != storage.CodeAmbiguous || try == 8 {
			return err
		}
		if sleep(ctx, backoff(try)) != nil {
			return err
		}
	}
}
