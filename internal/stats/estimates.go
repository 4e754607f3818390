package stats

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// Estimates remembers where the rows of tables lie. Planning asks it and waits for
// nothing: what it does not know, or knew long ago, is measured in the
// background and serves the plans made after that. EXPLAIN waits.
//
//	planning ── TableRows, Spread ──> histogram, if there is one
//	                                      │ stale
//	EXPLAIN ──────────────────────> measure: bounded calls and rows (see measure.go)
//	writes ── count ──────────────> stale
type Estimates struct {
	store      storage.Store
	log        *slog.Logger
	kept       Store
	snapshot   func() *catalog.Snapshot
	now        func() time.Time // what TTLs end by
	remote     bool             // every call goes over a network
	off        bool
	auto       bool          // columns are looked at in the background, too
	generation atomic.Uint64 // grows when plans made before may be worse than new ones
	calls      atomic.Int64  // storage calls of all measurements, and the rows read
	rows       atomic.Int64
	// How long measuring one table may take, and how long EXPLAIN waits for it.
	measureDeadline, explainDeadline time.Duration

	life context.Context // ends with the DB
	end  context.CancelFunc
	wg   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	busy   int // measurements in the background
	by     map[uint32]*tableEstimate
	pruned uint64 // version of the catalog at the last prune
}

// tableEstimate is what is known of one table.
type tableEstimate struct {
	physical string
	hist     *histogram.Histogram // nil is not known
	at       time.Time            // of the last measurement, also one that failed
	written  int64                // rows written by this process since
	running  chan struct{}        // closed when the measurement under way ends

	cols    *colstats.Table // nil is not known
	kept    []byte          // as it is stored
	version uint64          // changes when plans of the table may come out otherwise
	changed int64           // rows written by this process since its columns were looked at
	tried   time.Time       // when they were last looked at in the background
}

// When a table is measured again. Growth of a fifth does not change a choice of plans much;
// what other servers write is found out by age.
const (
	estimateAge    = 10 * time.Minute
	explainAge     = time.Minute
	shortestAge    = 10 * time.Second
	fewWritten     = 1000
	mostInParallel = 2 // measurements in the background
)

// New makes estimates of the tables of store, which know nothing yet. off measures nothing;
// auto looks at columns by itself.
func New(store storage.Store, kept Store, snapshot func() *catalog.Snapshot, now func() time.Time, log *slog.Logger, off, auto bool) *Estimates {
	z := &Estimates{store: store, kept: kept, log: log, snapshot: snapshot, now: now, auto: auto && !off, measureDeadline: 5 * time.Second, explainDeadline: 2 * time.Second, remote: !store.Caps().SmallScanSerial, off: off, by: map[uint32]*tableEstimate{}}
	z.life, z.end = context.WithCancel(context.Background())
	return z
}

// Work is how many storage calls all measurements have made, and how many rows they read.
func (z *Estimates) Work() (calls, rows int64) { return z.calls.Load(), z.rows.Load() }

// Close ends measurements and waits for them.
func (z *Estimates) Close() {
	z.mu.Lock()
	z.closed = true
	z.mu.Unlock()
	z.end()
	z.wg.Wait()
}

// of gives the entry of a table. The caller holds mu.
func (z *Estimates) of(t *catalog.Table) *tableEstimate {
	e := z.by[t.ID]
	if e == nil || e.physical != t.Physical {
		z.prune()
		e = &tableEstimate{physical: t.Physical}
		z.by[t.ID] = e
	}
	return e
}

func (e *tableEstimate) stale(now time.Time, age time.Duration, written int64) bool {
	if e.at.IsZero() || now.Sub(e.at) > age {
		return true
	}
	if e.hist != nil {
		written = max(written, int64(e.hist.Rows()/5))
	}
	return e.written >= written
}

