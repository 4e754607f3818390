package exec

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// scanCore is what every way of running a plan.Scan shares: the spans, the
// request, and the count of the work.
type scanCore struct {
	n      *plan.Scan
	schema *rowcodec.Schema
	keys   *keySpans
	skip   *keySpans // n.Skip's, where that is set
	hint   *valueHint
	dec    rowMaker // for the consumer's goroutine

	cx      *Context
	table   storage.Table
	auto    storage.Table // table outside of transactions, kept from run to run
	autoOf  *txn.Manager
	set     *rowcodec.SpanSet
	limit   int64 // rows needed at most; -1 is no limit
	recheck bool
	seeks   *seeks
	req     storage.ScanRequest
	until   int64 // µs: later, rows that were there at first may be gone in part; 0 is never
	work    plan.Actual
	src     rowSource
	points  pointSource
	serial  serialSource
	merge   mergeSource
	ctx     context.Context // of the scans: ends with the source
	cancel  context.CancelFunc
}

// rowSource gives the rows of one run of a scan.
type rowSource interface {
	next() (*vec.Batch, error)
	close() error
}

func newScanCore(n *plan.Scan) (*scanCore, error) {
	c := &scanCore{n: n, schema: n.Table.Codec()}
	if c.schema == nil {
		return nil, sqlerr.Internal(nil, "table %q has no codec", n.Table.Name)
	}
	c.keys = newKeySpans(&c.schema.Key, n.Key)
	if n.Skip != nil {
		c.skip = newKeySpans(&c.schema.Key, n.Skip)
	}
	if err := c.dec.init(n, c.schema); err != nil {
		return nil, err
	}
	c.hint = newValueHint(n, c.schema)
	return c, nil
}

// open computes the spans and the request of a run.
func (c *scanCore) open(cx *Context) error {
	c.cx, c.ctx, c.cancel = cx, cx.Ctx, nil
	c.work = plan.Actual{}
	set, err := c.keys.compute(cx.Env, cx.Settings.NoPrune)
	if err != nil {
		return err
	}
	c.set = set
	c.recheck = !set.Exact && c.dec.recheck != nil
	if len(set.Buckets) > 0 && set.Buckets[0].Bucket >= 0 {
		c.work.Buckets = int64(len(set.Buckets))
	}
	if c.limit, err = limitOf(cx.Env, c.n.Limit); err != nil {
		return err
	}
	if c.seeks, err = newSeeks(c.n, &c.schema.Key, c.skip, set.Wanted, cx.Env, &cx.caps); err != nil {
		return err
	}
	if cx.Txn != nil || cx.implicit != nil {
		c.table = cx.store.Table(c.n.Table.Physical)
	} else {
		if c.auto == nil || c.autoOf != cx.Txns {
			c.auto, c.autoOf = cx.store.Table(c.n.Table.Physical), cx.Txns
		}
		c.table = c.auto
	}
	c.req = storage.ScanRequest{
		Project: c.dec.project, KeysOnly: c.dec.keysOnly, ValuesOnly: c.dec.ver == nil, Reverse: c.n.Order == plan.Reverse,
		MinTS: c.n.Table.OldestVisible(cx.Txns.Clock().Now()),
	}
	c.until = 0
	if c.req.MinTS > 0 && !cx.caps.Snapshots {
		c.until = cx.Txns.Clock().Now() + storage.CollectAfter.Microseconds()
	}
	c.hintStore()
	if c.req.Snapshot, err = cx.snapshot(); err != nil {
		return err
	}
	if cx.Actuals != nil {
		cx.actual(c.n) // it runs, even if no row comes
	}
	return nil
}

// hintStore tells the store which rows the filter surely drops. Not where the next
// row that passes may be far behind those that are wanted, nor where rows read are
// limited and so have to be counted here.
func (c *scanCore) hintStore() {
	if c.hint == nil || c.seeks != nil || c.set.AllPoints {
		return
	}
	h := c.hint.compute(c.cx.Env)
	if h == nil {
		return
	}
	c.req.Project = c.req.Project[1:] // no marker cell: a row without the column fails
	if c.limit < 0 && c.cx.Settings.MaxScanRows <= 0 {
		c.req.Hint = h
	}
}

// cancelable gives the scans a context that close ends, for sources with
// goroutines.
func (c *scanCore) cancelable() { c.ctx, c.cancel = context.WithCancel(c.cx.Ctx) }

