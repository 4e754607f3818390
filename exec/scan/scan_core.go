package scan

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// It is long because a request, what is done with its rows and how its work is counted are
// one state: every way of reading moves through all of it.

// Core is what every way of running a plan.Scan shares: the spans, the
// request, and the count of the work.
type Core struct {
	n       *plan.Scan
	Counts  plan.Node // whose work it is: n, or what stands for it
	Schema  *rowcodec.Schema
	index   *catalog.Index // whose entries it reads; nil for a table's rows
	keys    *keyspan.Condition
	reduced *keyspan.Condition // n.Reduced's, where that is set
	skip    *keyspan.Condition // n.Skip's, where that is set
	hints   valueHints
	dec     RowMaker // for the consumer's goroutine

	cx       *op.Context
	table    storage.Table
	auto     storage.Table // table outside of transactions, kept from run to run
	autoOf   *txn.Manager
	set      *rowcodec.SpanSet
	limit    int64 // rows needed at most; -1 is no limit
	recheck  recheck
	seeks    *seeks
	req      storage.ScanRequest
	allSpans []storage.Span // of spans, kept from run to run
	byBucket bool           // it reads the Context's bucket only
	only     rowcodec.SpanSet
	until    int64 // µs: later, rows that were there at first may be gone in part; 0 is never
	work     plan.Actual
	buckets  op.BucketSet // read since OpenSet
	heat     op.HeatOf
	scanned  scannedSet
	src      rowSource
	parked   parkedScan
	points   pointSource
	serial   serialSource
	merge    mergeSource
	dense    denseSource
	density  density         // of the run before
	ctx      context.Context // of the scans: ends with the source
	cancel   context.CancelFunc
}

// rowSource gives the rows of one run of a scan.
type rowSource interface {
	next() (*vec.Batch, error)
	Close() error
}

func NewCore(n *plan.Scan) (*Core, error) {
	c := &Core{n: n, Counts: n, Schema: n.Table.Codec()}
	if c.Schema == nil {
		return nil, sqlerr.Internal(nil, "table %q has no codec", n.Table.Name)
	}
	if n.Of != nil {
		i := slices.IndexFunc(n.Of.Indexes, func(ix catalog.Index) bool { return ix.ID == n.Table.ID })
		if i < 0 {
			return nil, sqlerr.Internal(nil, "table %q has no index %q", n.Of.Name, n.Table.Name)
		}
		c.index = &n.Of.Indexes[i]
	}
	c.keys = keyspan.Compile(n.Table, n.Key)
	if n.Reduced != nil {
		c.reduced = keyspan.Compile(n.Table, n.Reduced.Key)
	}
	if n.Skip != nil {
		c.skip = keyspan.Compile(n.Table, n.Skip)
	}
	if err := c.dec.Init(n, c.Schema); err != nil {
		return nil, err
	}
	c.hints = newValueHints(n, c.Schema)
	return c, nil
}

// open computes the spans and the request of a run.
func (c *Core) open(cx *op.Context) error {
	keys, check := c.keys, recheckKey
	if c.reduced != nil && !cx.Env.Params[c.n.Reduced.Param-1].Null {
		keys, check = c.reduced, recheckReduced
	}
	set, err := keys.Spans(cx.Env, cx.Settings.NoPrune)
	if err != nil {
		return err
	}
	if c.byBucket && cx.Bucket > 0 && c.Schema.Key.Salted() {
		set = c.ofBucket(set, cx.Bucket-1)
	}
	if set.Exact || c.dec.recheckProg(check) == nil {
		check = ExactKey
	}
	return c.OpenSet(cx, set, check)
}

// ofBucket gives what of a set lies in one bucket.
func (c *Core) ofBucket(set *rowcodec.SpanSet, bucket int) *rowcodec.SpanSet {
	c.only = *set
	c.only.Points, c.only.Buckets = nil, nil
	for _, p := range set.Points {
		if c.Schema.Key.KeyBucket(p) == bucket {
			c.only.Points = append(c.only.Points, p)
		}
	}
	for _, b := range set.Buckets {
		if b.Bucket == bucket {
			c.only.Buckets = append(c.only.Buckets, b)
		}
	}
	return &c.only
}

// OpenSet makes the request of a run that reads set.
func (c *Core) OpenSet(cx *op.Context, set *rowcodec.SpanSet, check recheck) error {
	c.cx, c.ctx, c.cancel = cx, cx.Ctx, nil
	c.work, c.parked = plan.Actual{}, notParked
	c.set, c.recheck = set, check
	c.buckets = op.BucketSet{}
	c.heat.Open(cx, c.n.Table.ID, &c.Schema.Key)
	if c.heat.Counts() {
		c.scanned.clear()
	}
	for i := range set.Buckets {
		c.buckets.Add(set.Buckets[i].Bucket)
	}
	var err error
	if c.limit, err = limitOf(cx.Env, c.n.Limit); err != nil {
		return err
	}
	if c.seeks, err = newSeeks(c.n, &c.Schema.Key, c.skip, set.Wanted, cx.Env, cx.Caps()); err != nil {
		return err
	}
	if cx.InTxn() {
		c.table = cx.Table(c.n.Table.Physical)
	} else {
		if c.auto == nil || c.autoOf != cx.Txns {
			c.auto, c.autoOf = cx.Table(c.n.Table.Physical), cx.Txns
		}
		c.table = c.auto
	}
	if of := c.n.Of; of != nil && !cx.Txns.AtomicFor(of.Distributed()) {
		c.table = entry.Verified(cx.Txns.Plain(), c.table, of, c.index, cx.Env, cx.Table(of.Physical), cx.OldestVisible(of), cx.TryEnter)
	}
	c.req = c.dec.Request()
	c.req.Reverse, c.req.MinTS = c.n.Order == plan.Reverse, cx.OldestVisible(c.n.Table)
	c.until = 0
	if c.req.MinTS > 0 && !cx.Caps().Snapshots {
		c.until = cx.Txns.Clock().Now() + storage.CollectAfter.Microseconds()
	}
	c.hintStore()
	if c.dec.skip = nil; cx.Settings.SkipUndecodable {
		c.dec.skip = cx
	}
	if c.n.Sample != nil {
		salt := 0
		if c.Schema.Key.Salted() {
			salt = 1
		}
		if c.dec.sample, err = newRowSample(c.n.Sample, cx, salt); err != nil {
			return err
		}
	}
	if c.req.Snapshot, err = cx.Snapshot(); err != nil {
		return err
	}
	if cx.Actuals != nil {
		cx.Actual(c.Counts) // it runs, even if no row comes
	}
	return nil
}

