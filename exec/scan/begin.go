package scan

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
	"github.com/saltsql/saltsql/storage"
)

// Beginning is where the scans of a plan begin: what they ask a store for, whatever rows it has.
type Beginning struct {
	Scans   int
	Buckets int    // read, each once for a scan
	Of      int    // the buckets of their tables
	Calls   int    // of the store, at least
	Exact   bool   // no more calls can come, and no fewer buckets be read
	Why     string // no bucket of the first scan is left out
	Rows    float64
}

// beginner walks through a plan as Build does.
type beginner struct {
	out  Beginning
	of   func(*plan.Scan) bool
	rows func(*plan.Scan) float64
	env  *expr.Env
	caps *storage.Caps
}

// Begin tells where the scans that of says yes to would begin, if the plan were run with env on a
// store of these caps. rows guesses how many rows a scan reads without its limit. The
// error is that of an argument that cannot be evaluated.
func Begin(root plan.Node, of func(*plan.Scan) bool, rows func(*plan.Scan) float64, env *expr.Env, caps *storage.Caps) (Beginning, error) {
	b := beginner{out: Beginning{Exact: true}, of: of, rows: rows, env: env, caps: caps}
	err := b.node(root, false)
	return b.out, err
}

// node adds what n asks for; byBucket says that a gather or merge above runs it in each bucket.
func (b *beginner) node(n plan.Node, byBucket bool) error {
	if s, ok := n.(*plan.Scan); ok {
		return b.scan(n, s, byBucket)
	}
	switch join := n.(type) {
	case *plan.SaltMerge, *plan.SaltGather:
		b.out.Exact = b.out.Exact && !byBucket // each bucket's run reads all buckets
		if s, ok := walk.ScanUnder(n); ok {
			return b.scan(n, s, false)
		}
		byBucket = true
	case *plan.LookupJoin:
		if right := join.Right; b.of(right) {
			b.out.Scans++
			b.out.Of += right.Table.Buckets()
			b.out.Calls++
		}
		b.out.Exact = false
	}
	if len(n.Inputs()) > 1 {
		b.out.Exact = false // one side may have no row, by which the other is not asked
	}
	for _, in := range n.Inputs() {
		if err := b.node(in, byBucket); err != nil {
			return err
		}
	}
	return nil
}

// scan adds one scan that stands alone or below above.
func (b *beginner) scan(above plan.Node, s *plan.Scan, byBucket bool) error {
	if !b.of(s) {
		return nil
	}
	c, err := NewCore(s)
	if err != nil {
		return err
	}
	if c.set, err = c.keys.Spans(b.env, false); err != nil {
		return err
	}
	if c.limit, err = limitOf(b.env, s.Limit); err != nil {
		return err
	}
	c.recheck = recheckKey
	if c.set.Exact || c.dec.recheckProg(recheckKey) == nil {
		c.recheck = ExactKey
	}
	o, first := &b.out, b.out.Scans == 0
	o.Scans++
	o.Of += s.Table.Buckets()
	o.Exact = o.Exact && s.Reduced == nil && s.Distinct == 0 && s.Skip == nil
	buckets := setBuckets(&c.Schema.Key, c.set)
	read := b.rows(s)
	switch _, ordered := above.(*plan.SaltMerge); {
	case c.set.Empty():
		read = 0
	case byBucket:
		o.Calls += len(buckets)
		o.Exact = o.Exact && c.limit < 0 && len(c.spans()) == len(c.set.Buckets) && !b.caps.Seeks
	case c.set.AllPoints:
		each := keysPerGet(b.caps)
		o.Calls += (len(c.set.Points) + each - 1) / each
		read = float64(len(c.set.Points))
	case len(c.set.Buckets) > 1 && (ordered || above == plan.Node(s) && s.Order != plan.Unordered):
		var dense denseSource
		if want := dense.tries(c, b.caps); want > 0 {
			o.Calls++
			o.Exact = false // the points may have no row: then the buckets are merged
			buckets = map[int]bool{}
			for _, k := range dense.make(want) {
				buckets[c.Schema.Key.KeyBucket(k)] = true
			}
			read = float64(want)
			break
		}
		n := len(c.set.Buckets)
		o.Calls += n
		if c.limit >= 0 && !c.filtered() {
			read = min(read, float64(firstRows(b.caps, c.limit, n))*float64(n))
		}
		o.Exact = false // a bucket that wins is asked for more
	default:
		o.Calls++
		if g, ok := above.(*plan.SaltGather); ok && !g.Serial && len(c.set.Buckets) > 1 {
			o.Exact = false
			if !b.caps.SmallScanSerial {
				o.Calls += len(c.set.Buckets) - 1
			}
		}
		if c.limit >= 0 && !c.filtered() {
			read = min(read, float64(c.limit))
		}
		o.Exact = o.Exact && c.limit < 0 && len(c.spans()) == 1 && (s.Key == nil || !b.caps.Seeks)
	}
	if s.Table.Buckets() > 0 {
		o.Buckets += len(buckets)
	}
	if first && len(buckets) > 1 {
		o.Why = c.set.NotPruned
	}
	o.Rows += read
	return nil
}

// setBuckets are the buckets that a set lies in.
func setBuckets(key *rowcodec.KeySchema, set *rowcodec.SpanSet) map[int]bool {
	m := map[int]bool{}
	for i := range set.Buckets {
		m[set.Buckets[i].Bucket] = true
	}
	for _, k := range set.Points {
		m[key.KeyBucket(k)] = true
	}
	return m
}