// lookup gives what is known, and has it measured where that is too old. Nothing is known of
// temporary tables, which are not in the store.
func (z *Estimates) lookup(t *catalog.Table) *histogram.Histogram {
	if catalog.IsTemporary(t) {
		return nil
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	e := z.of(t)
	z.renew(e, t)
	return e.hist
}

// renew has a table measured in the background if that is due. The caller holds mu.
func (z *Estimates) renew(e *tableEstimate, t *catalog.Table) {
	now := time.Now()
	fresh := !e.at.IsZero() && now.Sub(e.at) < shortestAge
	if z.off || z.closed || t.Codec() == nil || fresh || e.running != nil || z.busy >= mostInParallel || !e.stale(now, estimateAge, fewWritten) {
		return
	}
	z.busy++
	z.begin(e)
	z.wg.Go(func() {
		guard.Logged(z.log, "measuring table "+t.Name, func() {
			ctx, cancel := context.WithTimeout(z.life, z.measureDeadline)
			defer cancel()
			z.finish(ctx, e, t, z.autoAnalyze(ctx, e, t))
		})
		z.mu.Lock()
		z.busy--
		z.mu.Unlock()
	})
}

// Version tells plans made with what was known then from plans made now. Where other
// servers write too, plans are made anew now and then, so that growth is noticed.
func (z *Estimates) Version() uint64 { return z.generation.Load() + z.epoch() }

func (z *Estimates) epoch() uint64 {
	if !z.remote {
		return 0
	}
	return uint64(time.Now().Unix()/int64(estimateAge/time.Second)) << 32
}

// VersionOf is Version for plans that read these tables alone.
func (z *Estimates) VersionOf(tables []*catalog.Table) uint64 {
	v := z.epoch()
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, t := range tables {
		for _, t := range withIndexes(nil, t) {
			v *= 31
			if e := z.by[t.ID]; e != nil && e.physical == t.Physical {
				v += e.version
			}
		}
	}
	return v
}

// renewed notes that plans of a table may come out otherwise. The caller holds mu.
func (z *Estimates) renewed(e *tableEstimate) { e.version = z.generation.Add(1) }

// begin enters a measurement. The caller holds mu and calls finish.
func (z *Estimates) begin(e *tableEstimate) {
	e.running = make(chan struct{})
	e.written = 0
}

// finish measures, and has analyze, if not nil, look at the columns, of which old is known: it
// gives nil where that will do. A table that cannot be read keeps what was known: the statement
// itself will say why.
func (z *Estimates) finish(ctx context.Context, e *tableEstimate, t *catalog.Table, analyze func(old *colstats.Table, rows float64) (*colstats.Table, error)) error {
	defer func() { // also of a panic: others wait
		z.mu.Lock()
		defer z.mu.Unlock()
		e.at = time.Now()
		close(e.running)
		e.running = nil
	}()
	m := measurement{store: z.store, remote: z.remote, table: t}
	hist, err := m.run(ctx)
	z.calls.Add(m.calls.Load())
	z.rows.Add(m.rows.Load())
	kept, cols := e.kept, e.cols
	if k, c, err := z.readColumns(ctx, t); err == nil {
		kept, cols = k, c
	}
	failed := err
	if analyze != nil && err == nil {
		var found *colstats.Table
		if found, failed = analyze(cols, hist.Rows()); failed == nil && found != nil {
			cols = found
			if kept, failed = colstats.Encode(cols); failed == nil {
				failed = z.kept.PutStatistics(ctx, t.ID, kept)
			}
		}
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if err == nil {
		if differs(e.hist, hist) {
			z.renewed(e)
		}
		e.hist = hist
	}
	if failed == nil && !bytes.Equal(e.kept, kept) {
		e.kept, e.cols = kept, cols
		z.renewed(e)
	}
	return failed
}

// differs says that plans may come out differently: by half or twice as many rows.
func differs(was, is *histogram.Histogram) bool {
	if was == nil || is == nil {
		return was != is
	}
	a, b := was.Rows()+1, is.Rows()+1
	return a > 2*b || b > 2*a
}

// Measure brings tables up to date and waits for it, for EXPLAIN.
func (z *Estimates) Measure(ctx context.Context, tables []*catalog.Table) {
	ctx, cancel := context.WithTimeout(ctx, z.explainDeadline)
	defer cancel()
	var all []*catalog.Table
	for _, t := range tables {
		all = withIndexes(all, t)
	}
	for _, t := range all {
		for ctx.Err() == nil && !z.ready(ctx, t) {
		}
	}
}

// withIndexes appends a table and the entries of those of its indexes that are read.
func withIndexes(list []*catalog.Table, t *catalog.Table) []*catalog.Table {
	list = append(list, t)
	for i := range t.Indexes {
		if ix := &t.Indexes[i]; ix.Readable() {
			list = append(list, ix.Entries().Table)
		}
	}
	return list
}

// ready measures a table, or waits for who does; false says to look again.
func (z *Estimates) ready(ctx context.Context, t *catalog.Table) bool {
	if catalog.IsTemporary(t) {
		return true
	}
	z.mu.Lock()
	e := z.of(t)
	running := e.running
	if running == nil {
		if z.off || z.closed || t.Codec() == nil || !e.stale(time.Now(), explainAge, fewWritten/10) {
			z.mu.Unlock()
			return true
		}
		z.begin(e)
		z.wg.Add(1)
		z.mu.Unlock()
		defer z.wg.Done()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(z.life, cancel)()
		z.finish(ctx, e, t, z.autoAnalyze(ctx, e, t))
		return true
	}
	z.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
	}
	return false
}

// Wrote counts rows written to the tables of a plan.
func (z *Estimates) Wrote(p *plan.Plan, rows int64) {
	if rows == 0 || p.ReadOnly {
		return
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, t := range p.Tables {
		if e := z.by[t.ID]; e != nil {
			e.written += rows
			e.changed += rows
			z.renew(e, t) // cached plans do not ask
		}
		for i := range t.Indexes {
			entries := t.Indexes[i].Entries().Table
			if e := z.by[entries.ID]; e != nil {
				e.written += rows
				z.renew(e, entries)
			}
		}
	}
}

// Emptied forgets tables that have lost all rows at once.
func (z *Estimates) Emptied(tables []*catalog.Table) {
	z.mu.Lock()
	defer z.mu.Unlock()
	var all []*catalog.Table
	for _, t := range tables {
		all = withIndexes(all, t)
	}
	for _, t := range all {
		e := z.by[t.ID]
		switch {
		case e == nil:
			continue
		case e.running == nil:
			delete(z.by, t.ID)
		default:
			e.written = 1 << 40 // what is measured now is old at once
		}
		z.renewed(e)
	}
}

// prune forgets tables that were dropped, here or by another server. The caller holds mu.
func (z *Estimates) prune() {
	snap := z.snapshot()
	if snap.Version() == z.pruned {
		return
	}
	live := map[uint32]bool{}
	for _, t := range snap.Tables() {
		for _, t := range withIndexes(nil, t) {
			live[t.ID] = true
		}
	}
	for id, e := range z.by {
		if e.running == nil && !live[id] {
			delete(z.by, id)
		}
	}
	z.pruned = snap.Version()
}
