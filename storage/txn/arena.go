package txn

import (
	"unsafe"

	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/storage"
)

// arena keeps copies of mutations in large chunks, and gives memory back to a
// mark in one step.
type arena struct {
	bytes chunks[byte]
	muts  chunks[storage.Mutation]
}

type arenaMark struct{ bytes, muts chunkMark }

func (a *arena) mark() arenaMark { return arenaMark{a.bytes.mark(), a.muts.mark()} }

// undo forgets what was copied since the mark. Nothing may refer to it.
func (a *arena) undo(m arenaMark) {
	if poison.On {
		a.bytes.since(m.bytes, poison.Bytes)
	}
	a.bytes.undo(m.bytes)
	a.muts.undo(m.muts)
}

// copy gives a deep copy of muts, with other timestamps if ts is not 0.
func (a *arena) copy(muts []storage.Mutation, ts int64) []storage.Mutation {
	out := a.muts.take(len(muts))
	copy(out, muts)
	for i := range out {
		m := &out[i]
		m.Qualifier = a.copyBytes(m.Qualifier)
		m.Value = a.copyBytes(m.Value)
		if ts != 0 && m.Op == storage.SetCell {
			m.Timestamp = ts
		}
	}
	return out
}

func (a *arena) copyBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	out := a.bytes.take(len(b))
	copy(out, b)
	return out
}

// chunks is a list of slices of which the last one used is cut from its start.
type chunks[T any] struct {
	list  [][]T
	first [1][]T // what list starts as
	cur   int    // index of the chunk in use
}

type chunkMark struct{ cur, used int }

func (c *chunks[T]) mark() chunkMark {
	if len(c.list) == 0 {
		return chunkMark{}
	}
	return chunkMark{c.cur, len(c.list[c.cur])}
}

// since calls f for what was taken since the mark.
func (c *chunks[T]) since(m chunkMark, f func([]T)) {
	for i := m.cur; i < len(c.list); i++ {
		chunk := c.list[i]
		if i == m.cur {
			chunk = chunk[m.used:]
		}
		f(chunk)
	}
}

func (c *chunks[T]) undo(m chunkMark) {
	if len(c.list) == 0 {
		return
	}
	for i := m.cur + 1; i < len(c.list); i++ {
		c.list[i] = nil
	}
	c.list = c.list[:m.cur+1]
	c.cur = m.cur
	c.list[c.cur] = c.list[c.cur][:m.used]
}

// take gives n elements; after an undo they hold anything.
func (c *chunks[T]) take(n int) []T {
	if len(c.list) == 0 || cap(c.list[c.cur])-len(c.list[c.cur]) < n {
		// The first chunks are small: most transactions are.
		if c.list == nil {
			c.list = c.first[:0]
		}
		size := 1 << 10 << min(len(c.list), 8)
		var t T
		c.list = append(c.list, make([]T, 0, max(size/int(unsafe.Sizeof(t)), n)))
		c.cur = len(c.list) - 1
	}
	chunk := c.list[c.cur]
	lo := len(chunk)
	c.list[c.cur] = chunk[:lo+n]
	return chunk[lo : lo+n : lo+n]
}
