package histogram

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/storage"
)

// Builder makes the histogram of a table from a store's sample and from short
// stretches of rows, each read from the beginning of a piece.
//
// The number of values of the first k columns comes from the order of the keys. A
// piece that begins and ends with one value has that one. In the others a
// row has another value than the row before it with about one probability p,
// which is that of the rows read around there: a cluster sample of neighbours.
//
//	runs = 1 + sum over the other pieces of max(1, p * rows)
//
// (The estimators for samples of single rows, such as Haas and Stokes's Duj1 and
// the GEE of Charikar et al., know of repeated values only what a random sample has
// of them. Keys at even distances never repeat a value of fewer rows than
// the distance, so that these would take each such value for a single row.)
type Builder struct {
	schema  *rowcodec.KeySchema
	pieces  []storage.SamplePiece
	columns columns
	reads   []read
	top     []byte
}

// read is a stretch of rows.
type read struct {
	piece   int
	first   []byte
	rows    float64
	pairs   float64
	changes []float64 // [k]: neighbours that differ in the first k columns
	head    []odds    // [k]: of the rows at its beginning that agree in the first k-1 columns
	agree   int       // the columns in which all its rows agree
	ended   bool      // the piece has no more rows
	bytes   float64   // of the rows
}

// NewBuilder takes the pieces of a sample.
func NewBuilder(schema *rowcodec.KeySchema, pieces []storage.SamplePiece) *Builder {
	b := &Builder{schema: schema, pieces: pieces}
	b.columns.init(schema)
	return b
}

// Last tells the last key of the table, or of a bucket.
func (b *Builder) Last(key []byte) { b.top = append([]byte(nil), b.schema.LogicalKey(key)...) }

// Places chooses at most n pieces to read rows from: one of each n-th part of them in the
// order of their logical keys, so that a common value has its share of reads, in whatever buckets.
func (b *Builder) Places(n int) []int {
	n = min(n, len(b.pieces))
	order := make([]int, len(b.pieces))
	for i := range order {
		order[i] = i
	}
	if b.schema.Buckets > 0 {
		slices.SortStableFunc(order, func(x, y int) int {
			return bytes.Compare(b.schema.LogicalKey(b.pieces[x].Span.Start), b.schema.LogicalKey(b.pieces[y].Span.Start))
		})
	}
	r := rand.New(rand.NewPCG(uint64(len(b.pieces)), uint64(n))) // the same for the same table
	out := make([]int, n)
	for i := range out {
		lo, hi := i*len(b.pieces)/n, (i+1)*len(b.pieces)/n
		out[i] = order[lo+r.IntN(hi-lo)]
	}
	return out
}

// Begin tells that rows of a piece follow, from its beginning.
func (b *Builder) Begin(piece int) {
	b.columns.restart()
	n := len(b.schema.Columns)
	b.reads = append(b.reads, read{piece: piece, changes: make([]float64, n), head: make([]odds, n), agree: n})
}

// Row takes the next row.
func (b *Builder) Row(key []byte) {
	r := &b.reads[len(b.reads)-1]
	agree := b.columns.next(key)
	if r.rows++; r.rows == 1 {
		r.first = append([]byte(nil), key...)
		return
	}
	r.pairs++
	for k := agree + 1; k < len(r.changes); k++ {
		r.changes[k]++
	}
	r.agree = min(r.agree, agree)
	for k := 1; k < len(r.head) && k <= r.agree+1; k++ {
		r.head[k].pairs++
		if agree < k {
			r.head[k].changes++
		}
	}
}

// End tells the bytes of the rows, and whether the piece has no more of them.
func (b *Builder) End(bytes int64, ended bool) {
	r := &b.reads[len(b.reads)-1]
	r.bytes, r.ended = float64(bytes), ended
}

// Histogram ends the work; nil where nothing can be told of the number of rows.
func (b *Builder) Histogram() *Histogram {
	perByte := b.rowsPerByte()
	out := make([]piece, 0, len(b.pieces))
	for i := range b.pieces {
		p := piece{key: b.pieces[i].Span.Start, rows: float64(b.pieces[i].Rows), runs: make([]float64, len(b.schema.Columns)), long: make([]float64, len(b.schema.Columns))}
		if p.rows < 0 {
			if b.pieces[i].Bytes < 0 || perByte < 0 {
				return nil
			}
			p.rows = float64(b.pieces[i].Bytes) * perByte
		}
		for j := range b.reads {
			switch r := &b.reads[j]; {
			case r.piece != i:
			case r.ended:
				p.rows = r.rows
			default:
				p.rows = max(p.rows, r.rows)
			}
			if r := &b.reads[j]; r.piece == i && r.first != nil {
				p.key = r.first
			}
		}
		out = append(out, p)
	}
	b.countRuns(out)
	return newHistogram(b.schema, out, b.top)
}

