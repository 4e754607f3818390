package scan

import "github.com/saltsql/saltsql/storage"

// sharedScan is one scan over all buckets that small pages are read by, one after
// another: on an embedded store half of the time of a scan of few rows is the opening
// and closing of its iterator.
//
//	bucket 0  page      |            at moves to where the next page begins, of
//	bucket 1       page |            whichever bucket that is
//	bucket 2            | page
type sharedScan struct {
	core   *Core
	req    storage.ScanRequest
	at     storage.Scanner // nil until the first page
	cannot bool            // the store's scans do not move
	counts storage.ScanStats
}

// reads says that r stands on a page of s.
func (s *sharedScan) reads(r *pageReader) bool {
	return s != nil && s.at != nil && r.scanner == s.at
}

// move goes to the page that r asks for; nil where the store's scans do not move.
func (s *sharedScan) move(r *pageReader) (storage.Scanner, error) {
	if s.cannot {
		return nil, nil
	}
	if s.at == nil {
		s.req = s.core.req
		s.req.Spans, s.req.Limit, s.req.Hint = s.core.spans(), 0, r.req.Hint
		sc, err := s.core.table.Scan(s.core.ctx, &s.req)
		if err != nil {
			return nil, err
		}
		err = sc.Move(r.req.Spans, r.req.Limit)
		if storage.CodeOf(err) == storage.CodeUnsupported {
			s.cannot = true
			return nil, sc.Close()
		}
		s.at = sc
		return sc, err
	}
	return s.at, s.at.Move(r.req.Spans, r.req.Limit)
}

// spent gives the work since the call before.
func (s *sharedScan) spent() storage.ScanStats {
	now := s.at.Stats()
	spent := since(now, s.counts)
	s.counts = now
	return spent
}

// since is the work done from one moment to another.
func since(now, then storage.ScanStats) storage.ScanStats {
	return storage.ScanStats{Calls: now.Calls - then.Calls, RowsRead: now.RowsRead - then.RowsRead, Bytes: now.Bytes - then.Bytes}
}

// close ends the scan. No reader stands on it.
func (s *sharedScan) close() error {
	if s.at == nil {
		return nil
	}
	err := s.at.Close()
	s.at, s.req = nil, storage.ScanRequest{}
	return err
}
