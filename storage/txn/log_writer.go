package txn

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// endsAfter is how long the ends of entries wait for a call that goes anyway.
const endsAfter = 50 * time.Millisecond

// logCalls are how many calls write a log at once: an entry should not wait for another's call
// before its own, which a writer waits for before it writes its row.
const logCalls = 4

// logWriters write the change logs of a store, each by a few calls at a time: what comes while
// all are under way goes with the next, so that many writers cost few calls.
//
//	writer 1  entry ──┐                    writes its row, then its entry has ended ──┐
//	writer 2  entry ──┴── call ── done                                                │
//	writer 3  entry ─────────────────────── call, with the ends of others ── done <───┘
//
// An end may be late, or get lost: its row is read again when the copy is completed.
type logWriters struct {
	store storage.Store
	clock *Clock
	mu    sync.Mutex
	open  map[string]*logWriter // by log; those that have something to do
	most  int                   // calls of a log at once; 0 is logCalls
}

type logWriter struct {
	busy  int  // calls under way
	timed bool // a timer runs for the ends
	next  *logCall
	ends  []storage.RowMutation
}

// logCall is a call that entries are gathered for.
type logCall struct {
	rows []storage.RowMutation
	done chan struct{} // closed when err is known
	err  error
}

// writer gives the writer of a log; mu is held.
func (w *logWriters) writer(log string) *logWriter {
	l := w.open[log]
	if l == nil {
		l = new(logWriter)
		if w.open == nil {
			w.open = map[string]*logWriter{}
		}
		w.open[log] = l
	}
	return l
}

// begin writes entries, and comes back when they are in the log.
func (w *logWriters) begin(ctx context.Context, log string, entries []storage.RowMutation) error {
	w.mu.Lock()
	l := w.writer(log)
	if l.next == nil {
		l.next = &logCall{done: make(chan struct{})}
	}
	c := l.next
	c.rows = append(c.rows, entries...)
	if l.busy < cmp.Or(w.most, logCalls) {
		l.busy++
		go w.run(context.WithoutCancel(ctx), log, l)
	}
	w.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return storage.CtxError(storage.OpMutate, log, ctx.Err())
	}
}

// end has entries ended before long.
func (w *logWriters) end(log string, entries []storage.RowMutation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.writer(log)
	l.ends = append(l.ends, changelog.End(entries, w.clock.Now())...)
	w.later(log, l)
}

// later has the ends written where no call takes them along; mu is held.
func (w *logWriters) later(log string, l *logWriter) {
	if l.busy > 0 || l.timed {
		return
	}
	l.timed = true
	time.AfterFunc(endsAfter, func() {
		w.mu.Lock()
		l.timed = false
		free := l.busy == 0
		if free {
			l.busy = 1
		}
		w.mu.Unlock()
		if free {
			w.write(context.Background(), log, l)
			w.run(context.Background(), log, l)
		}
	})
}

// run makes calls, one after another, for as long as there are entries; l is busy with it.
func (w *logWriters) run(ctx context.Context, log string, l *logWriter) {
	for {
		w.mu.Lock()
		if l.next == nil {
			l.busy--
			if len(l.ends) > 0 {
				w.later(log, l)
			} else if !l.timed && l.busy == 0 {
				delete(w.open, log)
			}
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		w.write(ctx, log, l)
	}
}

// write makes one call, for the entries and ends there are; l is busy with it. Entries, whose keys are
// new, are written again where it is not known that they are there. They need not be durable
// before the rows that they name: an embedded store keeps writes in their order.
func (w *logWriters) write(ctx context.Context, log string, l *logWriter) {
	w.mu.Lock()
	c, rows := l.next, l.ends
	l.next, l.ends = nil, nil
	w.mu.Unlock()
	if c != nil {
		rows = append(c.rows, rows...)
	}
	if len(rows) == 0 {
		return
	}
	err := guard.Run(func() error {
		return storage.Again(ctx, func() error {
			return w.store.Table(log).Mutate(ctx, rows, storage.WriteOptions{NoSync: true})
		}, storage.CodeAmbiguous)
	})
	if c != nil {
		c.err = err
		close(c.done)
	}
}
