package transact

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// Options of Wrap. The zero value is right but for tests.
type Options struct {
	Now    func() time.Time // nil is time.Now
	Logger *slog.Logger     // nil logs nothing
	Expiry time.Duration    // 0 is the constant Expiry
}

// Store is a store with transactional tables. Its own methods do what the store below can do, and
// each row of such a table that they write is a transaction; Transactions has several.
type Store struct {
	storage.Store // below
	*shared
	whole bool // Transactions
}

// shared is what the two ways to use a store have in common.
type shared struct {
	records storage.Table
	oracle  oracle
	now     func() time.Time
	expiry  time.Duration
	log     *slog.Logger
	made    atomic.Bool // RecordTable is there
	behind  sync.Map    // rows of commits that are being written: name -> chan struct{}
	slots   chan struct{}
	// families are those of tables that are known to be there.
	families sync.Map // familyName -> true
	count    counts

	life context.Context // of work behind, which Close ends
	end  context.CancelFunc
	busy sync.Mutex // of work and the end of life
	work sync.WaitGroup
}

// laterMost is how many rows are set right behind reads at once.
const laterMost = 16

// Wrap lays transactions over a store, whose other tables are as before. It does no I/O. Closing it
// closes below.
func Wrap(below storage.Store, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	records := below.Table(RecordTable)
	s := &shared{records: records, oracle: oracle{records: records, now: o.Now}, now: o.Now, expiry: cmp.Or(o.Expiry, Expiry), log: o.Logger,
		slots: make(chan struct{}, laterMost)}
	s.life, s.end = context.WithCancel(context.Background())
	return &Store{Store: below, shared: s}
}

// Close implements storage.Store: it ends what goes on behind, which others go on with, and closes the
// store below.
func (s *Store) Close() error {
	s.busy.Lock()
	s.end()
	s.busy.Unlock()
	err := s.Store.Close()
	s.work.Wait()
	return err
}

// Settle waits for what goes on behind, such as the rows of commits. What goes on when ctx ends is left
// to others.
func (s *Store) Settle(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		s.busy.Lock()
		defer s.busy.Unlock()
		s.end()
	})
	s.work.Wait()
	stop()
}

// clock is the time in µs, by this server's clock or by the latest timestamp that it knows: the other
// servers' clocks have a part in that.
func (s *shared) clock() int64 { return max(s.now().UnixMicro(), s.oracle.since()) }

// Transactions is the store as one that commits several rows atomically and has snapshots. It writes
// transactional tables only.
func (s *Store) Transactions() *Store { return &Store{Store: s.Store, shared: s.shared, whole: true} }

// Caps implements storage.Store.
func (s *Store) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Transactional = true
	if s.whole {
		c.AtomicBatch, c.Snapshots, c.Optimistic = true, true, true
		c.Loads, c.Seeks, c.Compacts = false, false, false
		c.BatchRows, c.BatchBytes, c.Window = MaxRows, MaxBytes, Window
	}
	return c
}

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table {
	switch base := s.Store.Table(name); {
	case Is(name):
		return &table{s, name, base}
	case s.whole:
		return &plain{base, name}
	default:
		return base
	}
}

// snapshot is a moment.
type snapshot struct{ at int64 }

func (*snapshot) Close() error { return nil }

// Snapshot implements storage.Store: it takes one call, shared with who else asks. Tables that are not
// transactional are read as they are.
func (s *Store) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	if !s.whole {
		return s.Store.Snapshot(ctx)
	}
	at, err := s.oracle.take(ctx)
	if err != nil {
		return nil, err
	}
	return &snapshot{at}, nil
}

type momentKey struct{}

// At has reads under the context that have no snapshot of Transactions be at the moment of snap, which Transactions
// has given. It is for statements that write other tables.
func At(ctx context.Context, snap storage.Snapshot) context.Context {
	return context.WithValue(ctx, momentKey{}, snap)
}

