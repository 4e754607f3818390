package mem

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/google/btree"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// reader turns rows into what a request asks for.
type reader struct {
	table string
	req   *storage.ScanRequest
	kept  *rowstate.Families
	state rowstate.Row
}

func newReader(t *tableState, req *storage.ScanRequest, now time.Time) reader {
	return reader{table: t.spec.Name, req: req, kept: kept(&t.spec, now)}
}

// emit appends what req shows of a row and says whether that was anything.
func (r *reader) emit(row *row, dst *storage.RowBatch) (bool, error) {
	r.state.Cells = row.cells
	return r.state.Emit(r.table, []byte(row.key), r.req, r.kept, dst)
}

type scanner struct {
	ctx   context.Context
	store *Store
	reader
	rows *btree.BTreeG[*row]

	mu    sync.Mutex
	spans []storage.Span // what is left
	from  *string        // forward: last key seen; reverse: too
	left  int64          // rows until Limit; -1 without
	err   error          // sticky
	stats storage.ScanStats
}

func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	const op = storage.OpScan
	if err := t.s.check(ctx, op, t.name); err != nil {
		return nil, err
	}
	if err := storage.CheckScan(op, t.name, req); err != nil {
		return nil, err
	}
	view, err := t.s.view(op, t.name, req.Snapshot)
	if err != nil {
		return nil, err
	}
	s := &scanner{
		ctx: ctx, store: t.s, reader: newReader(view, req, t.s.now()),
		rows: view.rows, spans: req.Spans, left: req.Limit,
	}
	if req.Limit == 0 {
		s.left = -1
	}
	return s, nil
}

func (s *scanner) Next(dst *storage.RowBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dst.Reset()
	if s.err == nil {
		s.err = s.store.check(s.ctx, storage.OpScan, s.table)
	}
	if s.err == nil {
		s.err = s.fill(dst)
	}
	if s.err != nil {
		dst.Reset()
	}
	return s.err
}

func (s *scanner) fill(dst *storage.RowBatch) error {
	rows := s.req.BatchRows
	if rows == 0 {
		rows = storage.MaxBatchRows
	}
	full := func() bool {
		return s.left == 0 || dst.Len() >= rows || dst.Bytes() >= storage.MaxBatchBytes
	}
	for len(s.spans) > 0 && !full() {
		at := 0
		if s.req.Reverse {
			at = len(s.spans) - 1
		}
		span := s.spans[at]
		if s.from == nil {
			s.stats.Calls++
		}
		var err error
		done := s.walk(span, func(r *row) bool {
			if s.stats.RowsRead%256 == 255 {
				if err = s.store.check(s.ctx, storage.OpScan, s.table); err != nil {
					return false
				}
			}
			s.from = &r.key
			s.stats.RowsRead++
			s.stats.Bytes += r.bytes()
			var ok bool
			if ok, err = s.emit(r, dst); ok && s.left > 0 {
				s.left--
			}
			return err == nil && !full()
		})
		if err != nil {
			return err
		}
		if done {
			s.from = nil
			if s.req.Reverse {
				s.spans = s.spans[:at]
			} else {
				s.spans = s.spans[1:]
			}
		}
	}
	if dst.Len() == 0 {
		return io.EOF
	}
	return nil
}

// walk visits the rest of a span until visit answers false; done says that it
// came to the end.
func (s *scanner) walk(span storage.Span, visit func(*row) bool) (done bool) {
	done = true
	step := func(r *row) bool {
		done = visit(r)
		return done
	}
	if !s.req.Reverse {
		start := string(span.Start)
		if s.from != nil {
			start = *s.from + "\x00"
		}
		s.rows.AscendGreaterOrEqual(&row{key: start}, func(r *row) bool {
			return (len(span.End) == 0 || r.key < string(span.End)) && step(r)
		})
		return done
	}
	down := func(r *row) bool {
		if s.from != nil && r.key >= *s.from || len(span.End) > 0 && r.key >= string(span.End) {
			return true
		}
		return r.key >= string(span.Start) && step(r)
	}
	switch {
	case s.from != nil:
		s.rows.DescendLessOrEqual(&row{key: *s.from}, down)
	case len(span.End) > 0:
		s.rows.DescendLessOrEqual(&row{key: string(span.End)}, down)
	default:
		s.rows.Descend(down)
	}
	return done
}

// Move implements storage.Scanner.
func (s *scanner) Move(spans []storage.Span, limit int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	s.spans, s.from, s.left, s.err = spans, nil, limit, nil
	if limit == 0 {
		s.left = -1
	}
	return nil
}

// Ended implements storage.Scanner.
func (s *scanner) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.spans) == 0
}

func (s *scanner) Stats() storage.ScanStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *scanner) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = storage.Errorf(storage.CodeClosed, storage.OpScan, s.table, "scanner is closed")
	return nil
}

// ReadSpans implements storage.Table.
func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}