// limitOf evaluates a scan's limit; -1 is none.
func limitOf(env *expr.Env, e expr.Expr) (int64, error) {
	if e == nil {
		return -1, nil
	}
	d, err := expr.EvalConst(env, e)
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
func (c *scanCore) filtered() bool { return c.n.Filter != nil || c.recheck }

// spans joins the buckets' spans, which are in order, into one list.
func (c *scanCore) spans() []storage.Span {
	if len(c.set.Buckets) == 1 {
		return c.set.Buckets[0].Spans
	}
	var all []storage.Span
	for i := range c.set.Buckets {
		all = append(all, c.set.Buckets[i].Spans...)
	}
	return all
}

func (c *scanCore) next() (*vec.Batch, error) {
	if c.src == nil {
		return nil, errEOF
	}
	if c.until > 0 && c.cx.Txns.Clock().Now() > c.until {
		return nil, sqlerr.New(sqlerr.SnapshotTooOld, "snapshot too old").
			WithDetail("The statement has read table %q, which has a TTL, for longer than expired rows are kept (%v).", c.n.Table.Name, storage.CollectAfter)
	}
	if c.cx.Actuals == nil {
		return c.src.next()
	}
	t := time.Now()
	b, err := c.src.next()
	act := c.cx.actual(c.n)
	now := time.Now()
	act.Time += now.Sub(t)
	if err == nil {
		if act.Rows == 0 {
			act.FirstRow = now.Sub(c.cx.start)
		}
		act.Rows += int64(b.Rows())
	}
	return b, err
}

func (c *scanCore) close() error {
	if c.cx == nil {
		return nil
	}
	var err error
	if c.src != nil {
		err = c.src.close()
		c.src = nil
	}
	if c.cancel != nil {
		c.cancel()
	}
	c.cx.addWork(c.n, &c.work)
	c.cx = nil
	return err
}

// rowMaker turns stored rows into a batch of a scan's columns and filters it.
// It serves one goroutine.
type rowMaker struct {
	n        *plan.Scan
	schema   *rowcodec.Schema
	dec      *rowcodec.RowDecoder
	project  []storage.Col
	keysOnly bool
	marker   storage.Col
	decoded  []*vec.Vec // out's columns in the decoder's order
	unread   []*vec.Vec // those of Scan.Unread
	key, ver *vec.Vec
	filter   *expr.Prog
	recheck  *expr.Prog
	out      vec.Batch
	sel      []uint16
}

func (m *rowMaker) init(n *plan.Scan, schema *rowcodec.Schema) error {
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
	m.project, m.keysOnly = m.dec.Project()
	if m.keysOnly && !n.WithVersion && !n.Table.Adopted {
		m.project = nil // a row is there if it has any cell, so no store need look for one
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
		if m.filter, err = expr.Compile(n.Filter); err != nil {
			return err
		}
	}
	if n.Recheck != nil {
		m.recheck, err = expr.Compile(n.Recheck)
	}
	return err
}

// clone gives a rowMaker for another goroutine.
func (m *rowMaker) clone() (*rowMaker, error) {
	c := &rowMaker{}
	return c, c.init(m.n, m.schema)
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
func (m *rowMaker) begin(n int) {
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
}

// add decodes row i of rb into slot.
func (m *rowMaker) add(rb *storage.RowBatch, i, slot int) error {
	if err := m.dec.DecodeRow(rb, i, slot, m.decoded); err != nil {
		return err
	}
	if m.key != nil {
		m.key.Bytes[slot] = rb.Key(i)
	}
	if m.ver != nil {
		m.ver.Ints[slot] = versionOf(rb, i, &m.marker)
	}
	return nil
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
func (m *rowMaker) end(n int, env *expr.Env, recheck bool) (*vec.Batch, error) {
	m.out.N = n
	if m.filter == nil && !recheck {
		return &m.out, nil
	}
	for _, p := range [2]*expr.Prog{m.recheck, m.filter} {
		if p == nil || p == m.recheck && !recheck {
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

// decode makes a batch of all rows of rb.
func (m *rowMaker) decode(rb *storage.RowBatch, env *expr.Env, recheck bool) (*vec.Batch, error) {
	n := rb.Len()
	if m.key != nil || m.ver != nil {
		m.begin(n)
		for i := range n {
			if err := m.add(rb, i, i); err != nil {
				return nil, err
			}
		}
		return m.end(n, env, recheck)
	}
	if err := m.dec.DecodeBatch(rb, 0, n, m.decoded); err != nil {
		return nil, err
	}
	m.out.Sel = nil
	return m.end(n, env, recheck)
}
