package pebble

import (
	"context"
	"io"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// scanner implements storage.Scanner: one iterator that moves from span to
// span by its bounds, which costs less than an iterator for each.
type scanner struct {
	s     *Store
	ctx   context.Context
	table *tableState
	name  string
	req   *storage.ScanRequest

	mu     sync.Mutex // held by Next and Close
	it     cursor
	writes uint64 // of the table, that had ended before
	plan   *rowpack.Plan
	spans  []storage.Span // not begun yet
	onSpan bool           // the iterator stands on a row of the current span
	passed bool           // which has been looked at: it moves on when another is wanted
	left   int64          // rows until Limit; -1 without
	err    error          // sticky
	closed bool

	seen    seen
	durable bool // what is in the iterator is on disk

	stop                   atomic.Bool // Close wants Next to return
	calls, rows, bytesRead atomic.Int64
}

const (
	// checkEvery is how many rows pass between two looks at the context.
	checkEvery = 256
	// patience is after how many rows a batch that has any is given, though most
	// rows were dropped: about a millisecond.
	patience = 16 << 10
)

// Scan implements storage.Table.
func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	const op = storage.OpScan
	if err := storage.CheckScan(op, t.name, req); err != nil {
		return nil, err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer t.s.exit()
	sc := &scanner{s: t.s, ctx: ctx, table: ts, name: t.name, req: req, spans: req.Spans, left: req.Limit}
	if req.Limit == 0 {
		sc.left = -1
	}
	err = t.s.with(op, t.name, req.Snapshot, func(v *view) (err error) {
		sc.writes = ts.ended.Load()
		sc.it, err = t.s.cursor(ctx, v, ts)
		return err
	})
	if err != nil {
		return nil, wrap(op, t.name, err)
	}
	// Only now, so that the descriptor knows every family of the rows seen.
	sc.plan = rowpack.NewPlan(req, ts.desc.Load(), t.s.opts.Now)
	sc.seen = seen{table: ts, spans: req.Spans, upTo: t.s.viewOf(req.Snapshot)}
	t.s.register(sc)
	return sc, nil
}

// Next implements storage.Scanner.
func (sc *scanner) Next(dst *storage.RowBatch) error {
	call := sc.s.calls.begin()
	err := sc.next(dst)
	sc.s.calls.ended(callScan, call, err)
	return err
}

func (sc *scanner) next(dst *storage.RowBatch) error {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	dst.Reset()
	if sc.closed {
		return errClosed(storage.OpScan, sc.name)
	}
	if sc.err == nil {
		err := sc.fill(dst)
		if !sc.durable && (err == nil || err == io.EOF) {
			if derr := sc.s.durable(sc.ctx, storage.OpScan, sc.name, sc.seen); derr != nil {
				err = derr
			}
			sc.durable = true
		}
		if err != nil {
			if err != io.EOF {
				err = sc.wrap(err)
			}
			sc.err = err
			dst.Reset()
		}
	}
	return sc.err
}

func (sc *scanner) wrap(err error) error {
	if sc.plan.FilterFailed {
		return err
	}
	return wrap(storage.OpScan, sc.name, err)
}

func (sc *scanner) check() error {
	if err := sc.ctx.Err(); err != nil {
		return storage.CtxError(storage.OpScan, sc.name, err)
	}
	if sc.stop.Load() {
		return errClosed(storage.OpScan, sc.name)
	}
	return sc.s.fault.get(storage.OpScan, sc.name)
}

func (sc *scanner) fill(dst *storage.RowBatch) error {
	if err := sc.check(); err != nil {
		return err
	}
	want := sc.req.BatchRows
	if want == 0 {
		want = storage.MaxBatchRows
	}
	if sc.left >= 0 {
		want = int(min(int64(want), sc.left))
	}
	sc.plan.StartBatch()
	it, plan := sc.it, sc.plan
	columns, reverse := plan.InColumns(), sc.req.Reverse
	noKeys := sc.req.NoKeys && sc.req.Filter == nil
	if columns {
		dst.StartColumns(len(sc.req.Project))
	}
	var rows, size int64
	var err error
	for dst.Len() < want && dst.Bytes() < storage.MaxBatchBytes {
		if sc.passed {
			sc.passed = false
			if reverse {
				sc.onSpan = it.Prev()
			} else {
				sc.onSpan = it.Next()
			}
			if !sc.onSpan {
				if err = it.Error(); err != nil {
					break
				}
			}
		}
		if !sc.onSpan {
			if err = sc.nextSpan(); err != nil || !sc.onSpan {
				break
			}
		}
		key := it.Key()
		var value []byte
		if value, err = it.ValueAndErr(); err != nil {
			break
		}
		rows++
		size += int64(len(key) - prefixLen + len(value))
		key = key[prefixLen:]
		if noKeys {
			key = nil
		}
		if columns {
			_, err = plan.EmitValues(dst, key, value)
		} else {
			_, err = plan.Emit(dst, key, value)
		}
		if err != nil {
			break
		}
		sc.passed = true
		if rows%checkEvery == 0 {
			if rows >= patience && dst.Len() > 0 {
				break
			}
			if err = sc.check(); err != nil {
				break
			}
		}
	}
	sc.rows.Add(rows)
	sc.bytesRead.Add(size)
	if err != nil {
		return err
	}
	if sc.left >= 0 {
		sc.left -= int64(dst.Len())
	}
	if dst.Len() == 0 {
		return io.EOF
	}
	return nil
}

// leapAfter is how many spans without a row make it likely that more follow.
const leapAfter = 3

// nextSpan moves to the first row of the next span that has one. There is
// none where it leaves onSpan false.
func (sc *scanner) nextSpan() error {
	empty := 0
	for n := 1; len(sc.spans) > 0; n++ {
		if n%checkEvery == 0 {
			if err := sc.check(); err != nil {
				return err
			}
		}
		if empty >= leapAfter && len(sc.spans) > leapAfter {
			empty = 0
			if err := sc.leap(); err != nil {
				return err
			}
			continue
		}
		var span storage.Span
		if sc.req.Reverse {
			span, sc.spans = sc.spans[len(sc.spans)-1], sc.spans[:len(sc.spans)-1]
		} else {
			span, sc.spans = sc.spans[0], sc.spans[1:]
		}
		if sc.seek(span); sc.onSpan || sc.it.Error() != nil {
			return sc.it.Error()
		}
		empty++
	}
	return nil
}

// seek moves to the first row of a span in the scan's direction, if it has one.
func (sc *scanner) seek(span storage.Span) {
	sc.onSpan = false
	if !sc.it.bound(sc.table, span) {
		return
	}
	sc.calls.Add(1)
	if sc.req.Reverse {
		sc.onSpan = sc.it.Last()
	} else {
		sc.onSpan = sc.it.First()
	}
}

// leap drops the spans that lie before the next row of the table, so that a
// list of very many spans costs no more seeks than a few times the rows there are.
func (sc *scanner) leap() error {
	last := len(sc.spans) - 1
	sc.seek(storage.Span{Start: sc.spans[0].Start, End: sc.spans[last].End})
	if !sc.onSpan {
		sc.spans = nil
		return sc.it.Error()
	}
	sc.onSpan = false
	key := string(sc.it.Key()[prefixLen:])
	if sc.req.Reverse {
		sc.spans = sc.spans[:sort.Search(len(sc.spans), func(i int) bool { return string(sc.spans[i].Start) > key })]
		return nil
	}
	sc.spans = sc.spans[sort.Search(len(sc.spans), func(i int) bool {
		return len(sc.spans[i].End) == 0 || string(sc.spans[i].End) > key
	}):]
	return nil
}

// Move implements storage.Scanner.
func (sc *scanner) Move(spans []storage.Span, limit int64) error {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.closed {
		return errClosed(storage.OpScan, sc.name)
	}
	if sc.err != nil && sc.err != io.EOF {
		return sc.err
	}
	sc.spans, sc.onSpan, sc.passed, sc.left, sc.err = spans, false, false, limit, nil
	if limit == 0 {
		sc.left = -1
	}
	return nil
}

// Ended implements storage.Scanner.
func (sc *scanner) Ended() bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return !sc.onSpan && len(sc.spans) == 0
}

// Stats implements storage.Scanner.
func (sc *scanner) Stats() storage.ScanStats {
	return storage.ScanStats{Calls: sc.calls.Load(), RowsRead: sc.rows.Load(), Bytes: sc.bytesRead.Load()}
}

// Close implements storage.Scanner.
func (sc *scanner) Close() error {
	sc.stop.Store(true)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.it == nil {
		return nil
	}
	err := sc.leave()
	if sc.err != nil { // Next has told it
		err = nil
	}
	sc.closed = true
	sc.s.unregister(sc)
	return wrap(storage.OpScan, sc.name, err)
}

// leave gives the cursor and the plan back, and counts what they were used for.
func (sc *scanner) leave() error {
	it := sc.it
	err := it.end()
	sc.it = nil
	sc.plan.Release()
	sc.plan = nil
	rows := sc.rows.Load()
	if sc.table.begun.Load() != sc.writes {
		rows = 0 // what is written meanwhile has no run
	}
	sc.s.sought(it, sc.table, sc.calls.Load(), rows)
	return err
}

func (sc *scanner) end() { _ = sc.Close() }
