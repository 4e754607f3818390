package bigtable

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// maxRowSetBytes is the size at which a set of spans goes out as several
// requests: the service refuses requests over 512 KB.
const maxRowSetBytes = 400 << 10

// firstBatchRows is the size of a scan's first batch where rows are slow to
// come; batches double from there, so that a merge can begin early.
const firstBatchRows = 8

// scanner implements storage.Scanner. A goroutine receives rows into one batch
// while Next's caller has another; a third waits between them.
//
//	goroutine: fill ── full ──> Next: swap with the caller's ── free ──> goroutine
type scanner struct {
	t    *table
	call *call
	req  *storage.ScanRequest

	full chan *storage.RowBatch // closed by the goroutine at its end
	free chan *storage.RowBatch
	end  error // of the goroutine; read after full is closed

	mu  sync.Mutex // held by Next
	err error      // sticky

	closed                 atomic.Bool
	calls, rows, bytesRead atomic.Int64
}

// Scan implements storage.Table.
func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	const op = storage.OpScan
	if err := storage.CheckScan(op, t.name, req); err != nil {
		return nil, err
	}
	if req.Snapshot != nil {
		return nil, storage.Unsupported("bigtable", op, "snapshots")
	}
	c, err := t.s.begin(ctx, op, t.name, 0)
	if err != nil {
		return nil, err
	}
	s := &scanner{t: t, call: c, req: req,
		full: make(chan *storage.RowBatch), free: make(chan *storage.RowBatch, 2)}
	s.free <- new(storage.RowBatch)
	s.free <- new(storage.RowBatch)
	go s.run()
	return s, nil
}

// run receives rows until the end, and leaves the reason in s.end.
func (s *scanner) run() {
	defer s.call.end()
	defer close(s.full)
	p := &producer{s: s, left: s.req.Limit, batchRows: s.req.BatchRows}
	if p.batchRows == 0 {
		p.batchRows = storage.MaxBatchRows
	}
	p.target = min(firstBatchRows, p.batchRows)
	var exact bool
	p.filter, exact = readFilter(s.req)
	p.fill = rowFiller{req: s.req, exact: exact, dst: <-s.free}
	p.fill.dst.Reset()
	err := p.stream(rowSets(s.req))
	s.rows.Store(p.fill.rows)
	s.bytesRead.Store(p.fill.bytes)
	if err == nil && p.fill.dst.Len() > 0 {
		p.hand()
	}
	if err == nil {
		err = s.call.Err()
	}
	switch {
	case p.fill.err != nil:
		err = p.fill.err
	case err != nil:
		err = s.call.readError(err)
	default:
		err = io.EOF
	}
	s.end = err
}

// producer is the goroutine's side of a scan.
type producer struct {
	s         *scanner
	filter    bigtable.Filter
	fill      rowFiller
	left      int64 // rows until Limit, where there is one
	target    int   // rows at which the batch is handed over
	batchRows int

	progress atomic.Int64 // grows with every row
	waiting  atomic.Bool  // for the consumer, not for the service
}

// stream sends the requests of a scan, one after another.
func (p *producer) stream(sets []bigtable.RowSet) error {
	opts := []bigtable.ReadOption{bigtable.RowFilter(p.filter)}
	if p.s.req.Reverse {
		opts = append(opts, bigtable.ReverseScan())
	}
	pushed := p.s.req.Limit > 0 && p.s.req.Filter == nil && p.fill.exact
	ctx, cancel := context.WithCancelCause(p.s.call)
	defer cancel(nil)
	defer p.watch(cancel)()
	for _, set := range sets {
		if p.done() {
			return nil
		}
		o := opts
		if pushed {
			o = append(opts[:len(opts):len(opts)], bigtable.LimitRows(p.left))
		}
		p.s.calls.Add(1)
		err := p.s.t.t.ReadRows(ctx, set, p.row, o...)
		if errors.Is(context.Cause(ctx), errIdle) {
			return storage.Errorf(storage.CodeDeadlineExceeded, storage.OpScan, p.s.t.name, "no row has come for %v", p.s.t.s.config.IdleTimeout)
		}
		if err != nil || p.fill.err != nil {
			return err
		}
	}
	return nil
}

func (p *producer) done() bool { return p.s.req.Limit > 0 && p.left == 0 || p.s.call.Err() != nil }