// hintStore tells the store which rows the filter surely drops. Not where the next
// row that passes may be far behind those that are wanted, nor where rows read are
// limited and so have to be counted here.
func (c *Core) hintStore() {
	if len(c.hints) == 0 || c.seeks != nil || c.set.AllPoints {
		return
	}
	h := c.hints.compute(c.cx.Env)
	if h == nil || c.dec.dec.Whole() {
		return
	}
	c.req.Project = c.req.Project[1:] // no marker cell: a row without the column fails
	if c.limit < 0 && c.cx.Settings.MaxScanRows <= 0 {
		c.req.Hint = h
	}
}

// cancelable gives the scans a context that close ends, for sources with
// goroutines.
func (c *Core) cancelable() { c.ctx, c.cancel = context.WithCancel(c.cx.Ctx) }

// limitOf evaluates a scan's limit; -1 is none.
func limitOf(env *expr.Env, e expr.Expr) (int64, error) {
	if e == nil {
		return -1, nil
	}
	d, err := eval.EvalConst(env, e)
	if err != nil {
		return 0, err
	}
	if d.Null || d.Int < 0 { // a negative one is the Limit operator's error
		return -1, nil
	}
	return d.Int, nil
}

// filtered says that rows read may be dropped again, so that a limit does not
// bound what must be read.
func (c *Core) filtered() bool {
	return c.n.Filter != nil || c.recheck != ExactKey || c.n.Sample != nil || c.n.Loose || c.dec.skip != nil
}

// spans joins the buckets' spans, which are in order, into one list, which is good until
// it is called again.
func (c *Core) spans() []storage.Span {
	if len(c.set.Buckets) == 1 {
		return c.set.Buckets[0].Spans
	}
	all := c.allSpans[:0]
	for i := range c.set.Buckets {
		all = append(all, c.set.Buckets[i].Spans...)
	}
	c.allSpans = all
	return all
}

// Gather sets the source for rows in no order.
func (c *Core) Gather(serial bool) {
	switch {
	case c.set.Empty():
	case c.set.AllPoints:
		c.src = newPointSource(c, c.set.Points)
	case serial || c.cx.Stepwise || len(c.set.Buckets) == 1 || c.cx.Fanout() == 1 || c.n.ForUpdate && c.cx.Caps().AtomicBatch:
		// Rows that are locked are read in key order, so that two statements over the
		// same rows wait for each other and do not deadlock.
		c.src = newSerialSource(c)
	default:
		c.src = newGatherSource(c)
	}
}

// Read gives the next rows, uncounted.
func (c *Core) Read() (*vec.Batch, error) {
	if c.parked != notParked {
		if err := c.unpark(); err != nil {
			return nil, err
		}
	}
	if c.src == nil {
		return nil, io.EOF
	}
	if err := c.tooOld(); err != nil {
		return nil, err
	}
	return c.src.next()
}

// tooOld is an error where rows that were there at first may be gone.
func (c *Core) tooOld() error {
	if c.until > 0 && c.cx.Txns.Clock().Now() > c.until {
		return sqlerr.New(sqlerr.SnapshotTooOld, "snapshot too old").
			WithDetail("The statement has read table %q, which has a TTL, for longer than expired rows are kept (%v).", c.n.Table.Name, storage.CollectAfter)
	}
	return nil
}

func (c *Core) next() (*vec.Batch, error) {
	if c.src == nil || c.cx.Actuals == nil {
		return c.Read()
	}
	t := time.Now()
	b, err := c.Read()
	act := c.cx.Actual(c.Counts)
	now := time.Now()
	act.Time += now.Sub(t)
	if err == nil {
		if act.Rows == 0 {
			act.FirstRow = now.Sub(c.cx.Start())
		}
		act.Rows += int64(b.Rows())
	}
	return b, err
}

func (c *Core) Close() error {
	if c.cx == nil {
		return nil
	}
	var err error
	if c.src != nil {
		err = c.src.Close()
		c.src = nil
	}
	if c.cancel != nil {
		c.cancel()
	}
	c.cx.AddWork(c.Counts, &c.work)
	c.cx.AddBuckets(c.Counts, &c.buckets)
	c.cx = nil
	return err
}

const (
	ExactKey       recheck = iota // nothing
	recheckKey                    // Scan.Recheck
	recheckReduced                // Scan.Reduced's
)
