package txn

import (
	"context"
	"slices"
	"time"
)

// tableLock is the lock of a table. Who locks rows is a member of their table, from
// the first row to its end; who removes all rows has the table alone.
//
//	member   join ── row locks, commit ── leave
//	alone    waits until the last member has left, and who joins meanwhile waits behind it
//
// It is granted in the order of asking. A member goes on locking rows while
// somebody waits to be alone, who waits for it. The lock exists while somebody
// has it, and changes under its shard's mutex; while somebody waits, owner.queued
// changes under lockTable.waits too, so that a circle is found as for rows.
type tableLock struct {
	name    string
	s       *lockShard
	members map[*owner]struct{}
	alone   *owner
	queue   []*tableWaiter
}

type tableWaiter struct {
	owner   *owner
	alone   bool
	granted chan struct{}
}

// join makes o a member of a table, which it may be already.
func (t *lockTable) join(ctx context.Context, o *owner, table string, timeout time.Duration) error {
	for _, l := range o.tables {
		if l.name == table {
			return nil
		}
	}
	s := t.shard(t.hash(bytesOf(table)))
	s.mu.Lock()
	l := s.tableLocked(table)
	if l.free(false) && len(l.queue) == 0 {
		l.take(o, false)
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	return t.waitTable(ctx, o, table, false, timeout)
}

// takeAlone waits until nobody else locks rows of the table. o is a member of no table.
func (t *lockTable) takeAlone(ctx context.Context, o *owner, table string) error {
	return t.waitTable(ctx, o, table, true, 0)
}

// tableLocked gives the lock of a table. The caller has the shard, and takes the lock
// or queues for it.
func (s *lockShard) tableLocked(table string) *tableLock {
	l := s.tables[table]
	if l != nil {
		return l
	}
	if l = s.spare; l != nil {
		s.spare = nil
	} else {
		l = &tableLock{s: s, members: map[*owner]struct{}{}}
	}
	l.name = table
	s.tables[table] = l
	return l
}

// free says that the lock could be taken by somebody new who is first in the queue.
func (l *tableLock) free(alone bool) bool {
	return l.alone == nil && (!alone || len(l.members) == 0)
}

func (l *tableLock) take(o *owner, alone bool) {
	if alone {
		l.alone = o
	} else {
		l.members[o] = struct{}{}
	}
	if o.tables == nil {
		o.tables = o.first[:0]
	}
	o.tables = append(o.tables, l)
}

func (t *lockTable) waitTable(ctx context.Context, o *owner, table string, alone bool, timeout time.Duration) error {
	s := t.shard(t.hash(bytesOf(table)))
	t.waits.Lock()
	s.mu.Lock()
	l := s.tableLocked(table)
	if l.free(alone) && len(l.queue) == 0 {
		l.take(o, alone)
		s.mu.Unlock()
		t.waits.Unlock()
		return nil
	}
	w := &tableWaiter{owner: o, alone: alone, granted: make(chan struct{})}
	l.queue = append(l.queue, w)
	o.queued = l
	s.mu.Unlock()
	for _, b := range l.blockers(o) {
		if t.reaches(b, o, map[*owner]bool{}) {
			t.leaveQueue(l, w)
			t.waits.Unlock()
			return ErrDeadlock
		}
	}
	t.waits.Unlock()

	err := t.await(ctx, o, w.granted, timeout)
	if err == nil {
		return nil
	}
	t.waits.Lock()
	select {
	case <-w.granted: // at the same moment: the caller wants it no more
		t.waits.Unlock()
		t.leave(o, len(o.tables)-1)
	default:
		t.leaveQueue(l, w)
		t.waits.Unlock()
	}
	return err
}

// leaveQueue takes back a wait; waits is held. Those behind may then go on.
func (t *lockTable) leaveQueue(l *tableLock, w *tableWaiter) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	w.owner.queued = nil
	l.queue = slices.DeleteFunc(l.queue, func(q *tableWaiter) bool { return q == w })
	l.grant()
}

// leave lets go of the tables that o has, from the n-th on.
func (t *lockTable) leave(o *owner, n int) {
	for _, l := range o.tables[n:] {
		l.s.mu.Lock()
		if l.alone == o {
			l.alone = nil
		} else {
			delete(l.members, o)
		}
		wanted := len(l.queue) > 0
		if !wanted {
			l.grant()
		}
		l.s.mu.Unlock()
		if wanted {
			t.waits.Lock()
			l.s.mu.Lock()
			if len(l.queue) > 0 {
				l.grant()
			}
			l.s.mu.Unlock()
			t.waits.Unlock()
		}
	}
	o.tables = o.tables[:n]
}

// grant gives the lock to those who are first in the queue and can have it, or takes it away
// where nobody has it or waits. The shard is held, and waits where there is a queue.
func (l *tableLock) grant() {
	n := 0
	for ; n < len(l.queue) && l.free(l.queue[n].alone); n++ {
		w := l.queue[n]
		l.take(w.owner, w.alone)
		w.owner.queued = nil
		close(w.granted)
	}
	l.queue = slices.Delete(l.queue, 0, n)
	if l.alone == nil && len(l.members) == 0 && len(l.queue) == 0 && l.s.tables[l.name] == l {
		delete(l.s.tables, l.name)
		l.s.spare = l
	}
}

// blockers lists whom o waits for, which is in the queue.
func (l *tableLock) blockers(o *owner) []*owner {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	var out []*owner
	if l.alone != nil {
		out = append(out, l.alone)
	}
	for m := range l.members {
		out = append(out, m)
	}
	for _, w := range l.queue {
		if w.owner == o {
			break
		}
		out = append(out, w.owner)
	}
	return out
}

// reaches says that h is o or waits for it in the end. waits is held.
func (t *lockTable) reaches(h, o *owner, seen map[*owner]bool) bool {
	for h.waitsFor != nil && h != o {
		h = h.waitsFor.owner
	}
	if h == o || h.queued == nil {
		return h == o
	}
	if seen == nil {
		seen = map[*owner]bool{}
	}
	if seen[h] {
		return false
	}
	seen[h] = true
	return slices.ContainsFunc(h.queued.blockers(h), func(b *owner) bool { return t.reaches(b, o, seen) })
}

// Alone waits until no transaction holds rows of the tables, and keeps others from locking
// any until release is called: for what removes all rows of a table at once. On a store
// without Caps.AtomicBatch, where there are no locks, it does nothing. ErrDeadlock, ErrLockTimeout
// (WithLockTimeout) and ctx's error end the wait.
func (m *Manager) Alone(ctx context.Context, tables ...string) (release func(), err error) {
	if !m.atomic {
		return func() {}, nil
	}
	o := &owner{who: waitsOf(ctx)}
	release = func() { m.locks.leave(o, 0) }
	for _, name := range tables {
		if slices.ContainsFunc(o.tables, func(l *tableLock) bool { return l.name == name }) {
			continue
		}
		if err := m.locks.takeAlone(ctx, o, name); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}