// moment gives what a request's snapshot is of; 0 is now.
func (s *Store) moment(ctx context.Context, op, table string, req *storage.ScanRequest) (int64, error) {
	if req.Versions > 1 {
		return 0, storage.Unsupported("transactional table", op, "older versions of cells")
	}
	snap, ok := req.Snapshot.(*snapshot)
	if !ok {
		snap, ok = ctx.Value(momentKey{}).(*snapshot)
	}
	switch {
	case ok:
	case req.Snapshot == nil:
		return 0, nil
	default:
		return 0, storage.Errorf(storage.CodeInvalidArgument, op, table, "snapshot is of another store")
	}
	if snap.at < s.clock()-Window.Microseconds() {
		return 0, tooOld(table)
	}
	return snap.at, nil
}

// Load implements storage.Store.
func (s *Store) Load(ctx context.Context, table string, unique bool) (storage.Load, error) {
	if s.whole || Is(table) {
		return nil, storage.Unsupported("transactional table", storage.OpLoad, "loads")
	}
	return s.Store.Load(ctx, table, unique)
}

// Compact implements storage.Store.
func (s *Store) Compact(ctx context.Context, table string) error {
	if s.whole {
		return storage.Unsupported("transactional table", storage.OpCompact, "merging")
	}
	return s.Store.Compact(ctx, table)
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s.Store.Admin(), s.shared} }

type admin struct {
	storage.Admin
	s *shared
}

// CreateTable implements storage.Admin. The first transactional table brings RecordTable with it.
func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	if !Is(spec.Name) {
		return a.Admin.CreateTable(ctx, spec)
	}
	if !a.s.made.Load() {
		err := a.Admin.CreateTable(ctx, storage.TableSpec{Name: RecordTable, Families: []storage.FamilySpec{{Name: statusFamily}, {Name: recordFamily}}})
		if err != nil && storage.CodeOf(err) != storage.CodeAlreadyExists {
			return err
		}
		a.s.made.Store(true)
	}
	return a.Admin.CreateTable(ctx, withFamilies(spec))
}

// AlterTable implements storage.Admin.
func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	if Is(spec.Name) {
		spec = withFamilies(spec)
	}
	return a.Admin.AlterTable(ctx, spec)
}

func withFamilies(spec storage.TableSpec) storage.TableSpec {
	spec.Families = append(append([]storage.FamilySpec(nil), spec.Families...), families()...)
	return spec
}

// Tables implements storage.Admin: without what this package adds.
func (a admin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	list, err := a.Admin.Tables(ctx)
	for i := range list {
		if !Is(list[i].Name) {
			continue
		}
		var own []storage.FamilySpec
		for _, f := range list[i].Families {
			if !internal(f.Name) {
				own = append(own, f)
			}
		}
		list[i].Families = own
	}
	return list, err
}

// counts are of all transactions of this process on the store.
type counts struct {
	commits, conflicts, met, pushed, forward, back, images atomic.Int64
}

// Counts is what transactions have met since the store was opened.
type Counts struct {
	Commits       int64 // that succeeded
	Conflicts     int64 // that failed: a row had changed, or was locked for too long
	LocksMet      int64 // by reads
	Pushed        int64 // locks, beyond a read
	RolledForward int64 // rows of others' commits
	RolledBack    int64 // locks taken away
	Images        int64 // rows read as they were before a commit
	Timestamps    int64 // calls for timestamps
}

// Counts gives them.
func (s *Store) Counts() Counts {
	c := &s.count
	return Counts{Commits: c.commits.Load(), Conflicts: c.conflicts.Load(), LocksMet: c.met.Load(), Pushed: c.pushed.Load(),
		RolledForward: c.forward.Load(), RolledBack: c.back.Load(), Images: c.images.Load(), Timestamps: s.oracle.calls.Load()}
}

// background runs work that nobody waits for but Close, which ends life.
func (s *shared) background(what string, work func(life context.Context)) {
	s.busy.Lock()
	defer s.busy.Unlock()
	if s.life.Err() != nil {
		return
	}
	s.work.Add(1)
	go guard.Logged(s.log, what, func() {
		defer s.work.Done()
		work(s.life)
	})
}
