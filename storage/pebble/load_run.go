package pebble

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// loadRun holds rows in memory, in lists by the first byte of the row key: a
// salted table's buckets, each of which may well come in order.
type loadRun struct {
	bins   [256]loadBin
	chunks [][]byte
	size   int64
	rows   int
	// unsorted says that rows of a bin came in no order.
	unsorted bool
}

type loadBin struct {
	rows     []loadRow
	unsorted bool
}

// loadRow says where a row is: key and packed row, one behind the other.
type loadRow struct {
	prefix     uint64 // of the key behind its first byte, for comparing: see load_sort.go
	chunk      uint32
	off        uint32
	key, value uint32 // lengths
}

const loadChunk = 1 << 20

// packedRows are rows on their way into a run, which several goroutines pack at once.
type packedRows struct {
	rows  []loadRow // off is in bytes
	bytes []byte
}

// packBytes is how much is packed at once, and one row more.
const packBytes = loadChunk / 8

// pack replaces what p holds with as many of the rows as it says. Each must be whole.
func (p *packedRows) pack(op string, t *tableState, rows []storage.RowMutation) (n int, err error) {
	w := rowpack.NewWriter()
	defer w.Release()
	d := t.desc.Load()
	p.rows, p.bytes = p.rows[:0], p.bytes[:0]
	for len(p.bytes) < packBytes && n < len(rows) {
		r := &rows[n]
		n++
		if rowpack.NeedsOld(r.Mutations) {
			return 0, storage.Errorf(storage.CodeInvalidArgument, op, d.Spec.Name, "row %x is not whole", r.Key)
		}
		// The time is that of no TTL: reads hide what is expired, and every row has a cell.
		packed, err := w.Build(op, d, time.Time{}, nil, len(r.Key), r.Mutations)
		if err != nil {
			return 0, err
		}
		if packed == nil {
			return 0, storage.Errorf(storage.CodeInvalidArgument, op, d.Spec.Name, "row %x has no cell", r.Key)
		}
		w.Key = t.key(w.Key, r.Key)
		p.add(w.Key, packed)
	}
	return n, nil
}

func (p *packedRows) add(key, packed []byte) {
	p.rows = append(p.rows, loadRow{prefix: wordAt(key, prefixLen+1), off: uint32(len(p.bytes)), key: uint32(len(key)), value: uint32(len(packed))})
	p.bytes = append(append(p.bytes, key...), packed...)
}

// release frees p for other rows.
func (p *packedRows) release() {
	if cap(p.bytes) > 4*packBytes {
		p.bytes = nil
	}
	packedPool.Put(p)
}

var packedPool = sync.Pool{New: func() any { return new(packedRows) }}

// addRows adds rows, which p may then forget.
func (r *loadRun) addRows(p *packedRows) {
	n := len(p.bytes)
	c := len(r.chunks) - 1
	if c < 0 || cap(r.chunks[c])-len(r.chunks[c]) < n {
		c++
		if c < cap(r.chunks) && cap(r.chunks[:c+1][c]) >= n {
			r.chunks = r.chunks[:c+1] // of the run before
			r.chunks[c] = r.chunks[c][:0]
		} else {
			r.chunks = append(r.chunks[:c], make([]byte, 0, max(loadChunk, n)))
		}
	}
	at := uint32(len(r.chunks[c]))
	r.chunks[c] = append(r.chunks[c], p.bytes...)
	for i := range p.rows {
		row := p.rows[i]
		row.chunk, row.off = uint32(c), row.off+at
		b := &r.bins[r.chunks[c][row.off+prefixLen]]
		if k := len(b.rows); k > 0 && !b.unsorted {
			b.unsorted = r.compare(&b.rows[k-1], &row) > 0
			r.unsorted = r.unsorted || b.unsorted
		}
		if len(b.rows) == cap(b.rows) {
			b.rows = slices.Grow(b.rows, max(len(b.rows), 64)) // by more than append does
		}
		b.rows = append(b.rows, row)
	}
	r.size += int64(n)
	r.rows += len(p.rows)
}

func (r *loadRun) keyOf(w *loadRow) []byte {
	return r.chunks[w.chunk][w.off : w.off+w.key : w.off+w.key]
}

func (r *loadRun) valueOf(w *loadRow) []byte {
	lo := w.off + w.key
	return r.chunks[w.chunk][lo : lo+w.value : lo+w.value]
}

// compare orders rows of one bin by key.
func (r *loadRun) compare(a, b *loadRow) int {
	if a.prefix != b.prefix {
		if a.prefix < b.prefix {
			return -1
		}
		return 1
	}
	return r.compareKeys(a, b)
}

func (r *loadRun) compareKeys(a, b *loadRow) int { return bytes.Compare(r.keyOf(a), r.keyOf(b)) }

func (r *loadRun) sort() {
	for i := range r.bins {
		r.sortBin(&r.bins[i], 1)
	}
}

// sortBin leaves rows of one key in the order they came in.
func (r *loadRun) sortBin(b *loadBin, goroutines int) {
	if !b.unsorted {
		return
	}
	r.sortByDigits(b.rows, make([]loadRow, len(b.rows)), 0, goroutines)
	b.unsorted = false
}

// has looks a key up among the rows in memory.
func (r *loadRun) has(key []byte) bool {
	b := &r.bins[key[prefixLen]]
	if b.unsorted {
		return slices.ContainsFunc(b.rows, func(w loadRow) bool { return bytes.Equal(r.keyOf(&w), key) })
	}
	_, found := slices.BinarySearchFunc(b.rows, key, func(w loadRow, key []byte) int { return bytes.Compare(r.keyOf(&w), key) })
	return found
}

// each gives the rows of a sorted run in key order, the last one of each key; twice decides on a
// key that comes again.
func (r *loadRun) each(twice func(key []byte) error, put func(key, packed []byte) error) error {
	for i := range r.bins {
		if err := r.eachOf(&r.bins[i], twice, put); err != nil {
			return err
		}
	}
	return nil
}

func (r *loadRun) eachOf(b *loadBin, twice func(key []byte) error, put func(key, packed []byte) error) error {
	for i := range b.rows {
		if i%touchRows == 0 {
			r.touch(b.rows[i:min(i+touchRows, len(b.rows))])
		}
		w := &b.rows[i]
		if i+1 < len(b.rows) && r.compare(w, &b.rows[i+1]) == 0 {
			if err := twice(r.keyOf(w)); err != nil {
				return err
			}
			continue
		}
		if err := put(r.keyOf(w), r.valueOf(w)); err != nil {
			return err
		}
	}
	return nil
}

// touchRows are fetched into the processor's caches at once. Sorted rows lie anywhere in the
// chunks: one after another, each would be waited for.
const touchRows = 64

// touch reads a byte of each row, which keeps the processor waiting for all of them together.
func (r *loadRun) touch(rows []loadRow) {
	var sum byte
	for i := range rows {
		w := &rows[i]
		c := r.chunks[w.chunk]
		sum |= c[w.off] | c[w.off+w.key+w.value-1]
	}
	runtime.KeepAlive(sum)
}

// reset empties the run and keeps its memory.
func (r *loadRun) reset() {
	for i := range r.bins {
		r.bins[i] = loadBin{rows: r.bins[i].rows[:0]}
	}
	r.chunks, r.size, r.rows, r.unsorted = r.chunks[:0], 0, 0, false
}
