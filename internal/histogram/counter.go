package histogram

import (
	"hash/maphash"

	"github.com/saltsql/saltsql/catalog/rowcodec"
)

// piece is a piece under construction.
type piece struct {
	key  []byte
	rows float64
	runs []float64 // [k]: runs of the first k columns that begin in it
	long []float64 // [k]: the rows of such a run there and around; nil is rows/runs
}

// newHistogram takes pieces in order.
func newHistogram(schema *rowcodec.KeySchema, pieces []piece, top []byte) *Histogram {
	n := len(schema.Columns)
	h := &Histogram{schema: schema, top: top, below: make([][]float64, n)}
	for k := range h.below {
		h.below[k] = make([]float64, 1, len(pieces)+1)
	}
	for i := range pieces {
		p := &pieces[i]
		h.keys = append(h.keys, p.key)
		h.below[0] = append(h.below[0], h.below[0][i]+p.rows)
		for k := 1; k < n; k++ {
			h.below[k] = append(h.below[k], h.below[k][i]+p.runs[k])
		}
		if key := schema.LogicalKey(p.key); string(key) > string(h.top) {
			h.top = key
		}
	}
	h.countValues(pieces)
	return h
}

// Counter makes the histogram of a table that is read whole.
type Counter struct {
	columns columns
	schema  *rowcodec.KeySchema
	most    int
	size    float64 // rows of a piece
	pieces  []piece
	top     []byte // the largest logical key
	rows    int
	seed    maphash.Seed
	runs    [][]run // [k], where buckets may share values
}

// run is where the run of a value begins.
type run struct {
	value uint64 // its hash
	row   int
}

// NewCounter makes at most so many pieces.
func NewCounter(schema *rowcodec.KeySchema, most int) *Counter {
	c := &Counter{schema: schema, most: max(most, 2), size: 1, seed: maphash.MakeSeed()}
	c.columns.init(schema)
	if schema.Buckets > 1 {
		c.runs = make([][]run, len(schema.Columns))
		c.columns.began = func(k int, prefix []byte) {
			c.runs[k] = append(c.runs[k], run{maphash.Bytes(c.seed, schema.LogicalKey(prefix)), c.rows})
		}
	}
	return c
}

// Row takes the rows of the table in the order of their keys.
func (c *Counter) Row(key []byte) {
	agree := c.columns.next(key)
	if logical := c.schema.LogicalKey(key); string(logical) > string(c.top) {
		c.top = append(c.top[:0], logical...)
	}
	at := len(c.pieces) - 1 // the piece that a run counts to
	if at < 0 || c.pieces[at].rows == c.size {
		if at+1 == c.most {
			c.halve()
			at = len(c.pieces) - 1
		}
		c.pieces = append(c.pieces, piece{key: append([]byte(nil), key...), runs: make([]float64, len(c.schema.Columns))})
	}
	c.pieces[len(c.pieces)-1].rows++
	c.rows++
	runs := c.pieces[max(at, 0)].runs
	for k := agree + 1; k < len(runs); k++ {
		runs[k]++
	}
}

// halve joins neighbours.
func (c *Counter) halve() {
	out := c.pieces[:0]
	for i := 0; i < len(c.pieces); i += 2 {
		p := c.pieces[i]
		if i+1 < len(c.pieces) {
			q := &c.pieces[i+1]
			p.rows += q.rows
			for k := range p.runs {
				p.runs[k] += q.runs[k]
			}
		}
		out = append(out, p)
	}
	c.pieces = out
	c.size *= 2
}

// Histogram ends the count.
func (c *Counter) Histogram() *Histogram {
	h := newHistogram(c.schema, c.pieces, c.top)
	for k := 1; k < len(c.runs); k++ {
		h.values[k] = c.values(k)
	}
	return h
}

// values counts each value once, in equal parts in the buckets that have it.
func (c *Counter) values(k int) []float64 {
	buckets := map[uint64]float64{}
	for _, r := range c.runs[k] {
		buckets[r.value]++
	}
	out := make([]float64, len(c.pieces)+1)
	for _, r := range c.runs[k] {
		out[r.row/int(c.size)+1] += 1 / buckets[r.value]
	}
	for i := range c.pieces {
		out[i+1] += out[i]
	}
	return out
}

// columns tells in how many leading columns a key agrees with the one before.
type columns struct {
	schema *rowcodec.KeySchema
	last   []byte
	ends   []int // [k]: where the first k columns of last end; -1 is not known
	buf    []byte
	first  bool
	began  func(k int, prefix []byte) // where set: a run of the first k columns begins
}

func (c *columns) init(schema *rowcodec.KeySchema) {
	c.schema, c.first = schema, true
	c.ends = make([]int, len(schema.Columns))
}

// restart begins a new stretch of rows.
func (c *columns) restart() { c.first = true }

// next gives -1 for the first row, or where the bucket is another.
func (c *columns) next(key []byte) int {
	agree := -1
	if !c.first {
		same := 0
		for same < len(key) && same < len(c.last) && key[same] == c.last[same] {
			same++
		}
		if c.schema.Buckets == 0 || same > 0 {
			agree = 0
		}
		for k := 1; k < len(c.ends) && agree == k-1; k++ {
			if c.ends[k] >= 0 && c.ends[k] <= same {
				agree = k
			}
		}
	}
	c.first = false
	c.last = append(c.last[:0], key...)
	for k := max(agree, 0) + 1; k < len(c.ends); k++ {
		c.ends[k] = -1
		var ok bool
		if c.buf, ok = c.schema.AppendPrefix(c.buf[:0], key, k); ok {
			c.ends[k] = len(c.buf)
			if c.began != nil {
				c.began(k, c.buf)
			}
		}
	}
	return agree
}
