package entry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Verified gives an index's storage table as one whose entries are all those of rows as they
// are: an entry with marks is given where its row has it, with what the row holds, and left
// out where not. rows is the table's own storage, seen by the same transaction; minTS hides
// rows. Only Scan and MultiGet are of the entries; what they give are cells, of all columns.
//
// Entries whose marks are all of writes that have ended (txn.Manager.Ended) are mended on the way, where enter
// lets a write of t begin: rows that have got another storage since would mend nothing. nil
// lets none.
func Verified(txns *txn.Manager, index storage.Table, t *catalog.Table, ix *catalog.Index, env *expr.Env, rows storage.Table, minTS int64, enter TryEnter) storage.Table {
	return &verified{Table: index, txns: txns, t: t, ix: ix, env: env, rows: rows, minTS: minTS, enter: enter}
}

// TryEnter is that of op.Context.
type TryEnter = func(ctx context.Context, t *catalog.Table) (_ context.Context, leave func(), ok bool)

type verified struct {
	storage.Table // but for what reads entries
	txns          *txn.Manager
	t             *catalog.Table
	ix            *catalog.Index
	env           *expr.Env
	rows          storage.Table
	minTS         int64
	enter         TryEnter
}

func (v *verified) open() (*rowEntries, error) {
	return newRowEntries(v.t, v.ix, v.env, v.rows, v.minTS)
}

// mendAtOnce is how many entries of a batch a reader mends.
const mendAtOnce = 64

// mend mends entries of a batch that nobody is at work on any more. What fails stays marked.
func (v *verified) mend(ctx context.Context, b *storage.RowBatch, ms []marks) {
	var list []Target
	for i := range ms {
		if ms[i].are() && len(list) < mendAtOnce && ms[i].ended(v.txns) {
			list = append(list, Target{Key: bytes.Clone(b.Key(i))})
		}
	}
	if len(list) == 0 || v.enter == nil || v.txns.Raw().Caps().ReadOnly {
		return
	}
	ctx, leave, ok := v.enter(ctx, v.t)
	if !ok {
		return
	}
	defer leave()
	if m, err := NewMender(v.txns, v.env, v.t, v.ix); err == nil {
		_, _ = m.Mend(ctx, list)
	}
}

// whole is a request that shows marks too.
func whole(req *storage.ScanRequest) *storage.ScanRequest {
	all := storage.ScanRequest{}
	if req != nil {
		all = *req
	}
	all.Project, all.KeysOnly, all.ValuesOnly, all.NoKeys = nil, false, false, false
	all.Filter, all.Hint = nil, nil
	return &all
}

// MultiGet implements storage.Table.
func (v *verified) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	var all storage.RowBatch
	calls, err := v.Table.MultiGet(ctx, keys, whole(req), &all)
	if err != nil {
		return calls, err
	}
	r := reader{v: v, ctx: ctx}
	if err := r.settle(&all, dst, req); err != nil {
		return calls, err
	}
	return calls + int(r.made.Load()), nil
}

// Scan implements storage.Table.
func (v *verified) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	sc, err := v.Table.Scan(ctx, whole(req))
	if err != nil {
		return nil, err
	}
	return &verifiedScan{reader: reader{v: v, ctx: ctx}, req: *req, sc: sc, asked: req.Limit}, nil
}

// ReadSpans implements storage.Table.
func (v *verified) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, v, req, dst)
}

// reader looks at the rows that entries with marks lead to.
type reader struct {
	v    *verified
	ctx  context.Context
	rows *rowEntries  // nil until it is needed
	made atomic.Int64 // calls
}

// clean says that no entry of a batch has marks.
func clean(b *storage.RowBatch) bool {
	for i := range b.Len() {
		for j := range b.NumCells(i) {
			if isMark(b.Cell(i, j).Family) {
				return false
			}
		}
	}
	return true
}