// rowsPerByte tells what the store's bytes hold: by the pieces that were read
// to their ends, since stores do not agree on what they count, or else by the
// size of the rows read. -1 is not known.
func (b *Builder) rowsPerByte() float64 {
	var whole, wholeBytes, rows, bytes, ended float64
	for i := range b.reads {
		r := &b.reads[i]
		if size := b.pieces[r.piece].Bytes; r.ended && size > 0 {
			ended++
			whole, wholeBytes = whole+r.rows, wholeBytes+float64(size)
		}
		rows, bytes = rows+r.rows, bytes+r.bytes
	}
	switch {
	case wholeBytes > 0 && ended*2 >= float64(len(b.reads)):
		return whole / wholeBytes
	case bytes > 0:
		return rows / bytes
	}
	return -1
}

// countRuns gives each piece its runs.
func (b *Builder) countRuns(out []piece) {
	n := len(b.schema.Columns)
	// agree[i]: the columns in which the beginnings of pieces i and i+1 agree.
	agree := make([]int, len(out))
	var c columns
	c.init(b.schema)
	for i := range out {
		a := c.next(out[i].key)
		if i > 0 {
			agree[i-1] = a
		}
	}
	if len(out) > 0 {
		agree[len(out)-1] = -1
	}
	near := b.neighbours(out)
	for k := 1; k < n; k++ {
		all := odds{}
		for i := range b.reads {
			all.add(&b.reads[i], k, agree)
		}
		for i := range out {
			local := odds{}
			reads, same := near(i, k)
			for _, r := range reads {
				if same && agree[i] >= k-1 {
					local.addHead(r, k, agree)
				} else {
					local.add(r, k, agree)
				}
			}
			if !same && local.pairs < enoughPairs {
				local = all
			}
			if change := local.change(); change > 0 {
				out[i].long[k] = 1 / change
			}
			switch rows := out[i].rows; {
			case i == len(out)-1:
				out[i].runs[k] = local.change() * max(rows-1, 0)
			case agree[i] < k:
				out[i].runs[k] = min(max(local.change()*rows, 1), rows)
			}
		}
		if len(out) > 0 && out[0].rows > 0 {
			out[0].runs[k]++
		}
	}
}

// odds is how often neighbours differ.
type odds struct{ pairs, changes float64 }

func (o *odds) add(r *read, k int, agree []int) {
	if agree[r.piece] < k {
		o.pairs, o.changes = o.pairs+r.pairs, o.changes+r.changes[k]
	}
}

// addHead leaves out what follows the value of the columns before.
func (o *odds) addHead(r *read, k int, agree []int) {
	if agree[r.piece] < k {
		o.pairs, o.changes = o.pairs+r.head[k].pairs, o.changes+r.head[k].changes
	}
}

func (o *odds) change() float64 {
	if o.pairs == 0 {
		return 0
	}
	return o.changes / o.pairs
}

// A piece goes by the stretches of rows that have its value of the columns before, or else by
// nearReads ones, if they have so many pairs of rows: few of one's own tell more than many of others.
const (
	nearReads   = 8
	enoughPairs = 50
	enoughOwn   = 16
)

// neighbours gives for a piece the reads around it by logical key, of whatever
// bucket: common values are long runs in all of them. same says that all of them begin with
// the piece's value of the first k-1 columns.
func (b *Builder) neighbours(out []piece) func(i, k int) (reads []*read, same bool) {
	sorted := make([]*read, len(b.reads))
	for i := range b.reads {
		sorted[i] = &b.reads[i]
	}
	key := func(r *read) []byte { return b.schema.LogicalKey(out[r.piece].key) }
	slices.SortFunc(sorted, func(x, y *read) int { return bytes.Compare(key(x), key(y)) })
	return func(i, k int) ([]*read, bool) {
		logical := b.schema.LogicalKey(out[i].key)
		at, _ := slices.BinarySearchFunc(sorted, logical, func(r *read, l []byte) int { return bytes.Compare(key(r), l) })
		if prefix, ok := b.schema.AppendPrefix(nil, out[i].key, k-1); ok && k > 1 {
			same := func(j int) bool { return bytes.HasPrefix(key(sorted[j]), b.schema.LogicalKey(prefix)) }
			from, to, pairs := at, at, 0.0
			for ; from > 0 && same(from-1); from-- {
				pairs += sorted[from-1].head[k].pairs
			}
			for ; to < len(sorted) && same(to); to++ {
				pairs += sorted[to].head[k].pairs
			}
			if pairs >= enoughOwn {
				return sorted[from:to], true
			}
		}
		from := max(min(at-nearReads/2, len(sorted)-nearReads), 0)
		return sorted[from:min(from+nearReads, len(sorted))], false
	}
}
