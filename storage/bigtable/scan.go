package bigtable

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/saltsql/saltsql/storage"
)

// firstBatchRows is the size of a scan's first batch where rows are slow to
// come; batches double from there, so that a merge can begin early.
const firstBatchRows = 8

// scanner implements storage.Scanner. A goroutine receives rows into one batch
// while Next's caller has another; a third waits between them.
//
//	goroutine: fill ── full ──> Next: swap with the caller's ── free ──> goroutine
//
// So at most two batches are read ahead, and the service is held up by the
// flow control of its stream while nobody asks for more.
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
		full: make(chan *storage.RowBatch, 1), free: make(chan *storage.RowBatch, 2)}
	s.free <- batches.Get().(*storage.RowBatch)
	s.free <- batches.Get().(*storage.RowBatch)
	go s.run()
	return s, nil
}

// batches are those of ended scans, recycled.
var batches = sync.Pool{New: func() any { return new(storage.RowBatch) }}

// run receives rows until the end, and leaves the reason in s.end.
func (s *scanner) run() {
	defer s.call.end()
	defer close(s.full)
	p := &producer{s: s, left: s.req.Limit, batchRows: s.req.BatchRows}
	if p.batchRows == 0 {
		p.batchRows = storage.MaxBatchRows
	}
	p.target = min(firstBatchRows, p.batchRows)
	filter, exact := readFilter(s.req)
	dst := <-s.free
	dst.Reset()
	p.fill = newRowFiller(s.req, exact, dst)
	err := guard(storage.OpScan, s.t.name, func() error { return p.stream(filter) })
	s.rows.Store(p.fill.rows)
	s.bytesRead.Store(p.fill.bytes)
	if p.fill.err != nil {
		err = p.fill.err
	}
	if err == nil && p.fill.dst.Len() > 0 {
		p.hand()
	}
	s.recycle(p.fill.dst)
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
	fill      rowFiller
	left      int64 // rows until Limit, where there is one
	target    int   // rows at which the batch is handed over
	batchRows int

	progress atomic.Int64 // grows with every message
	waiting  atomic.Bool  // for the consumer, not for the service
}

// stream sends the requests of a scan, one after another. A row that is deleted while it is
// read may come as an empty message (emulators do so) that counts to the limit: the rows that
// the limit has kept back for it are asked for again.
func (p *producer) stream(filter filter) error {
	req, t := p.s.req, p.s.t
	ctx, cancel := context.WithCancelCause(p.s.call)
	defer cancel(nil)
	idle := t.s.config.IdleTimeout
	defer watchIdle(idle, func() (int64, bool) { return p.progress.Load(), p.waiting.Load() }, func() { cancel(errIdle) })()
	read := &rowRead{filter: filter, chunkDecoder: chunkDecoder{
		op: storage.OpScan, table: t.name, fill: &p.fill, reverse: req.Reverse,
		row: p.row, message: func() { p.progress.Add(1) },
	}}
	if req.Limit > 0 && req.Filter == nil && p.fill.exact {
		read.limit = func() int64 { return p.left }
	}
	left := func(spans []storage.Span) []storage.Span {
		if !read.hasLast {
			return spans
		}
		return storage.Resume(spans, read.last, req.Reverse)
	}
	all := slices.DeleteFunc(slices.Clone(req.Spans), storage.Span.Empty)
	var now []storage.Span
	read.rows = func() *bigtablepb.RowSet { return rangeSet(left(now)) }
	for later := all; len(later) > 0 && !p.done(); {
		now, later = nextSpans(later, req.Reverse)
		p.s.calls.Add(1)
		err := t.readRows(p.s.call, ctx, read)
		if p.done() || p.fill.err != nil {
			return nil
		}
		if errors.Is(context.Cause(ctx), errIdle) {
			return storage.Errorf(storage.CodeDeadlineExceeded, storage.OpScan, t.name, "nothing has come for %v", idle)
		}
		if err != nil {
			return err
		}
		if read.limit != nil && read.blanks > 0 {
			read.blanks, later = 0, left(all)
		}
	}
	return nil
}

func (p *producer) done() bool { return p.s.req.Limit > 0 && p.left == 0 || p.s.call.Err() != nil }

// row takes note of a row in the batch, or of one that was dropped. It answers
// false where no more are wanted.
func (p *producer) row(kept bool) bool {
	if !kept {
		return true
	}
	p.left--
	b := p.fill.dst
	if p.left != 0 && b.Len() < p.target && b.Bytes() < storage.MaxBatchBytes {
		return true
	}
	return p.hand() && p.left != 0
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
	case b := <-s.free:
		b.Reset()
		p.fill.setBatch(b)
		return true
	case <-s.call.Done():
		p.fill.setBatch(new(storage.RowBatch))
		return false
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
	var b *storage.RowBatch
	var ok bool
	select {
	case b, ok = <-s.full:
	case <-s.call.Done():
		if err := s.interrupted(); err != nil {
			return err
		}
		b, ok = <-s.full // the goroutine has ended, and may have left a batch
	}
	if !ok {
		if err := s.interrupted(); err != nil {
			return err
		}
		return s.end
	}
	*dst, *b = *b, *dst
	s.free <- b
	return nil
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

func (s *scanner) recycle(b *storage.RowBatch) {
	b.Recycle()
	batches.Put(b)
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
	for b := range s.full { // until the goroutine ends
		s.recycle(b)
	}
	s.mu.Lock() // Next may be giving one back
	defer s.mu.Unlock()
	for {
		select {
		case b := <-s.free:
			s.recycle(b)
		default:
			return nil
		}
	}
}

// Move implements storage.Scanner: another Scan costs no more.
func (s *scanner) Move([]storage.Span, int64) error {
	return storage.Unsupported("bigtable", storage.OpScan, "scans that move")
}

// Ended implements storage.Scanner: Next tells.
func (s *scanner) Ended() bool { return false }

// ReadSpans implements storage.Table.
func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}