// row takes one row of the client library.
func (p *producer) row(row bigtable.Row) bool {
	p.progress.Add(1)
	if p.fill.add(row.Key(), row) && p.s.req.Limit > 0 {
		p.left--
	}
	if p.fill.err != nil || p.done() {
		return false
	}
	if b := p.fill.dst; b.Len() >= p.target || b.Bytes() >= storage.MaxBatchBytes {
		return p.hand()
	}
	return true
}

// hand gives the batch to Next and takes a free one. It answers false where
// nobody wants it any more.
func (p *producer) hand() bool {
	s := p.s
	s.rows.Store(p.fill.rows)
	s.bytesRead.Store(p.fill.bytes)
	p.waiting.Store(true)
	defer p.waiting.Store(false)
	select {
	case s.full <- p.fill.dst:
	case <-s.call.Done():
		return false
	}
	p.target = min(2*p.target, p.batchRows)
	select {
	case p.fill.dst = <-s.free:
		p.fill.dst.Reset()
		return true
	case <-s.call.Done():
		p.fill.dst = new(storage.RowBatch)
		return false
	}
}

var errIdle = errors.New("idle")

// watch cancels the stream when no row comes for too long: the client retries
// a server that does not answer for ever. It does not count the time that the
// consumer takes. The function returned ends it.
func (p *producer) watch(cancel context.CancelCauseFunc) (stop func()) {
	const looks = 8
	period := p.s.t.s.config.IdleTimeout / looks
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(max(period, time.Millisecond))
		defer tick.Stop()
		last, idle := int64(-1), 0
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if n := p.progress.Load(); n != last || p.waiting.Load() {
				last, idle = n, 0
			} else if idle++; idle >= looks {
				cancel(errIdle)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Next implements storage.Scanner.
func (s *scanner) Next(dst *storage.RowBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dst.Reset()
	if s.err == nil {
		s.err = s.next(dst)
	}
	return s.err
}

func (s *scanner) next(dst *storage.RowBatch) error {
	if err := s.interrupted(); err != nil {
		return err
	}
	select {
	case b, ok := <-s.full:
		if !ok {
			if err := s.interrupted(); err != nil {
				return err
			}
			return s.end
		}
		*dst, *b = *b, *dst
		s.free <- b
		return nil
	case <-s.call.Done():
		if err := s.interrupted(); err != nil {
			return err
		}
		<-s.full // the goroutine is about to end
		return s.end
	}
}

// interrupted says why the scan must not go on, although rows may still lie
// ready.
func (s *scanner) interrupted() error {
	switch {
	case s.call.caller.Err() != nil:
		return storage.CtxError(storage.OpScan, s.t.name, s.call.caller.Err())
	case s.call.s.life.Err() != nil:
		return errClosed(storage.OpScan, s.t.name)
	case s.closed.Load():
		return storage.Errorf(storage.CodeClosed, storage.OpScan, s.t.name, "scanner is closed")
	}
	return nil
}

// Stats implements storage.Scanner.
func (s *scanner) Stats() storage.ScanStats {
	return storage.ScanStats{Calls: s.calls.Load(), RowsRead: s.rows.Load(), Bytes: s.bytesRead.Load()}
}

// Close implements storage.Scanner.
func (s *scanner) Close() error {
	if !s.closed.Swap(true) {
		s.call.cancel()
	}
	for range s.full { // until the goroutine ends
	}
	return nil
}

// rowSets gives the row sets of a request's spans in the order of reading, each
// small enough for one request.
func rowSets(req *storage.ScanRequest) []bigtable.RowSet {
	var sets []bigtable.RowSet
	var ranges bigtable.RowRangeList
	size := 0
	flush := func() {
		if len(ranges) == 1 {
			sets = append(sets, ranges[0])
		} else if len(ranges) > 1 {
			sets = append(sets, ranges)
		}
		ranges, size = nil, 0
	}
	for i := range req.Spans {
		sp := &req.Spans[i]
		if req.Reverse {
			sp = &req.Spans[len(req.Spans)-1-i]
		}
		if len(sp.End) > 0 && string(sp.Start) >= string(sp.End) {
			continue
		}
		n := len(sp.Start) + len(sp.End) + 16
		if size > 0 && size+n > maxRowSetBytes {
			flush()
		}
		size += n
		ranges = append(ranges, bigtable.NewRange(string(sp.Start), string(sp.End)))
	}
	flush()
	return sets
}
