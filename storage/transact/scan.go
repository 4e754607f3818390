package transact

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// below is what is asked of the store for a request: the rows as they lie there, with locks and
// versions. What hides rows, or values, is applied to what they turn out to be.
func below(req *storage.ScanRequest) storage.ScanRequest {
	b := storage.ScanRequest{Spans: req.Spans, Reverse: req.Reverse, BatchRows: req.BatchRows}
	if !req.EveryRow && len(req.Project) > 0 {
		b.Project = append(slices.Clip(req.Project), lockCol, changesCol, storage.Version)
	}
	return b
}

// emitter gives rows as a request asks for them.
type emitter struct {
	t   *table
	req *storage.ScanRequest
	row rowstate.Row
}

// emit appends row i of rb, which is fixed where that is not nil, and says whether it is there: a row
// of nothing but its version, of a request that wants versions, is not.
func (e *emitter) emit(rb *storage.RowBatch, i int, fixed *stored, dst *storage.RowBatch) (bool, error) {
	version := int64(0)
	if fixed != nil {
		e.row.Cells = append(e.row.Cells[:0], fixed.row().Cells...)
		version = fixed.version
	} else {
		e.row.Load(rb, i)
		e.row.Cells = slices.DeleteFunc(e.row.Cells, func(c storage.Cell) bool {
			if isCol(&c, &storage.Version) {
				version = max(version, c.Timestamp)
			}
			return internal(c.Family)
		})
	}
	shown, err := e.row.Emit(e.t.name, rb.Key(i), e.req, nil, dst)
	if err != nil || !e.req.WithVersion || version == 0 {
		return shown, err
	}
	if !shown {
		all := *e.req
		if all.EveryRow {
			all.Project = nil
		}
		if len(e.row.Visible(&all, nil)) > 0 { // the filter hides it
			return false, nil
		}
		dst.StartRow(rb.Key(i))
	}
	dst.AddCell(storage.Version.Family, storage.Version.Qualifier, version, nil)
	return shown, nil
}

// firstChunk is how many rows are asked for at least, of a request that has a limit: some may turn out
// not to count.
const (
	firstChunk = 16
	mostChunk  = 1 << 20
)

type scanner struct {
	emitter
	ctx  context.Context
	stop context.CancelFunc
	at   int64

	simple bool // rows may be given as they lie there: see given

	mu    sync.Mutex
	b     storage.ScanRequest
	in    storage.Scanner
	rb    storage.RowBatch
	got   int64  // rows of the scan below
	last  []byte // the key of its last
	left  int64  // until the limit
	err   error
	past  storage.ScanStats // of scans below that have ended
	calls int64             // beside theirs
}

func (t *table) scan(ctx context.Context, req *storage.ScanRequest, at int64) (*scanner, error) {
	s := &scanner{emitter: emitter{t: t, req: req}, at: at, b: below(req), left: req.Limit, simple: simple(req)}
	s.ctx, s.stop = context.WithCancel(ctx)
	if req.Limit > 0 && req.Filter == nil {
		s.b.Limit = min(req.Limit, mostChunk)
	}
	var err error
	if s.in, err = t.base.Scan(s.ctx, &s.b); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *scanner) Next(dst *storage.RowBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dst.Reset()
	if s.err != nil {
		return s.err
	}
	for s.err == nil && dst.Len() == 0 {
		if s.req.Limit > 0 && s.left == 0 {
			s.err = io.EOF
			break
		}
		s.err = s.fill(dst)
	}
	if s.err != nil {
		dst.Reset()
	}
	return s.err
}

// fill takes one batch of the scan below.
func (s *scanner) fill(dst *storage.RowBatch) error {
	if err := s.in.Next(dst); err == io.EOF && s.b.Limit > 0 && s.got == s.b.Limit {
		return s.goOn()
	} else if err != nil {
		return err
	}
	n := dst.Len()
	s.got += int64(n)
	s.last = append(s.last[:0], dst.Key(n-1)...)
	if s.simple && given(dst, 0, s.req, s.at) {
		if s.req.Limit > 0 {
			dst.Truncate(int(min(s.left, int64(n))))
		}
		s.left -= int64(dst.Len())
		return nil
	}
	s.rb, *dst = *dst, s.rb
	dst.Reset()
	fixed, calls, err := s.t.resolve(s.ctx, &s.rb, &s.b, s.at)
	s.calls += int64(calls)
	if err != nil {
		return err
	}
	for i := range n {
		if s.req.Limit > 0 && s.left == 0 {
			return nil
		}
		shown, err := s.emit(&s.rb, i, fixed[i], dst)
		if err != nil {
			return err
		}
		if shown {
			s.left--
		}
	}
	return nil
}

// goOn asks for more rows after those that the scan below was asked for.
func (s *scanner) goOn() error {
	spans := storage.Resume(s.b.Spans, bytes.Clone(s.last), s.b.Reverse)
	if err := s.in.Close(); err != nil {
		return err
	}
	did := s.in.Stats()
	s.past.Calls, s.past.RowsRead, s.past.Bytes = s.past.Calls+did.Calls, s.past.RowsRead+did.RowsRead, s.past.Bytes+did.Bytes
	next := s.b
	next.Spans, next.Limit = spans, min(max(4*s.b.Limit, firstChunk), mostChunk)
	in, err := s.t.base.Scan(s.ctx, &next)
	if err != nil {
		return err
	}
	s.b, s.in, s.got = next, in, 0
	return nil
}

// Move implements storage.Scanner.
func (s *scanner) Move([]storage.Span, int64) error {
	return storage.Unsupported("transactional table", storage.OpScan, "scans that move")
}

// Ended implements storage.Scanner: Next tells.
func (s *scanner) Ended() bool { return false }

func (s *scanner) Stats() storage.ScanStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	did := s.in.Stats()
	return storage.ScanStats{Calls: s.past.Calls + did.Calls + s.calls, RowsRead: s.past.RowsRead + did.RowsRead, Bytes: s.past.Bytes + did.Bytes}
}

func (s *scanner) Close() error {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = storage.Errorf(storage.CodeClosed, storage.OpScan, s.t.name, "scanner is closed")
	return s.in.Close()
}
