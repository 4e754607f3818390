package spliced

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	if err := storage.CheckScan(storage.OpScan, t.name, req); err != nil {
		return nil, err
	}
	s := &scanner{t: t, ctx: ctx, req: req, parts: make([]part, len(t.places)), limit: req.Limit, full: -1}
	for i := range t.places {
		if s.parts[i].all = t.places[i].cuts(req.Spans); len(s.parts[i].all) > 0 {
			s.order = append(s.order, i)
		}
	}
	if len(s.order) == 0 { // who asks for a table that is not there, or ends at once, is told
		s.order = []int{0}
	}
	if req.Reverse {
		slices.Reverse(s.order)
	}
	s.left = s.order
	_, err := s.open(s.left[0])
	if err != nil {
		return nil, err
	}
	return s, nil
}

// scanner reads one part after another, each by one scan of its own that begins when it is needed.
type scanner struct {
	t     *table
	ctx   context.Context
	req   *storage.ScanRequest
	parts []part
	order []int // parts that the request is about, in the order of the scan
	left  []int // those still to be read, the one that is read first
	limit int64 // rows still to be given; 0: no limit
	full  int   // the part whose row was the last of the limit, -1: it is not reached
	err   error
}

type part struct {
	all   []storage.Span // of the request
	moved []storage.Span // of Move, where it is not yet told the part's scan
	told  bool           // the part's scan is where it is to go on from
	sc    storage.Scanner
}

// open gives the scan of a part, as its place is to be read.
func (s *scanner) open(i int) (storage.Scanner, error) {
	p := &s.parts[i]
	if p.sc == nil {
		own := s.t.places[i].request(s.req, p.all)
		own.Limit = s.limit
		sc, err := s.t.parts[i].Scan(s.ctx, own)
		if err != nil {
			return nil, err
		}
		p.sc, p.told = sc, p.moved == nil
	}
	if !p.told {
		if err := p.sc.Move(p.moved, s.limit); err != nil {
			return nil, err
		}
		p.told = true
	}
	return p.sc, nil
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
	for s.full < 0 && len(s.left) > 0 {
		i := s.left[0]
		sc, err := s.open(i)
		if err == nil {
			err = sc.Next(dst)
		}
		switch {
		case errors.Is(err, io.EOF):
			s.left = s.left[1:]
			continue
		case err != nil:
			return err
		}
		if !s.req.NoKeys {
			s.t.places[i].rename(dst, 0)
		}
		if s.limit > 0 {
			if s.limit -= int64(dst.Len()); s.limit <= 0 {
				s.left, s.limit, s.full = s.left[1:], 0, i
			}
		}
		return nil
	}
	return io.EOF
}

func (s *scanner) Move(spans []storage.Span, limit int64) error {
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	if !s.t.seeks {
		return storage.Unsupported("spliced", storage.OpScan, "moves")
	}
	s.err, s.limit, s.full, s.left = nil, limit, -1, nil
	for _, i := range s.order {
		p := &s.parts[i]
		if p.moved, p.told = s.t.places[i].cuts(spans), false; len(p.moved) > 0 {
			s.left = append(s.left, i)
		}
	}
	if len(s.left) > 0 {
		_, s.err = s.open(s.left[0])
	}
	return s.err
}

func (s *scanner) Ended() bool {
	at := s.full
	switch {
	case at >= 0 && len(s.left) > 0 || len(s.left) > 1:
		return false
	case at < 0 && len(s.left) == 0:
		return true
	case at < 0:
		at = s.left[0]
	}
	p := &s.parts[at]
	return p.sc != nil && p.told && p.sc.Ended()
}

func (s *scanner) Stats() (sum storage.ScanStats) {
	for i := range s.parts {
		if sc := s.parts[i].sc; sc != nil {
			st := sc.Stats()
			sum.Calls, sum.RowsRead, sum.Bytes = sum.Calls+st.Calls, sum.RowsRead+st.RowsRead, sum.Bytes+st.Bytes
		}
	}
	return sum
}

func (s *scanner) Close() error {
	var errs []error
	for i := range s.parts {
		if sc := s.parts[i].sc; sc != nil {
			errs = append(errs, sc.Close())
		}
	}
	return errors.Join(errs...)
}

func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (did storage.ScanStats, ended bool, err error) {
	if err := storage.CheckScan(storage.OpScan, t.name, req); err != nil {
		dst.Reset()
		return did, false, err
	}
	only := -1
	for i := range t.places {
		if len(t.places[i].cuts(req.Spans)) == 0 {
			continue
		}
		if only >= 0 {
			return storage.FirstRows(ctx, t, req, dst)
		}
		only = i
	}
	only = max(only, 0)
	p := &t.places[only]
	did, ended, err = t.parts[only].ReadSpans(ctx, p.request(req, p.cuts(req.Spans)), dst)
	if err == nil && !req.NoKeys {
		p.rename(dst, 0)
	}
	return did, ended, err
}
