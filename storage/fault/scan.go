package fault

import (
	"context"
	"errors"
	"io"

	"github.com/saltsql/saltsql/storage"
)

// scanner is a scan that a rule has met.
type scanner struct {
	storage.Scanner
	rule   *Rule
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	given  int // rows
	err    error
}

func (s *scanner) Next(dst *storage.RowBatch) error {
	if s.err == nil {
		s.err = s.next(dst)
	}
	if s.err != nil {
		dst.Reset()
	}
	return s.err
}

func (s *scanner) next(dst *storage.RowBatch) error {
	const op = storage.OpScan
	switch s.rule.Do {
	case Delay:
		if err := sleep(s.ctx, op, s.name, s.rule.Delay); err != nil {
			return err
		}
	case CancelRace:
		if s.given >= s.rule.Rows {
			s.cancel()
		}
	case Cut:
		if s.given >= s.rule.Rows {
			return s.rule.fail(storage.CodeUnavailable, op, s.name)
		}
	}
	err := s.Scanner.Next(dst)
	switch {
	case err == io.EOF && s.rule.Do == FailAfter:
		return s.rule.fail(storage.CodeUnavailable, op, s.name)
	case err != nil:
		return err
	case s.rule.Do == Cut:
		dst.Truncate(s.rule.Rows - s.given)
	}
	s.given += dst.Len()
	return nil
}

// mover is such a scan where it can be moved.
type mover struct {
	*scanner
	to storage.Mover
}

func (m *mover) Move(spans []storage.Span, limit int64) error {
	if m.err != nil && m.err != io.EOF {
		return m.err
	}
	m.err = nil
	return m.to.Move(spans, limit)
}

// Ended is never sure: the rule may fail the call that says so.
func (m *mover) Ended() bool { return false }

func (s *scanner) Close() error {
	defer s.cancel()
	return s.Scanner.Close()
}

// spanReader is a table that reads spans. A rule meets that as a scan.
type spanReader struct {
	*table
	to storage.SpanReader
}

// ReadSpans implements storage.SpanReader. There is nothing to give before it fails: Cut is
// FailAfter.
func (t *spanReader) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (did storage.ScanStats, ended bool, err error) {
	const op = storage.OpScan
	r := t.s.meet(op, t.name, nil)
	err = r.around(ctx, op, t.name, false, func(ctx context.Context) error {
		if r != nil && r.Do == Wide {
			did, err = firstRows(ctx, t.inner, widened(req), dst)
			return err
		}
		if did, ended, err = t.to.ReadSpans(ctx, req, dst); err == nil && r != nil && r.Do == Cut {
			err = r.fail(storage.CodeUnavailable, op, t.name)
		}
		return err
	})
	if err != nil {
		dst.Reset()
	}
	return did, ended, err
}

// firstRows reads the first batch of a scan; none where it has none.
func firstRows(ctx context.Context, t storage.Table, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, error) {
	sc, err := t.Scan(ctx, req)
	if err != nil {
		return storage.ScanStats{}, err
	}
	if err = sc.Next(dst); err == io.EOF {
		err = nil
	}
	return sc.Stats(), errors.Join(err, sc.Close())
}
