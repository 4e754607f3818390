package scan

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// gatherSource reads buckets in no order, or the pieces that an unsalted table is cut into.
// On stores where scans of few rows are faster one after another it starts like that, and so
// it does where pieces must be asked for first; what is left is read by a few goroutines, a
// bucket or piece at a time each.
//
//	consumer   bucket 0, 1, 2 …  first serialRows rows
//	workers    the rest of 2 | 3 | 4 …   --> out --> consumer, or each into its sink
type gatherSource struct {
	core   *Core
	serial *serialSource // nil once the workers read
	enough int64         // rows read serially before they do
	pieces bool          // what is left is cut before it is read
	hint   *storage.Hint // for the workers: while rows are few they are counted
	seen   int64
	last   []byte // key of the last row read serially

	buckets []rowcodec.BucketSpans // what the workers read
	taken   atomic.Int64
	out     chan *gathered
	given   *gathered // what the consumer has
	wg      sync.WaitGroup

	mu  sync.Mutex
	err error // the first
}

// serialRows is how many rows are read before goroutines are worth their start.
const serialRows = 2 * storage.MaxBatchRows

// gathered is a page of rows and the batch made of it. It goes back and forth
// between its worker and the consumer.
type gathered struct {
	rb   *storage.RowBatch
	m    *RowMaker
	b    *vec.Batch
	home chan *gathered
}

func newGatherSource(c *Core) *gatherSource {
	g := &gatherSource{core: c, enough: serialRows}
	if c.cx.Caps().SmallScanSerial {
		g.hint, c.req.Hint = c.req.Hint, nil
		g.serial = newSerialSource(c)
		g.serial.long = false
	} else {
		g.buckets = c.set.Buckets
	}
	return g
}

func (g *gatherSource) next() (*vec.Batch, error) {
	for g.serial != nil {
		b, err := g.serially()
		if b != nil || err != nil {
			return b, err
		}
	}
	if g.out == nil {
		g.start(nil)
	}
	if g.given != nil {
		g.given.home <- g.given
		g.given = nil
	}
	u, ok := <-g.out
	if !ok {
		if g.err != nil {
			return nil, g.err
		}
		return nil, io.EOF
	}
	g.given = u
	return u.b, nil
}

// serially gives the next rows of the first phase; neither rows nor an error
// means that there were none in a page, or that the phase is over.
func (g *gatherSource) serially() (*vec.Batch, error) {
	c := g.core
	if g.seen >= g.enough {
		for _, b := range c.set.Buckets {
			b.Spans = storage.Resume(b.Spans, g.last, false)
			if len(b.Spans) > 0 {
				g.buckets = append(g.buckets, b)
			}
		}
		err := g.serial.Close()
		g.serial = nil
		c.req.Hint = g.hint
		if err == nil && g.pieces {
			g.buckets, err = c.cut(g.buckets)
		}
		return nil, err
	}
	if err := g.serial.fetch(); err != nil {
		return nil, err
	}
	rb := g.serial.rb
	g.seen += int64(rb.Len())
	g.last = append(g.last[:0], rb.Key(rb.Len()-1)...)
	if err := c.cx.Canceled(); err != nil {
		return nil, err
	}
	b, err := c.dec.Decode(rb, c.cx.Env, c.recheck)
	c.gave(rb, b)
	return b, err
}

// start has the workers read; newSink nil sends rows to out.
func (g *gatherSource) start(newSink func() (op.Sink, error)) {
	c := g.core
	if page, _ := c.firstPage(len(g.buckets)); page == 0 && c.seeks == nil && !c.n.WithKey && c.n.Sample == nil {
		c.req.NoKeys = !c.dec.dec.WantsKey()
	}
	if c.cancel == nil {
		c.cancelable()
	}
	n := min(c.cx.Fanout(), len(g.buckets))
	g.out = make(chan *gathered, n)
	for range n {
		g.wg.Go(func() {
			if err := op.Guarded(func() error { return g.work(newSink) }); err != nil {
				g.fail(err)
			}
		})
	}
	go func() {
		g.wg.Wait()
		close(g.out)
	}()
}

// fail keeps the first error and ends the others' scans.
func (g *gatherSource) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	g.core.cancel()
}

// work is one worker: it takes buckets until there are none.
func (g *gatherSource) work(newSink func() (op.Sink, error)) error {
	c := g.core
	units := 2
	var to op.Sink
	if newSink != nil {
		units = 1
		var err error
		if to, err = newSink(); err != nil {
			return err
		}
	}
	home := make(chan *gathered, units)
	for range units {
		m, err := c.dec.clone()
		if err != nil {
			return err
		}
		home <- &gathered{rb: getBatch(), m: m, home: home}
	}
	for {
		i := int(g.taken.Add(1)) - 1
		if i >= len(g.buckets) {
			return nil
		}
		if err := g.bucket(&g.buckets[i], home, to); err != nil {
			return err
		}
	}
}

func (g *gatherSource) bucket(b *rowcodec.BucketSpans, home chan *gathered, to op.Sink) error {
	c := g.core
	page, need := c.firstPage(len(g.buckets))
	var r pageReader
	r.open(c, b.Bucket, b.Spans, page, need)
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := r.close(); err != nil && g.err == nil {
			g.err = err
		}
	}()
	for {
		var u *gathered
		select {
		case u = <-home:
		case <-c.ctx.Done():
			return storage.CtxError(storage.OpScan, c.n.Table.Physical, c.ctx.Err())
		}
		err := r.next(u.rb)
		if err == io.EOF {
			home <- u
			return nil
		}
		if err == nil {
			u.b, err = u.m.Decode(u.rb, c.cx.Env, c.recheck)
		}
		if err != nil {
			return err
		}
		if u.b != nil && c.heat.Counts() {
			c.heat.Bucket(b.Bucket).Given(int64(u.b.Rows()))
		}
		switch {
		case u.b == nil:
			home <- u
		case to != nil:
			if err := to.Add(u.b); err != nil {
				return err
			}
			home <- u
		default:
			select {
			case g.out <- u:
			case <-c.ctx.Done():
				return storage.CtxError(storage.OpScan, c.n.Table.Physical, c.ctx.Err())
			}
		}
	}
}

// Feed gives all rows to sinks.
func (g *gatherSource) Feed(newSink func() (op.Sink, error)) error {
	var to op.Sink
	for g.serial != nil {
		b, err := g.serially()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		if to == nil {
			if to, err = newSink(); err != nil {
				return err
			}
		}
		if err := to.Add(b); err != nil {
			return err
		}
	}
	g.start(newSink)
	for range g.out { // nothing is sent: it is closed when all are done
	}
	return g.err
}

func (g *gatherSource) Close() error {
	if g.out != nil {
		g.core.cancel()
		for range g.out { // until the workers are gone
		}
	}
	if g.serial != nil {
		return g.serial.Close()
	}
	return nil
}
