package scan

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// parkedScan says how a scan goes on; c.set and c.limit are what is left.
type parkedScan uint8

const (
	notParked parkedScan = iota
	parkedSerial
	parkedMerge
)

func (c *Core) Parks() bool {
	if c.cx == nil || c.cx.Actuals != nil || c.seeks != nil {
		return false
	}
	switch c.src.(type) {
	case nil, *serialSource, *mergeSource:
		return true
	}
	return false
}

func (c *Core) Park() error {
	var left []rowcodec.BucketSpans
	var how parkedScan
	reverse := c.n.Order == plan.Reverse
	switch src := c.src.(type) {
	case nil:
		return nil
	case *serialSource:
		how, left = parkedSerial, c.set.Buckets
		if rb := src.rb; rb != nil && rb.Len() > 0 {
			left = nil
			last := bytes.Clone(rb.Key(rb.Len() - 1))
			for _, b := range c.set.Buckets {
				if b.Spans = storage.Resume(b.Spans, last, reverse); len(b.Spans) > 0 {
					left = append(left, b)
				}
			}
		}
		if c.limit >= 0 && !c.filtered() {
			c.limit = max(src.r.need, 0)
		}
	case *mergeSource:
		how, left = parkedMerge, c.set.Buckets
		if src.last != nil {
			logical := bytes.Clone(c.Schema.Key.LogicalKey(src.last.Key(src.lastRow)))
			left = c.Schema.Key.ResumeBuckets(c.set.Buckets, logical, reverse)
		}
		if src.left >= 0 {
			c.limit = src.left
		}
	}
	fresh, err := c.dec.clone()
	if err != nil {
		return err
	}
	err = c.src.Close()
	if c.cancel != nil {
		c.cancel()
	}
	set := *c.set
	set.Buckets = left
	c.set, c.src, c.parked = &set, nil, how
	c.dec, c.serial, c.merge = *fresh, serialSource{}, mergeSource{}
	return err
}

// unpark makes the source of a parked scan anew.
func (c *Core) unpark() error {
	how := c.parked
	c.parked, c.ctx, c.cancel = notParked, c.cx.Ctx, nil
	switch {
	case len(c.set.Buckets) == 0:
	case how == parkedMerge && len(c.set.Buckets) > 1:
		src, err := newMergeSource(c)
		c.src = src
		return err
	default:
		c.src = newSerialSource(c)
	}
	return nil
}

func (c *Core) Holds() int64 {
	n := op.SizeOf(c.dec.out.Cols) + int64(2*cap(c.dec.sel))
	of := func(rb *storage.RowBatch) {
		if rb != nil {
			n += rb.Memory()
		}
	}
	switch src := c.src.(type) {
	case nil:
	case *serialSource:
		of(src.rb)
		if src.ahead != nil {
			n += (aheadBatches - 1) * src.rb.Memory()
		} else if src.rb != src.first {
			of(src.first)
		}
	case *mergeSource:
		for i := range src.buckets {
			b := &src.buckets[i]
			of(b.cur)
			of(b.held)
			for _, rb := range b.free {
				of(rb)
			}
			if b.asked { // another goroutine's
				of(b.cur)
			}
		}
	default:
		n += op.UnknownHeld
	}
	return n
}
