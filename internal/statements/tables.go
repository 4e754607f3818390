package statements

import (
	"sync"
	"sync/atomic"
)

// tables counts the statements that read or wrote each table.
type tables struct {
	mu            sync.RWMutex
	of            map[uint32]*tableCount
	reads, writes atomic.Int64
}

type tableCount struct{ reads, writes atomic.Int64 }

// Touch counts a statement that read a table, or wrote it.
func (c *Collector) Touch(table uint32, write bool) {
	t := &c.tables
	t.mu.RLock()
	n := t.of[table]
	t.mu.RUnlock()
	if n == nil {
		t.mu.Lock()
		if t.of == nil {
			t.of = map[uint32]*tableCount{}
		}
		if n = t.of[table]; n == nil {
			n = &tableCount{}
			t.of[table] = n
		}
		t.mu.Unlock()
	}
	if write {
		n.writes.Add(1)
		t.writes.Add(1)
	} else {
		n.reads.Add(1)
		t.reads.Add(1)
	}
}

// Tables shows the counts of each table, and gives those of all. Where show answers false, the
// table is gone and its counts are let go of.
func (c *Collector) Tables(show func(table uint32, reads, writes int64) (there bool)) (reads, writes int64) {
	t := &c.tables
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, n := range t.of {
		if !show(id, n.reads.Load(), n.writes.Load()) {
			delete(t.of, id)
		}
	}
	return t.reads.Load(), t.writes.Load()
}
