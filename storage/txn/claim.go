package txn

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// claim locks the rows of a load for its owner, with a hash of eight bytes for
// each instead of an entry of the lock table. Two rows of one hash are locked
// together, which makes somebody wait and nothing worse.
//
//	who locks a row     takes its entry, then looks for claims
//	who claims rows     adds their hashes, then looks for entries
//
// so that one of them sees the other at least. Who meets a claim gives it the
// entry and waits in its queue like for any other lock: deadlocks are found, and
// the claim's end hands the row over.
//
// From maxClaimed rows on a claim is of the whole table.
type claim struct {
	t     *lockTable
	owner *owner
	table string

	mu    sync.RWMutex
	rows  hashSet
	all   bool
	ended bool
	made  []string // entries made for those who wait
}

// maxClaimed bounds a claim's memory to 64 MiB. Tests set it lower.
var maxClaimed = 4 << 20

// claim begins a claim of no rows.
func (t *lockTable) claim(o *owner, table string) *claim {
	c := &claim{t: t, owner: o, table: table}
	t.changeClaims(func(list []*claim) []*claim { return append(list, c) })
	return c
}

func (t *lockTable) changeClaims(change func([]*claim) []*claim) {
	for {
		was := t.claims.Load()
		list := change(slices.Clone(*was))
		if t.claims.CompareAndSwap(was, &list) {
			return
		}
	}
}

// claimed gives another's claim of the row, nil where there is none.
func (t *lockTable) claimed(o *owner, name []byte, hash uint64) *claim {
	for _, c := range *t.claims.Load() {
		if c.owner != o && c.has(name, hash) {
			return c
		}
	}
	return nil
}

func (c *claim) has(name []byte, hash uint64) bool {
	if len(name) <= len(c.table) || name[len(c.table)] != 0 || string(name[:len(c.table)]) != c.table {
		return false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return !c.ended && (c.all || c.rows.has(hash))
}

// yield gives the lock of a row, which o has just taken, to the claim that the row is under,
// and waits in its queue.
func (t *lockTable) yield(ctx context.Context, o *owner, name []byte, s *lockShard, timeout time.Duration, c *claim) (taken, queued bool, err error) {
	t.waits.Lock()
	s.mu.Lock()
	if t.takeOver(s.locks[string(name)], c, name) {
		taken, err = t.queue(ctx, o, name, s, timeout)
		return taken, true, err
	}
	s.mu.Unlock()
	t.waits.Unlock()
	return true, false, nil
}

// takeOver makes a lock the claim's, unless that has ended. Those in its queue for whom the
// claim's owner waits would wait for ever: it ends their wait. The caller holds waits and
// the shard.
func (t *lockTable) takeOver(l *lock, c *claim, name []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	waits := false // the claim's owner, for this lock
	l.queue = slices.DeleteFunc(l.queue, func(w *waiter) bool {
		switch {
		case w.owner == c.owner:
			waits = true
		case t.reaches(c.owner, w.owner, nil):
			w.err = ErrDeadlock
		default:
			return false
		}
		w.owner.waitsFor = nil
		close(w.granted)
		return true
	})
	l.owner = c.owner
	if !waits {
		c.made = append(c.made, strings.Clone(string(name)))
	}
	return true
}

// add claims the rows of names and waits until nobody else has one. again is
// called with the index of each that may be claimed already, as rows of one
// hash look the same; not once the claim is of the whole table.
func (c *claim) add(ctx context.Context, n int, name func(i int) []byte, take func(name []byte) error, again func(i int)) error {
	c.mu.Lock()
	for i := range n {
		if !c.all && !c.rows.add(c.t.hash(name(i))) {
			again(i)
		}
	}
	if c.rows.n > maxClaimed {
		c.all, c.rows = true, hashSet{}
	}
	c.mu.Unlock()
	if c.t.entries.Load() == 0 && len(*c.t.claims.Load()) == 1 {
		return nil
	}
	for i := range n {
		if nm := name(i); c.t.taken(c.owner, nm) {
			if err := take(nm); err != nil {
				return err
			}
		}
	}
	return nil
}

// taken says that another owner has the lock, or claims the row.
func (t *lockTable) taken(o *owner, name []byte) bool {
	hash := t.hash(name)
	s := t.shard(hash)
	s.mu.Lock()
	l := s.locks[string(name)]
	other := l != nil && l.owner != o
	s.mu.Unlock()
	return other || t.claimed(o, name, hash) != nil
}

// Disputed says that another transaction has rows of a table locked, or may have by a load.
func (t *Txn) Disputed(table string) bool {
	locks := t.m.locks
	for _, c := range *locks.claims.Load() {
		if c.owner != &t.owner && c.table == table {
			return true
		}
	}
	prefix := rowName(table, nil)
	for i := range locks.shards {
		if s := &locks.shards[i]; s.anyOf(prefix, &t.owner) {
			return true
		}
	}
	return false
}

// anyOf says that a row whose name begins so is locked, by another than o.
func (s *lockShard) anyOf(prefix string, o *owner) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, l := range s.locks {
		if l.owner != o && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// end lets go of all rows.
func (c *claim) end() {
	c.mu.Lock()
	c.ended = true
	made := c.made
	c.made, c.rows = nil, hashSet{}
	c.mu.Unlock()
	c.t.changeClaims(func(list []*claim) []*claim {
		return slices.DeleteFunc(list, func(x *claim) bool { return x == c })
	})
	for _, name := range made {
		c.t.release(c.owner, bytesOf(name))
	}
}

// hashSet is a set of hashes by open addressing.
type hashSet struct {
	slots []uint64 // 0 is a free one
	n     int
}

func (s *hashSet) add(h uint64) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	i := s.find(h)
	if s.slots[i] != 0 {
		return false
	}
	s.slots[i] = h | 1
	s.n++
	return true
}

// find gives the slot of h, or the free one where it belongs. The lowest bit
// of a hash says that its slot is in use.
func (s *hashSet) find(h uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := h >> 8 & mask
	for s.slots[i] != 0 && s.slots[i] != h|1 {
		i = (i + 1) & mask
	}
	return i
}

func (s *hashSet) has(h uint64) bool { return s.n > 0 && s.slots[s.find(h)] != 0 }

func (s *hashSet) grow() {
	was := s.slots
	s.slots = make([]uint64, max(1024, 2*len(was)))
	for _, h := range was {
		if h != 0 {
			s.slots[s.find(h)] = h
		}
	}
}
