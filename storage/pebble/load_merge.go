package pebble

import (
	"bytes"
	"container/heap"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/saltsql/saltsql/storage"
)

// merge writes the rows of runs from lo on and before hi, where they are not nil, in key
// order; of rows of one key, that of the latest run.
func (f *loadFiles) merge(ctx context.Context, runs [][]loadTable, lo, hi []byte, twice func(key []byte) error) (_ []loadTable, err error) {
	var in mergeHeap
	defer func() {
		for i := range in {
			err = errors.Join(err, in[i].close())
		}
	}()
	for _, run := range runs {
		in = append(in, mergeInput{f: f, tables: run, seq: run[0].seq, bounds: pebble.IterOptions{LowerBound: lo, UpperBound: hi}})
		if err := in[len(in)-1].next(); err != nil {
			return nil, err
		}
	}
	heap.Init(&in)
	o := &tableOut{f: f, seq: runs[len(runs)-1][0].seq}
	defer o.drop()
	for n := 1; in[0].ok; n++ {
		if n%loadCheckRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, storage.CtxError(storage.OpCommit, "", err)
			}
		}
		key := in[0].it.Key()
		if n > 1 && bytes.Equal(key, o.last) {
			if err := twice(key); err != nil {
				return nil, err
			}
		} else {
			packed, err := in[0].it.ValueAndErr()
			if err == nil {
				err = o.put(key, packed)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := in[0].next(); err != nil {
			return nil, err
		}
		heap.Fix(&in, 0)
	}
	err = o.cut()
	return o.made, err
}

func (f *loadFiles) open(path string, bounds *pebble.IterOptions) (*pebble.Iterator, error) {
	file, err := f.s.loadFS.Open(path)
	if err != nil {
		return nil, err
	}
	return pebble.NewExternalIter(f.s.tuning, bounds, [][]sstable.ReadableFile{{file}})
}

// mergeInput is a run: its tables one after another, within bounds.
type mergeInput struct {
	f      *loadFiles
	tables []loadTable // not opened yet
	bounds pebble.IterOptions
	it     *pebble.Iterator
	seq    int
	ok     bool // it stands on a row
}

// next moves to the next row of the run, if there is one.
func (m *mergeInput) next() error {
	for {
		if m.it != nil {
			m.ok = m.it.Next()
		} else if m.ok = false; len(m.tables) > 0 {
			t := &m.tables[0]
			m.tables = m.tables[1:]
			if b := &m.bounds; b.LowerBound != nil && bytes.Compare(t.hi, b.LowerBound) < 0 || b.UpperBound != nil && bytes.Compare(t.lo, b.UpperBound) >= 0 {
				continue
			}
			var err error
			if m.it, err = m.f.open(t.path, &m.bounds); err != nil {
				return err
			}
			m.ok = m.it.First()
		}
		if m.ok || m.it == nil {
			return nil
		}
		if err := m.close(); err != nil {
			return err
		}
	}
}

// close tells of an error of the reading, too.
func (m *mergeInput) close() error {
	if m.it == nil {
		return nil
	}
	err := m.it.Close()
	m.it = nil
	return err
}

// mergeHeap has the least key first, of equal ones the latest run's, and inputs
// that are at their end last.
type mergeHeap []mergeInput

func (h mergeHeap) Len() int { return len(h) }

func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h mergeHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	if !a.ok || !b.ok {
		return a.ok
	}
	if c := bytes.Compare(a.it.Key(), b.it.Key()); c != 0 {
		return c < 0
	}
	return a.seq > b.seq
}

// Push and Pop are for heap.Interface: the inputs stay the same.
func (h *mergeHeap) Push(x any) { *h = append(*h, x.(mergeInput)) }

func (h *mergeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
