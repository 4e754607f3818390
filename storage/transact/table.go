package transact

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// table is a transactional table. Each row that its own methods write is a transaction.
type table struct {
	s    *Store
	name string
	base storage.Table
}

var _ storage.Table = (*table)(nil)

// Scan implements storage.Table.
func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	if err := storage.CheckScan(storage.OpScan, t.name, req); err != nil {
		return nil, err
	}
	at, err := t.s.moment(ctx, storage.OpScan, t.name, req)
	if err != nil {
		return nil, err
	}
	return t.scan(ctx, req, at)
}

// ReadSpans implements storage.Table.
func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

// MultiGet implements storage.Table.
func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	const op = storage.OpMultiGet
	if req == nil {
		req = &storage.ScanRequest{}
	}
	if err := storage.CheckKeys(op, t.name, keys); err != nil {
		return 0, err
	}
	at, err := t.s.moment(ctx, op, t.name, req)
	if err != nil {
		return 0, err
	}
	b := below(req)
	b.Spans = nil
	was := dst.Len()
	calls, err := t.base.MultiGet(ctx, keys, &b, dst)
	if err != nil || simple(req) && given(dst, was, req, at) {
		return calls, err
	}
	var rb storage.RowBatch
	for i := was; i < dst.Len(); i++ {
		rb.AppendRow(dst, i)
	}
	dst.Truncate(was)
	fixed, more, err := t.resolve(ctx, &rb, &b, at)
	if calls += more; err != nil {
		return calls, err
	}
	e := emitter{t: t, req: req}
	for i := range rb.Len() {
		if _, err := e.emit(&rb, i, fixed[i], dst); err != nil {
			dst.Truncate(was)
			return calls, err
		}
	}
	return calls, nil
}

// Mutate implements storage.Table. Up to MaxRows rows are one transaction.
func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	const op = storage.OpMutate
	if err := storage.CheckRows(op, t.name, rows); err != nil {
		return err
	}
	for done := 0; done < len(rows); {
		part := firstRows(rows[done:])
		err := t.again(ctx, op, func() error {
			b := &batch{s: t.s}
			if err := b.Mutate(t.name, part); err != nil {
				return err
			}
			return b.Commit(ctx, opts)
		})
		if err != nil {
			return partial(rows, done, op, t.name, err)
		}
		done += len(part)
	}
	return nil
}

// firstRows gives as many of rows, one at least, as one transaction takes with ease.
func firstRows(rows []storage.RowMutation) []storage.RowMutation {
	size := 0
	for i := range rows {
		for j := range rows[i].Mutations {
			size += len(rows[i].Mutations[j].Qualifier) + len(rows[i].Mutations[j].Value)
		}
		if i > 0 && (i == MaxRows/2 || size > MaxBytes/2) {
			return rows[:i]
		}
	}
	return rows
}

// partial says that rows from done on have failed.
func partial(rows []storage.RowMutation, done int, op, name string, err error) error {
	if done == 0 {
		return err
	}
	var e *storage.Error
	if !errors.As(err, &e) {
		e = &storage.Error{Op: op, Table: name, Cause: err}
	}
	p := &storage.PartialError{Written: done}
	for i := done; i < len(rows); i++ {
		p.Rows = append(p.Rows, storage.RowError{Index: i, Err: e})
	}
	return p
}

// CheckAndMutate implements storage.Table: the condition is tested of the row as it was last
// committed.
func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (matched bool, err error) {
	const op = storage.OpCheckAndMutate
	if err := storage.CheckCond(op, t.name, m); err != nil {
		return false, err
	}
	req := &storage.ScanRequest{WithVersion: true}
	err = t.again(ctx, op, func() error {
		var rb storage.RowBatch
		if _, err := t.MultiGet(ctx, [][]byte{m.Key}, req, &rb); err != nil {
			return err
		}
		r, err := read(t.name, &rb, rb.Find(m.Key))
		if err != nil {
			return err
		}
		muts := m.Else
		if matched = r.row().Holds(&m.Cond, nil); matched {
			muts = m.Then
		}
		if len(muts) == 0 {
			return nil
		}
		tx := t.s.begin()
		tx.changes = append(tx.changes, &change{t: t, key: m.Key, muts: muts, seen: r.version})
		return tx.commit(ctx)
	})
	return matched && err == nil, err
}

// changed is how often a call is made again that has met others' commits.
const changed = 20

func (t *table) again(ctx context.Context, op string, call func() error) error {
	for try := 0; ; try++ {
		err := call()
		if storage.CodeOf(err) != storage.CodeConflict || try == changed {
			return err
		}
		if err := storage.Pause(ctx, try, 2*time.Millisecond); err != nil {
			return storage.CtxError(op, t.name, err)
		}
	}
}

// Increment implements storage.Table.
func (t *table) Increment(context.Context, []byte, storage.Col, int64) (int64, error) {
	return 0, storage.Unsupported("transactional table", storage.OpIncrement, "counters")
}

// Clock implements storage.Table.
func (t *table) Clock(context.Context, []byte, storage.Col) (time.Time, error) {
	return time.Time{}, storage.Unsupported("transactional table", storage.OpClock, "clock")
}

// Tablets implements storage.Table.
func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	return t.base.Tablets(ctx, span)
}

// Split implements storage.Table.
func (t *table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	return t.base.Split(ctx, span, most)
}

// Sample implements storage.Table: rows that were deleted a short time ago count.
func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	return t.base.Sample(ctx, span, most)
}

// DeleteSpan implements storage.Table. It is no transaction: the caller sees to it that nobody reads
// or writes the rows.
func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	return t.base.DeleteSpan(ctx, span)
}

// plain is another table, which Transactions read as it is, and do not write.
type plain struct {
	storage.Table
	name string
}

func (p *plain) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	own := *req
	own.Snapshot = nil
	return p.Table.Scan(ctx, &own)
}

func (p *plain) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	own := *req
	own.Snapshot = nil
	return p.Table.ReadSpans(ctx, &own, dst)
}

func (p *plain) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	if req != nil && req.Snapshot != nil {
		own := *req
		own.Snapshot = nil
		req = &own
	}
	return p.Table.MultiGet(ctx, keys, req, dst)
}

func (p *plain) Mutate(context.Context, []storage.RowMutation, storage.WriteOptions) error {
	return notTransactional(storage.OpMutate, p.name)
}

func (p *plain) CheckAndMutate(context.Context, *storage.CondMutation) (bool, error) {
	return false, notTransactional(storage.OpCheckAndMutate, p.name)
}

func (p *plain) DeleteSpan(context.Context, storage.Span) error {
	return notTransactional(storage.OpDeleteSpan, p.name)
}

func notTransactional(op, table string) error {
	e := storage.Errorf(storage.CodeUnsupported, op, table, "a transaction writes transactional tables only")
	e.Hint = "Write this table in a statement of its own, outside of the block, or create it with TRANSACTIONAL = true."
	return e
}
