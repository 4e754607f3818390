package op

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Context is what one execution of a statement may use. The session fills the
// exported fields; a Context serves one execution.
type Context struct {
	// Ctx bounds the whole execution, from Open to Close. Its cause says why it
	// ended: ErrStatementTimeout, ErrUserCancel or a *sqlerr.Error.
	Ctx context.Context
	// Txns is the store's manager. Writes of a statement outside of a
	// transaction are committed by the statement itself.
	Txns *txn.Manager
	// Txn is the open transaction; nil outside of one.
	Txn *txn.Txn
	// Env holds the parameters and all that expressions may know.
	Env      *expr.Env
	Settings Settings
	// Source gives the rows of a plan.External.
	Source Source
	// World is what virtual relations are computed from.
	World catalog.VirtualWorld
	// Notice takes notices; nil drops them.
	Notice func(*sqlerr.Error)
	// Actuals, where set, are filled for EXPLAIN ANALYZE.
	Actuals *plan.Actuals
	// Heat counts what is read and written of each bucket; the zero one does not.
	Heat heat.Counter
	// Enter, where set, is called before each write outside of a transaction;
	// the write uses its context and calls leave when it is answered. It is
	// catalog.Catalog.Enter.
	Enter func(ctx context.Context, tables ...*catalog.Table) (_ context.Context, leave func(), err error)
	// TryEnter, where set, is Enter of a reader that mends what it reads: it does not wait,
	// and ok is false where nothing may be written.
	TryEnter func(ctx context.Context, t *catalog.Table) (_ context.Context, leave func(), ok bool)
	// Wrote, where set, is told which tables a statement in a transaction
	// writes; whoever commits enters for them.
	Wrote func(*catalog.Table)
	// Shown, where set, says which columns of a table errors may show, by place; nil is all.
	Shown func(*catalog.Table) []bool
	// Frozen reads all rows as they are when the statement opens, however little
	// it reads: others write before it ends.
	Frozen bool
	// Stepwise says that rows are taken a few at a time, perhaps with long pauses: few are
	// read ahead of them, and on one goroutine.
	Stepwise bool
	// Memory is what the execution holds; Open and Close of the Statement open and close
	// it. nil makes one.
	Memory *memory.Account
	// Statement is the account that Memory is a part of, beside the statement's text and plan;
	// nil takes of Pool.
	Statement *memory.Account
	// Pool is what all statements share; nil has no limit.
	Pool *memory.Pool
	// Writing, where set, books how many bytes of writes the transaction that the
	// statement runs in holds; 0 when they are gone. 53200 if there is no memory for them.
	Writing func(n int64) error
	// FailedRow is set where a statement over Source fails at one of its rows: one
	// more than the row's slot in the batch that Source gave last.
	FailedRow int
	// Work sums up the storage work of all scans and writes; complete after Close.
	Work plan.Actual

	parent *Context // that it was forked from, to run by bucket
	Bucket int      // one more than the salt bucket that scans read; 0 is all

	store     storage.Store // of Txn, of the implicit transaction, or Txns.Auto()
	storeCaps storage.Caps
	implicit  *txn.Txn

	commitCalls int64     // of implicit
	mark        txn.Mark  // Txn's, before the statement
	writes      bool      // the statement does
	together    bool      // see Needs.Together
	main        plan.Node // with together: see Needs.Main
	countAll    bool
	changed     changedRows
	finished    bool      // all writes were made, and committed or left to Txn
	began       time.Time // with Actuals

	buckets    []bucketsRead // by node
	fewBuckets [2]bucketsRead

	rowsScanned  atomic.Int64
	undecodable  atomic.Int64 // rows left out: see SkipUndecodable
	sampleSeed   atomic.Uint64
	mu           sync.Mutex
	wantSnapshot bool
	shared       map[int]any // see share
	snap         storage.Snapshot
}

// Settings are the limits of a statement. Zero values mean the defaults.
type Settings struct {
	WorkMem     int64  // bytes that sorts and hash tables may hold before they spill; 64 MiB
	MaxMemory   int64  // bytes of all kinds that the statement may hold; half of the Pool
	TempDir     string // for spilled data; the system's
	Fanout      int    // scans that may run at once; the store's Caps.ScanFanout at most
	MaxTxnBytes int64  // of an implicit transaction's writes; txn.DefaultMaxBytes
	LockTimeout time.Duration
	MaxScanRows int64 // rows that scans may read; 0 is no limit
	// SkipUndecodable leaves out rows whose bytes are no values of their columns.
	SkipUndecodable bool
	// NoHeatKeys keeps keys that are read and written out of the samples of Context.Heat.
	NoHeatKeys bool
	// NoSync acknowledges writes before they are durable.
	NoSync bool
	// NoPrune reads every salt bucket: the rules-off switch of tests.
	NoPrune bool
	// Chunked lets a statement outside of a transaction commit whenever
	// MaxTxnBytes of writes are held, instead of failing: for loads.
	Chunked bool
}

// MostMemory is how many bytes a statement may hold of a pool; 0 is no limit.
func (s *Settings) MostMemory(pool *memory.Pool) int64 {
	if most := pool.Limit() / 2; s.MaxMemory <= 0 || most > 0 && most < s.MaxMemory {
		return most
	}
	return s.MaxMemory
}

// DefaultWorkMem is Settings.WorkMem's default.
const DefaultWorkMem = 64 << 20

// Source gives rows from outside a plan, as Operator.Next does.
type Source interface {
	Next() (*vec.Batch, error)
}

// Fanout is how many scans may run at once.
func (cx *Context) Fanout() int {
	n := max(cx.storeCaps.ScanFanout, 1)
	if f := cx.Settings.Fanout; f > 0 {
		n = min(n, f)
	}
	return n
}

