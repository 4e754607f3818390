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
	"github.com/saltsql/saltsql/internal/types"
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
	hint    *valueHint
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
	src      rowSource
	parked   parkedScan
	points   pointSource
	serial   serialSource
	merge    mergeSource
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
	c.keys = keyspan.Compile(&c.Schema.Key, n.Key)
	if n.Reduced != nil {
		c.reduced = keyspan.Compile(&c.Schema.Key, n.Reduced.Key)
	}
	if n.Skip != nil {
		c.skip = keyspan.Compile(&c.Schema.Key, n.Skip)
	}
	if err := c.dec.Init(n, c.Schema); err != nil {
		return nil, err
	}
	c.hint = newValueHint(n, c.Schema)
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
	if len(set.Buckets) > 0 && set.Buckets[0].Bucket >= 0 {
		c.work.Buckets = int64(len(set.Buckets))
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
	if of := c.n.Of; of != nil && !cx.Txns.Atomic() {
		c.table = entry.Verified(cx.Txns, c.table, of, c.index, cx.Env, cx.Table(of.Physical), of.OldestVisible(cx.Txns.Clock().Now()))
	}
	c.req = storage.ScanRequest{
		Project: c.dec.Project, EveryRow: c.Schema.Unmarked, KeysOnly: c.dec.keysOnly, ValuesOnly: c.dec.ver == nil && !c.dec.dec.Whole(), Reverse: c.n.Order == plan.Reverse,
		MinTS: c.n.Table.OldestVisible(cx.Txns.Clock().Now()),
	}
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
		if c.dec.sample, err = newRowSample(c.n.Sample, cx.Env, salt); err != nil {
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
	if c.hint == nil || c.seeks != nil || c.set.AllPoints {
		return
	}
	h := c.hint.compute(c.cx.Env)
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
		c.src = newPointSource(c)
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
	if c.until > 0 && c.cx.Txns.Clock().Now() > c.until {
		return nil, sqlerr.New(sqlerr.SnapshotTooOld, "snapshot too old").
			WithDetail("The statement has read table %q, which has a TTL, for longer than expired rows are kept (%v).", c.n.Table.Name, storage.CollectAfter)
	}
	return c.src.next()
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
	c.cx = nil
	return err
}

// RowMaker turns stored rows into a batch of a scan's columns and filters it.
// It serves one goroutine.
type RowMaker struct {
	n        *plan.Scan
	schema   *rowcodec.Schema
	dec      *rowcodec.RowDecoder
	Project  []storage.Col
	keysOnly bool
	marker   storage.Col
	decoded  []*vec.Vec // out's columns in the decoder's order
	unread   []*vec.Vec // those of Scan.Unread
	key, ver *vec.Vec
	filter   *eval.Prog
	recheck  *eval.Prog
	reduced  *eval.Prog  // in recheck's place, of Scan.Reduced
	sample   *rowSample  // nil: all rows
	sampled  []uint16    // the slots it gives
	skip     *op.Context // counts rows that cannot be decoded; nil: they are errors
	skipped  []uint16    // their slots, ascending
	out      vec.Batch
	sel      []uint16
}

// Init makes m ready for what n reads.
func (m *RowMaker) Init(n *plan.Scan, schema *rowcodec.Schema) error {
	m.n, m.schema = n, schema
	cellOf := cellIndexes(n)
	var wantKey, wantCells []int
	var keyVecs, cellVecs []*vec.Vec
	first := map[int]*vec.Vec{}
	for at, i := range n.Cols {
		col := &n.Table.Columns[i]
		if slices.Contains(n.Unread, at) {
			v := vec.New(col.Type)
			m.unread, m.out.Cols = append(m.unread, v), append(m.out.Cols, v)
			continue
		}
		v := first[i]
		if v == nil {
			v = vec.New(col.Type)
			first[i] = v
			if col.KeyPos >= 0 {
				wantKey, keyVecs = append(wantKey, col.KeyPos), append(keyVecs, v)
			} else {
				wantCells, cellVecs = append(wantCells, cellOf[i]), append(cellVecs, v)
			}
		}
		m.out.Cols = append(m.out.Cols, v)
	}
	m.decoded = append(keyVecs, cellVecs...)
	m.dec = rowcodec.NewRowDecoder(schema, wantKey, wantCells)
	m.Project, m.keysOnly = m.dec.Project()
	if m.keysOnly && !n.WithVersion && !n.Table.FromPhoenix() {
		m.Project = nil // a row is there if it has any cell, so no store need look for one
	}
	if schema.Unmarked && !n.WithVersion && !n.ForUpdate && len(m.Project) > 1 {
		m.Project = m.Project[1:] // rows come without it, too: one column less to look for
	}
	m.marker, _ = schema.Marker()
	if n.WithKey {
		m.key = vec.New(types.Of(types.Bytea))
		m.out.Cols = append(m.out.Cols, m.key)
	}
	if n.WithVersion {
		m.ver = vec.New(types.Of(types.Int8))
		m.out.Cols = append(m.out.Cols, m.ver)
		m.keysOnly = false
	}
	var err error
	if n.Filter != nil {
		if m.filter, err = eval.Compile(n.Filter); err != nil {
			return err
		}
	}
	if n.Reduced != nil && n.Reduced.Recheck != nil {
		if m.reduced, err = eval.Compile(n.Reduced.Recheck); err != nil {
			return err
		}
	}
	if n.Recheck != nil {
		m.recheck, err = eval.Compile(n.Recheck)
	}
	return err
}

// recheck says what a row is tested by because the spans it was found in say less than
// the key's condition.
type recheck uint8

const (
	ExactKey       recheck = iota // nothing
	recheckKey                    // Scan.Recheck
	recheckReduced                // Scan.Reduced's
)

func (m *RowMaker) recheckProg(check recheck) *eval.Prog {
	switch check {
	case recheckKey:
		return m.recheck
	case recheckReduced:
		return m.reduced
	}
	return nil
}

// clone gives a RowMaker for another goroutine.
func (m *RowMaker) clone() (*RowMaker, error) {
	c := &RowMaker{sample: m.sample, skip: m.skip}
	return c, c.Init(m.n, m.schema)
}

// cellIndexes maps indexes of Table.Columns to indexes of Schema.Cells.
func cellIndexes(n *plan.Scan) []int {
	at := make([]int, len(n.Table.Columns))
	cells := 0
	for i := range n.Table.Columns {
		if n.Table.Columns[i].KeyPos < 0 {
			at[i] = cells
			cells++
		}
	}
	return at
}

// begin makes room for n rows.
func (m *RowMaker) begin(n int) {
	m.dec.Reset()
	for _, v := range m.decoded {
		v.Resize(n)
	}
	for _, v := range m.unread {
		if v.Len() < n {
			v.Resize(n)
			for i := range n {
				v.Nulls.Set(i)
			}
		}
	}
	if m.key != nil {
		m.key.Resize(n)
	}
	if m.ver != nil {
		m.ver.Resize(n)
	}
	m.out.N, m.out.Sel = n, nil
	m.sampled, m.skipped = m.sampled[:0], m.skipped[:0]
}

// add decodes row i of rb into slot.
func (m *RowMaker) add(rb *storage.RowBatch, i, slot int) error {
	if err := m.dec.DecodeRow(rb, i, slot, m.decoded); err != nil {
		if !m.skips(err) {
			return err
		}
		m.leaveOut(slot)
	} else if m.sample != nil && m.sample.gives(rb.Key(i)) {
		m.sampled = append(m.sampled, uint16(slot))
	}
	if m.key != nil {
		m.key.Bytes[slot] = rb.Key(i)
	}
	if m.ver != nil {
		m.ver.Ints[slot] = versionOf(rb, i, &m.marker)
	}
	return nil
}

// skips says that a row which failed with err is to be left out.
func (m *RowMaker) skips(err error) bool {
	e := sqlerr.As(err)
	return m.skip != nil && e != nil && e.Code == sqlerr.DataCorrupted
}

// leaveOut leaves out the row at slot, which could not be decoded.
func (m *RowMaker) leaveOut(slot int) {
	m.skip.Undecodable()
	m.skipped = append(m.skipped, uint16(slot))
	for _, v := range m.decoded {
		v.Nulls.Set(slot)
	}
}

// remaining gives the slots of n rows that were not left out.
func (m *RowMaker) remaining(n int) []uint16 {
	m.sel = m.sel[:0]
	skipped := m.skipped
	for i := range n {
		if len(skipped) > 0 && int(skipped[0]) == i {
			skipped = skipped[1:]
			continue
		}
		m.sel = append(m.sel, uint16(i))
	}
	return m.sel
}

// versionOf is the timestamp of the marker cell, which every write of a row
// renews; -1 for a row without one, which no write of ours has touched.
func versionOf(rb *storage.RowBatch, i int, marker *storage.Col) int64 {
	for j := range rb.NumCells(i) {
		c := rb.Cell(i, j)
		if string(c.Qualifier) == string(marker.Qualifier) && c.Family == marker.Family {
			return c.Timestamp
		}
	}
	return -1
}

// end cuts the batch to n rows and filters it. It gives nil if no row is left.
func (m *RowMaker) end(n int, env *expr.Env, check recheck) (*vec.Batch, error) {
	m.out.N = n
	if m.sample != nil {
		if m.out.Sel = m.sampled; len(m.sampled) == 0 {
			return nil, nil
		}
	} else if len(m.skipped) > 0 {
		if m.out.Sel = m.remaining(n); len(m.out.Sel) == 0 {
			return nil, nil
		}
	} else if m.filter == nil && check == ExactKey {
		return &m.out, nil
	}
	for _, p := range [2]*eval.Prog{m.recheckProg(check), m.filter} {
		if p == nil {
			continue
		}
		sel, err := p.Filter(env, &m.out, m.sel)
		if err != nil {
			return nil, err
		}
		m.sel, m.out.Sel = sel, sel
		if len(sel) == 0 {
			return nil, nil
		}
	}
	if len(m.out.Sel) == m.out.N {
		m.out.Sel = nil
	}
	return &m.out, nil
}

// Decode makes a batch of all rows of rb.
func (m *RowMaker) Decode(rb *storage.RowBatch, env *expr.Env, check recheck) (*vec.Batch, error) {
	n := rb.Len()
	if m.key != nil || m.ver != nil || m.skip != nil {
		m.begin(n)
		for i := range n {
			if err := m.add(rb, i, i); err != nil {
				return nil, err
			}
		}
		return m.end(n, env, check)
	}
	if err := m.dec.DecodeBatch(rb, 0, n, m.decoded); err != nil {
		return nil, err
	}
	m.out.Sel = nil
	if m.sample != nil {
		m.sampled = m.sampled[:0]
		for i := range n {
			if m.sample.gives(rb.Key(i)) {
				m.sampled = append(m.sampled, uint16(i))
			}
		}
	}
	return m.end(n, env, check)
}
