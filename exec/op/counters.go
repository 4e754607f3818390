package op

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// counted stands above every operator and takes its rows and times where they
// are asked for.
type counted struct {
	node plan.Node
	in   Operator
	cx   *Context
	act  *plan.Actual // nil unless the statement is analyzed
}

// NewCounted counts rows and times of in for n where the statement is analyzed.
func NewCounted(n plan.Node, in Operator) Operator { return &counted{node: n, in: in} }

func (c *counted) Open(cx *Context) error {
	c.cx, c.act = cx, nil
	if cx.Actuals == nil {
		return c.in.Open(cx)
	}
	c.act = cx.Actual(c.node)
	t := time.Now()
	if c.act.Opened == 0 {
		c.act.Opened = t.Sub(cx.Start())
	}
	err := c.in.Open(cx)
	c.act.Time += time.Since(t)
	return err
}

func (c *counted) Next() (*vec.Batch, error) {
	if c.act == nil {
		return c.in.Next()
	}
	t := time.Now()
	b, err := c.in.Next()
	now := time.Now()
	c.act.Time += now.Sub(t)
	if err == nil {
		if c.act.Rows == 0 {
			c.act.FirstRow = now.Sub(c.cx.Start())
		}
		c.act.Rows += int64(b.Rows())
	}
	return b, err
}

func (c *counted) Close() error { return c.in.Close() }

// Actual gives the counters of a node, made at its first use.
func (cx *Context) Actual(n plan.Node) *plan.Actual {
	cx.mu.Lock()
	defer cx.mu.Unlock()
	if cx.Actuals.Nodes == nil {
		cx.Actuals.Nodes = map[plan.Node]*plan.Actual{}
	}
	a := cx.Actuals.Nodes[n]
	if a == nil {
		a = &plan.Actual{}
		cx.Actuals.Nodes[n] = a
	}
	return a
}

// AddWork adds the storage work of one operator to the statement's and to the
// node's.
func (cx *Context) AddWork(n plan.Node, w *plan.Actual) {
	if cx.Actuals != nil {
		a := cx.Actual(n)
		cx.mu.Lock()
		sum(a, w)
		a.PerBucket = mergeBuckets(a.PerBucket, w.PerBucket)
		cx.mu.Unlock()
	}
	cx.mu.Lock()
	rows := cx.Work.RowsWritten
	sum(&cx.Work, w)
	if cx.together && n != cx.main && !cx.countAll {
		cx.Work.RowsWritten = rows
	}
	cx.mu.Unlock()
}

// sum adds all but buckets, of which AddBuckets counts each once.
func sum(a, w *plan.Actual) {
	a.StorageCalls += w.StorageCalls
	a.RowsRead += w.RowsRead
	a.BytesRead += w.BytesRead
	a.Points += w.Points
	a.SpillBytes += w.SpillBytes
	a.RowsWritten += w.RowsWritten
}

// mergeBuckets adds shares to those of the same buckets, sorted by bucket: a scan may
// run several times, and a bucket may have been begun by one scan and ended by another.
func mergeBuckets(dst, from []plan.BucketActual) []plan.BucketActual {
	for i := range from {
		f := &from[i]
		at, found := slices.BinarySearchFunc(dst, f.Bucket, func(b plan.BucketActual, bucket int) int { return b.Bucket - bucket })
		if !found {
			dst = slices.Insert(dst, at, *f)
			continue
		}
		b := &dst[at]
		if b.FirstRow == 0 || f.FirstRow > 0 && f.FirstRow < b.FirstRow {
			b.FirstRow = f.FirstRow
		}
		b.Rows += f.Rows
		b.StorageCalls += f.StorageCalls
		b.SharedCalls += f.SharedCalls
		b.RowsRead += f.RowsRead
		b.BytesRead += f.BytesRead
		b.Time += f.Time
	}
	return dst
}
