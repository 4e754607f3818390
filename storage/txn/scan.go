package txn

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// Scan implements storage.Table. Where the transaction wrote nothing inside the
// spans it is the store's own scan.
func (v *Table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	snap, seq, err := v.t.resolve(storage.OpScan, v.name, req)
	if err != nil {
		return nil, err
	}
	var rows []*rowBuffer
	if v.t.buf.hasTable(v.name) {
		if err := storage.CheckScan(storage.OpScan, v.name, req); err != nil {
			return nil, err
		}
		rows = v.t.buf.within(v.name, req.Spans)
	}
	base := *req
	base.Snapshot = snap
	if len(rows) == 0 {
		return v.base.Scan(ctx, &base)
	}
	s := &mergeScanner{
		v: v, req: *req, base: base, seq: seq, rows: rows, left: req.Limit,
	}
	// A row that the transaction changed must come out of the store whatever
	// the filter says of its old state, and may turn out not to count.
	s.base.KeysOnly, s.base.ValuesOnly, s.base.NoKeys, s.base.Hint = false, false, false, nil
	s.base.WithVersion = v.t.m.shared
	if req.Limit > 0 {
		s.base.Limit = req.Limit + int64(len(rows))
	}
	if req.Filter != nil {
		s.base.Filter = func(key []byte, row storage.RowView) (bool, error) {
			if v.t.buf.changed(v.name, key, seq) {
				return true, nil
			}
			if req.KeysOnly {
				row = rowstate.View(nil)
			}
			return req.Filter(key, row)
		}
	}
	s.in, err = v.base.Scan(ctx, &s.base)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ReadSpans implements storage.Table. Where the transaction wrote nothing inside the spans it
// is the store's own.
func (v *Table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	snap, _, err := v.t.resolve(storage.OpScan, v.name, req)
	if err != nil {
		return storage.ScanStats{}, false, err
	}
	if v.t.buf.hasTable(v.name) {
		return storage.FirstRows(ctx, v, req, dst)
	}
	base := *req
	base.Snapshot = snap
	return v.base.ReadSpans(ctx, &base, dst)
}

// mergeScanner merges the store's rows with the transaction's.
type mergeScanner struct {
	v    *Table
	req  storage.ScanRequest // as asked
	base storage.ScanRequest // of the store
	in   storage.Scanner
	seq  int

	mu   sync.Mutex
	rb   storage.RowBatch // the store's rows
	at   int              // next of rb
	eof  bool             // the store has no more
	rows []*rowBuffer     // what is left of the transaction's, ascending
	left int64            // until Limit
	row  rowstate.Row
	err  error
}

func (s *mergeScanner) Next(dst *storage.RowBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dst.Reset()
	if s.err != nil {
		return s.err
	}
	s.err = s.fill(dst)
	if s.err != nil {
		dst.Reset()
	}
	return s.err
}

func (s *mergeScanner) fill(dst *storage.RowBatch) error {
	batch := s.req.BatchRows
	if batch == 0 {
		batch = storage.MaxBatchRows
	}
	for dst.Len() < batch && dst.Bytes() < storage.MaxBatchBytes {
		if s.req.Limit > 0 && s.left == 0 {
			break
		}
		if s.at == s.rb.Len() && !s.eof {
			if len(s.rows) == 0 && dst.Len() == 0 && !s.base.WithVersion {
				return s.rest(dst)
			}
			if len(s.rows) == 0 && !s.base.WithVersion {
				break
			}
			s.at = 0
			if err := s.in.Next(&s.rb); err == io.EOF {
				s.eof = true
			} else if err != nil {
				return err
			}
			continue
		}
		took, err := s.step(dst)
		if err != nil {
			return err
		}
		if !took {
			break
		}
	}
	if dst.Len() == 0 {
		return io.EOF
	}
	return nil
}

// rest hands on the store's batch once nothing of the transaction's is left.
func (s *mergeScanner) rest(dst *storage.RowBatch) error {
	if err := s.in.Next(dst); err != nil {
		return err
	}
	if s.req.Limit > 0 {
		if int64(dst.Len()) > s.left {
			dst.Truncate(int(s.left))
		}
		s.left -= int64(dst.Len())
	}
	return nil
}

// step takes the next row of either side; false at the end of both.
func (s *mergeScanner) step(dst *storage.RowBatch) (bool, error) {
	hasBase, hasOwn := s.at < s.rb.Len(), len(s.rows) > 0
	if !hasBase && !hasOwn {
		return false, nil
	}
	order := -1 // the store's row comes first
	var own *rowBuffer
	if hasOwn {
		own = s.rows[0]
		if s.req.Reverse {
			own = s.rows[len(s.rows)-1]
		}
		order = 1
		if hasBase {
			order = strings.Compare(string(s.rb.Key(s.at)), own.key)
			if s.req.Reverse {
				order = -order
			}
		}
	}
	if order < 0 && s.base.WithVersion {
		loadVersioned(&s.row, &s.rb, s.at)
		unfiltered := s.req
		unfiltered.Filter = nil // it was asked below
		shown, err := s.row.Emit(s.v.name, s.rb.Key(s.at), &unfiltered, nil, dst)
		s.at++
		if shown {
			s.left--
		}
		return true, err
	}
	if order < 0 {
		if s.req.KeysOnly {
			dst.StartRow(s.rb.Key(s.at))
		} else {
			dst.AppendRow(&s.rb, s.at)
		}
		s.at++
		s.left--
		return true, nil
	}
	i := -1
	if order == 0 {
		i = s.at
		s.at++
	}
	if s.req.Reverse {
		s.rows = s.rows[:len(s.rows)-1]
	} else {
		s.rows = s.rows[1:]
	}
	s.v.note(own, &s.base, &s.rb, i)
	s.v.load(&s.row, own, &s.rb, i)
	s.row.Apply(s.v.t.buf.changesOf(own, s.seq, s.req.Versions))
	shown, err := s.row.Emit(s.v.name, []byte(own.key), &s.req, nil, dst)
	if shown {
		s.left--
	}
	return true, err
}

// Move implements storage.Scanner: what the transaction wrote is merged once.
func (s *mergeScanner) Move([]storage.Span, int64) error {
	return storage.Unsupported("transaction", storage.OpScan, "scans that move over rows that it wrote")
}

// Ended implements storage.Scanner: Next tells.
func (s *mergeScanner) Ended() bool { return false }

func (s *mergeScanner) Stats() storage.ScanStats { return s.in.Stats() }

func (s *mergeScanner) Close() error {
	err := s.in.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = storage.Errorf(storage.CodeClosed, storage.OpScan, s.v.name, "scanner is closed")
	return err
}