// settle appends the entries of all that rows have to dst; req's filter is applied.
func (r *reader) settle(all, dst *storage.RowBatch, req *storage.ScanRequest) error {
	var filter func([]byte, storage.RowView) (bool, error)
	if req != nil {
		filter = req.Filter
	}
	if clean(all) {
		for i := range all.Len() {
			dst.AppendRow(all, i)
			if err := filterLast(dst, filter); err != nil {
				return err
			}
		}
		return nil
	}
	if r.rows == nil {
		var err error
		if r.rows, err = r.v.open(); err != nil {
			return err
		}
	}
	var keys [][]byte
	ms := make([]marks, all.Len())
	for i := range ms {
		if ms[i] = r.rows.marksOf(all, i); ms[i].are() {
			keys = append(keys, ms[i].of...)
		}
	}
	if req != nil {
		r.rows.req.Snapshot = req.Snapshot
	}
	have, err := r.rows.read(r.ctx, keys)
	if err != nil {
		return err
	}
	r.made.Store(r.rows.calls.Load())
	r.v.mend(r.ctx, all, ms)
	for i := range ms {
		if !ms[i].are() {
			dst.AppendRow(all, i)
		} else if e, ok := holderOf(&ms[i], all.Key(i), have); ok {
			dst.StartRow(e.Key)
			for _, m := range e.Content() {
				dst.AddCell(m.Family, m.Qualifier, m.Timestamp, m.Value)
			}
		} else {
			continue
		}
		if err := filterLast(dst, filter); err != nil {
			return err
		}
	}
	return nil
}

// holderOf gives the entry as the row that has it makes it.
func holderOf(m *marks, key []byte, have map[string]current) (current, bool) {
	for _, row := range m.of {
		if e, ok := have[string(row)]; ok && bytes.Equal(e.Key, key) {
			return e, true
		}
	}
	return current{}, false
}

type lastRow struct{ b *storage.RowBatch }

func (l lastRow) Get(family string, qualifier []byte) ([]byte, bool) {
	return l.b.Value(l.b.Len()-1, family, qualifier)
}

func filterLast(dst *storage.RowBatch, filter func([]byte, storage.RowView) (bool, error)) error {
	if filter == nil {
		return nil
	}
	ok, err := filter(dst.Key(dst.Len()-1), lastRow{dst})
	if err == nil && !ok {
		dst.DropRow()
	}
	return err
}

// verifiedScan is a scan of entries. Where a limit was given and entries are left out it goes
// on behind the last one.
type verifiedScan struct {
	reader
	req    storage.ScanRequest
	sc     storage.Scanner
	all    storage.RowBatch
	mu     sync.Mutex        // of before and of what sc is, for Stats
	before storage.ScanStats // of scans that were ended
	read   int64             // by sc
	asked  int64             // of sc at most; 0 is no limit
	given  int64
	last   []byte
	err    error
}

// Next implements storage.Scanner.
func (s *verifiedScan) Next(dst *storage.RowBatch) error {
	dst.Reset()
	for s.err == nil {
		if s.err = s.sc.Next(&s.all); s.err != nil {
			if errors.Is(s.err, io.EOF) {
				s.err = s.resume()
			}
			continue
		}
		n := s.all.Len()
		s.read += int64(n)
		s.last = append(s.last[:0], s.all.Key(n-1)...)
		if s.err = s.settle(&s.all, dst, &s.req); s.err != nil {
			break
		}
		if left := s.req.Limit - s.given; s.req.Limit > 0 && int64(dst.Len()) > left {
			dst.Truncate(int(left))
		}
		if s.given += int64(dst.Len()); dst.Len() > 0 {
			return nil
		}
	}
	return s.err
}

// resume begins a scan of what a limit has kept from the one that has ended.
func (s *verifiedScan) resume() error {
	if s.asked == 0 || s.read < s.asked || s.given >= s.req.Limit {
		return io.EOF
	}
	req := whole(&s.req)
	req.Limit = s.req.Limit - s.given
	if req.Spans = storage.Resume(req.Spans, bytes.Clone(s.last), req.Reverse); len(req.Spans) == 0 {
		return io.EOF
	}
	if err := s.sc.Close(); err != nil {
		return err
	}
	sc, err := s.v.Table.Scan(s.ctx, req)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.sc.Stats()
	s.before.Calls, s.before.RowsRead, s.before.Bytes = s.before.Calls+st.Calls, s.before.RowsRead+st.RowsRead, s.before.Bytes+st.Bytes
	s.sc, s.read, s.asked = sc, 0, req.Limit
	return nil
}

// Stats implements storage.Scanner.
func (s *verifiedScan) Stats() storage.ScanStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.sc.Stats()
	return storage.ScanStats{
		Calls: s.before.Calls + st.Calls + s.made.Load(), RowsRead: s.before.RowsRead + st.RowsRead, Bytes: s.before.Bytes + st.Bytes,
	}
}

// Close implements storage.Scanner.
func (s *verifiedScan) Close() error { return s.sc.Close() }

// Move implements storage.Scanner: entries of a store that moves its scans have no marks.
func (s *verifiedScan) Move([]storage.Span, int64) error {
	return storage.Unsupported("verified", storage.OpScan, "scans that move")
}

// Ended implements storage.Scanner: Next tells.
func (s *verifiedScan) Ended() bool { return false }