// Caps is what the store of the execution can do.
func (cx *Context) Caps() *storage.Caps { return &cx.storeCaps }

// Table gives a table of the store as the execution sees it.
func (cx *Context) Table(physical string) storage.Table { return cx.store.Table(physical) }

// TxnTable gives a table of the transaction that writes wait in; nil where each is one of its own:
// see InTxn.
func (cx *Context) TxnTable(physical string) *txn.Table {
	switch {
	case cx.Txn != nil:
		return cx.Txn.Table(physical)
	case cx.implicit != nil:
		return cx.implicit.Table(physical)
	}
	return nil
}

// OldestVisible is the table's, now; the clock of a table without TTL is not read.
func (cx *Context) OldestVisible(t *catalog.Table) int64 {
	if t.Options.TTL == 0 {
		return t.ExpiredBefore
	}
	return t.OldestVisible(cx.Txns.Clock().Now())
}

// InTxn says that writes wait for a commit: of Txn or of the implicit transaction.
func (cx *Context) InTxn() bool { return cx.Txn != nil || cx.implicit != nil }

// ImplicitTxn is the transaction of a statement that commits by itself; nil where
// there is none.
func (cx *Context) ImplicitTxn() *txn.Txn { return cx.implicit }

// Together says that the statement commits at its end, and not with the node that writes.
func (cx *Context) Together() bool { return cx.together }

// Start is when the execution began, where it is analyzed.
func (cx *Context) Start() time.Time { return cx.began }

// openMemory begins the statement's account.
func (cx *Context) openMemory() {
	if cx.Memory == nil {
		cx.Memory = new(memory.Account)
	}
	limit, work := cx.Settings.MostMemory(cx.Pool), cx.Settings.WorkMem
	if work <= 0 {
		work = DefaultWorkMem
	}
	if limit > 0 {
		work = min(work, limit/2)
	}
	if cx.Statement != nil {
		cx.Memory.OpenPart(cx.Statement, work)
	} else {
		cx.Memory.Open(cx.Pool, limit, work)
	}
	cx.Env.Mem = cx.Memory
}

// growParams makes room for parameters that joins set. The slice is made before anything
// runs, for scans on other goroutines read it while a join sets its own.
func (cx *Context) growParams(n int) {
	if n <= len(cx.Env.Params) {
		return
	}
	params := make([]types.Datum, n)
	for i := copy(params, cx.Env.Params); i < n; i++ {
		params[i] = types.NullDatum
	}
	cx.Env.Params = params
}

// SendNotice sends a notice to the client.
func (cx *Context) SendNotice(e *sqlerr.Error) {
	if cx.Notice != nil {
		cx.Notice(e)
	}
}

// Snapshot gives the statement's one read view, nil where it needs none or the
// store has none.
func (cx *Context) Snapshot() (storage.Snapshot, error) {
	// A transaction freezes its own writes on every store.
	if cx.parent != nil {
		return cx.parent.Snapshot()
	}
	if !cx.wantSnapshot || !cx.storeCaps.Snapshots && !cx.InTxn() {
		return nil, nil
	}
	cx.mu.Lock()
	defer cx.mu.Unlock()
	if cx.snap == nil {
		snap, err := cx.store.Snapshot(cx.Ctx)
		if err != nil {
			return nil, err
		}
		cx.snap = snap
	}
	return cx.snap, nil
}

// WriteOptions are those of the statement's writes.
func (cx *Context) WriteOptions() storage.WriteOptions {
	return storage.WriteOptions{NoSync: cx.Settings.NoSync}
}

// ChunkFull says that a chunked load commits now: well before a limit, for the batch that goes over
// it.
func (cx *Context) ChunkFull(t *txn.Txn) bool {
	caps := cx.Caps()
	if caps.BatchRows > 0 && (t.Changes() >= caps.BatchRows/4 || t.Bytes() >= int64(caps.BatchBytes)/4) {
		return true
	}
	return t.Bytes() >= cx.chunkBytes()
}

func (cx *Context) chunkBytes() int64 {
	n := cx.Settings.MaxTxnBytes
	if n <= 0 {
		n = txn.DefaultMaxBytes
	}
	n = n / 4 * 3
	if most := cx.Pool.Limit() / 8; most > 0 {
		n = min(n, most)
	}
	return n
}

// BookWrites books the writes that wait for a commit.
func (cx *Context) BookWrites() error {
	t := cx.Txn
	if t == nil {
		t = cx.implicit
	}
	if t == nil || cx.Writing == nil {
		return nil
	}
	if n := t.Bytes(); n > leastBooked {
		return cx.Writing(n)
	}
	return nil
}

// leastBooked is how many bytes of writes a transaction holds before they are booked.
const leastBooked = 1 << 20

// Canceled is for loops that make no storage calls.
func (cx *Context) Canceled() error {
	if err := cx.Ctx.Err(); err != nil {
		return storage.CtxError("run", "", err)
	}
	return nil
}

// FailAt notes the slot of the input row that a statement failed at.
func (cx *Context) FailAt(slot int) { cx.FailedRow = slot + 1 }

// FindFailed notes the first row of b for which eval, which failed for b, fails:
// evaluation goes by columns and does not say.
func (cx *Context) FindFailed(b *vec.Batch, eval func(one *vec.Batch) error) {
	if cx.Source == nil {
		return
	}
	one := vec.Batch{Cols: b.Cols, N: b.N}
	for i := range b.Rows() {
		one.Sel = []uint16{uint16(b.Row(i))}
		if eval(&one) != nil {
			cx.FailAt(b.Row(i))
			return
		}
	}
}
