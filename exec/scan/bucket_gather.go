package scan

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// bucketGather runs an operator once per salt bucket and gives the rows in no order. A
// few goroutines have an operator each and take one bucket after another.
//
//	buckets 0 1 2 3 4 …  -->  operator | operator | …  -->  out, or each into its sink
type bucketGather struct {
	n       *plan.SaltGather
	build   func() (op.Operator, error)
	buckets int
	runs    []*bucketRun // kept from run to run

	cx      *op.Context
	ctx     context.Context
	cancel  context.CancelFunc
	workers int
	started bool
	taken   atomic.Int64
	out     chan bucketRows
	given   chan struct{} // to be told when the batch given last is done with
	wg      sync.WaitGroup

	mu  sync.Mutex
	err error // the first
}

// bucketRows is a batch, and whom to tell when it is done with.
type bucketRows struct {
	b    *vec.Batch
	done chan struct{}
}

// bucketRun is an operator that is run for one bucket after another.
type bucketRun struct {
	op   op.Operator
	cx   *op.Context
	open bool
	done chan struct{}
}

func NewBucketGather(n *plan.SaltGather, build func() (op.Operator, error)) (op.Operator, error) {
	buckets, err := bucketsOf(n.Input)
	if err != nil {
		return nil, err
	}
	first, err := build()
	if err != nil {
		return nil, err
	}
	return &bucketGather{n: n, build: build, buckets: buckets, runs: []*bucketRun{{op: first}}}, nil
}

// bucketsOf is how many buckets the scans have that n reads by bucket.
func bucketsOf(n plan.Node) (int, error) {
	scans := plan.BucketScans(nil, n)
	if len(scans) == 0 {
		return 0, sqlerr.Internal(nil, "nothing to be run by bucket")
	}
	buckets := scans[0].Table.Buckets()
	for _, s := range scans {
		if s.Table.Buckets() != buckets {
			return 0, sqlerr.Internal(nil, "tables of %d and of %d buckets are run by bucket together", buckets, s.Table.Buckets())
		}
	}
	return buckets, nil
}

func (g *bucketGather) Open(cx *op.Context) error {
	g.cx, g.started, g.err, g.given = cx, false, nil, nil
	g.taken.Store(0)
	g.ctx, g.cancel = context.WithCancel(cx.Ctx)
	g.workers = min(cx.Fanout(), g.buckets)
	if g.n.Serial {
		g.workers = 1
	}
	for len(g.runs) < g.workers {
		op, err := g.build()
		if err != nil {
			return err
		}
		g.runs = append(g.runs, &bucketRun{op: op})
	}
	for _, r := range g.runs[:g.workers] {
		r.cx, r.done = cx.Fork(g.ctx), make(chan struct{}, 1)
		if g.workers > 1 {
			r.cx.Settings.Fanout = 1
		}
	}
	return nil
}

func (g *bucketGather) Next() (*vec.Batch, error) {
	if g.workers == 1 {
		return g.next(g.runs[0])
	}
	if !g.started {
		g.start(nil)
	}
	if g.given != nil {
		g.given <- struct{}{}
		g.given = nil
	}
	rows, ok := <-g.out
	if !ok {
		if g.err != nil {
			return nil, g.err
		}
		return nil, io.EOF
	}
	g.given = rows.done
	return rows.b, nil
}

// next gives a run's next rows, of this bucket or the next that is free; io.EOF when
// there is none.
func (g *bucketGather) next(r *bucketRun) (*vec.Batch, error) {
	for {
		if !r.open {
			i := int(g.taken.Add(1))
			if i > g.buckets {
				return nil, io.EOF
			}
			r.cx.Bucket = i
			r.open = true
			if err := r.op.Open(r.cx); err != nil {
				return nil, err
			}
		}
		b, err := r.op.Next()
		if err != io.EOF {
			return b, err
		}
		r.open = false
		if err := r.op.Close(); err != nil {
			return nil, err
		}
	}
}

// start has the workers run; newSink nil sends rows to out.
func (g *bucketGather) start(newSink func() (op.Sink, error)) {
	g.started = true
	g.out = make(chan bucketRows, g.workers)
	for _, r := range g.runs[:g.workers] {
		g.wg.Go(func() {
			if err := op.Guarded(func() error { return g.work(r, newSink) }); err != nil {
				g.fail(err)
			}
		})
	}
	go func() {
		g.wg.Wait()
		close(g.out)
	}()
}

// fail keeps the first error and ends the others' runs.
func (g *bucketGather) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	g.cancel()
}

func (g *bucketGather) work(r *bucketRun, newSink func() (op.Sink, error)) error {
	if newSink != nil {
		return op.FeedFrom(func() (*vec.Batch, error) { return g.next(r) }, newSink)
	}
	for {
		b, err := g.next(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case g.out <- bucketRows{b, r.done}:
		case <-g.ctx.Done():
			return storage.CtxError("run", "", g.ctx.Err())
		}
		select {
		case <-r.done:
		case <-g.ctx.Done():
			return storage.CtxError("run", "", g.ctx.Err())
		}
	}
}

// Feed gives all rows to sinks.
func (g *bucketGather) Feed(newSink func() (op.Sink, error)) error {
	newSink, done := g.cx.Fed(g.n, newSink)
	defer done()
	if g.workers == 1 {
		return op.FeedFrom(g.Next, newSink)
	}
	g.start(newSink)
	for range g.out { // nothing is sent: it is closed when all are done
	}
	return g.err
}

func (g *bucketGather) Close() error {
	if g.cx == nil {
		return nil
	}
	g.cancel()
	if g.started {
		for range g.out { // until the workers are gone
		}
	}
	var err error
	for _, r := range g.runs[:min(g.workers, len(g.runs))] {
		err = closeRun(g.cx, r, err)
	}
	g.cx = nil
	return err
}

// closeRun ends a run and gives its error, or first if there is one.
func closeRun(cx *op.Context, r *bucketRun, first error) error {
	err := r.op.Close()
	r.open = false
	if r.cx != nil {
		cx.Absorb(r.cx)
		r.cx = nil
	}
	if first != nil {
		return first
	}
	return err
}
