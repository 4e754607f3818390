package fault

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/storage"
)

// scanner is a scan that a rule has met.
type scanner struct {
	inner  storage.Scanner
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
	err := s.inner.Next(dst)
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

func (s *scanner) Move(spans []storage.Span, limit int64) error {
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	err := s.inner.Move(spans, limit)
	if err == nil {
		s.err = nil
	}
	return err
}

func (s *scanner) Stats() storage.ScanStats { return s.inner.Stats() }

// Ended is never sure: the rule may fail the call that says so.
func (s *scanner) Ended() bool { return false }

func (s *scanner) Close() error {
	defer s.cancel()
	return s.inner.Close()
}

// ReadSpans implements storage.Table. A rule meets it as a scan. There is nothing to give before it fails: Cut is
// FailAfter.
func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (did storage.ScanStats, ended bool, err error) {
	const op = storage.OpScan
	r := t.s.meet(op, t.name, nil)
	err = r.around(ctx, op, t.name, false, func(ctx context.Context) error {
		if r != nil && r.Do == Wide {
			did, _, err = storage.FirstRows(ctx, t.inner, widened(req), dst)
			return err
		}
		if did, ended, err = t.inner.ReadSpans(ctx, req, dst); err == nil && r != nil && r.Do == Cut {
			err = r.fail(storage.CodeUnavailable, op, t.name)
		}
		return err
	})
	if err != nil {
		dst.Reset()
	}
	return did, ended, err
}
