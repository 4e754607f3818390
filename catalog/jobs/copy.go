package jobs

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

const (
	copyRows = 1024 // rows that are read at once
	// fewEntries of the log are left to the switch, while writes wait.
	fewEntries = 256
)

// copier has what one piece needs.
type copier struct {
	j        *Job
	from, to *catalog.Table
	old, new storage.Table
	log      storage.Table
	rows     []storage.RowMutation
}

func (j *Job) copier() (*copier, error) {
	t, err := j.tableNow()
	if err != nil {
		return nil, err
	}
	after, err := t.Rewritten()
	if err != nil {
		return nil, err
	}
	store := j.c.Store
	return &copier{j: j, from: t, to: after, old: store.Table(t.Physical), new: store.Table(after.Physical), log: store.Table(t.Rewrite.Log)}, nil
}

// copyAll copies the rows that are there, and keeps the log short meanwhile.
func (j *Job) copyAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	copied := make(chan struct{})
	drained := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			select {
			case <-copied:
				drained <- nil
				return
			case <-time.After(saveEvery):
			}
			err = guard.Run(func() error { return j.drain(ctx, false) })
		}
		cancel()
		drained <- err
	}()
	first := j.eachPiece(ctx, func() pieceFunc {
		return func(ctx context.Context, t *catalog.Table, sp jobSpan, limit int) (int, []byte, error) {
			cp, err := j.copier()
			if err != nil {
				return 0, nil, err
			}
			return cp.piece(ctx, sp, limit)
		}
	})
	close(copied)
	if err := <-drained; first == nil || err != nil && storage.CodeOf(first) == storage.CodeCanceled {
		first = err
	}
	return first
}

// piece copies the next rows of a span.
func (cp *copier) piece(ctx context.Context, sp jobSpan, limit int) (n int, last []byte, err error) {
	cp.j.pieces.RLock()
	defer cp.j.pieces.RUnlock()
	err = cp.again(ctx, func(ctx context.Context) error {
		n = 0
		req := &storage.ScanRequest{
			Spans: []storage.Span{{Start: sp.Start, End: sp.End}}, Limit: int64(limit), Versions: cp.from.Options.Versions,
		}
		return storage.EachBatch(ctx, cp.old, req, func(b *storage.RowBatch) error {
			cp.rows = cp.rows[:0]
			for i := range b.Len() {
				if err := cp.row(b, i); err != nil {
					return err
				}
			}
			if err := cp.new.Mutate(ctx, cp.rows, storage.WriteOptions{NoSync: true}); err != nil {
				return err
			}
			if n += b.Len(); b.Len() > 0 {
				last = bytes.Clone(b.Key(b.Len() - 1))
			}
			return nil
		})
	})
	return n, last, err
}

// row adds a row of the old storage, as it is.
func (cp *copier) row(b *storage.RowBatch, i int) error {
	key, err := cp.key(b.Key(i))
	if err != nil {
		return err
	}
	muts := make([]storage.Mutation, 1, 1+b.NumCells(i))
	muts[0].Op = storage.DeleteRow
	for k := range b.NumCells(i) {
		c := b.Cell(i, k)
		muts = append(muts, storage.Mutation{Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Value: c.Value})
	}
	cp.rows = append(cp.rows, storage.RowMutation{Key: key, Mutations: muts})
	return nil
}

// key gives a row's key in the copy: the same under another salt.
func (cp *copier) key(old []byte) ([]byte, error) {
	return cp.to.Codec().Key.Resalted(nil, cp.from.Codec().Key.LogicalKey(old))
}

// catchUp reads the log until little is left of it.
func (j *Job) catchUp(ctx context.Context) error {
	for {
		before := j.done.Again
		if err := j.drain(ctx, false); err != nil {
			return err
		}
		if j.done.Again-before < fewEntries {
			return nil
		}
	}
}

// drain brings the copies of rows that were written up to date, and forgets their entries.
// Those of writes that have not ended are left, but for all, when nobody writes.
func (j *Job) drain(ctx context.Context, all bool) error {
	j.pieces.Lock()
	defer j.pieces.Unlock()
	cp, err := j.copier()
	if err != nil {
		return err
	}
	return cp.again(ctx, func(ctx context.Context) error {
		return storage.EachBatch(ctx, cp.log, &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
			var keys [][]byte
			var entries []storage.RowMutation
			for i := range b.Len() {
				rows, ended, err := changelog.Entry(b, i)
				if err != nil {
					return err
				}
				if ended || all {
					keys = append(keys, rows...)
					entries = append(entries, storage.RowMutation{Key: bytes.Clone(b.Key(i)), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}})
				}
			}
			if err := cp.sync(ctx, keys); err != nil {
				return err
			}
			if len(entries) > 0 {
				if err := cp.log.Mutate(ctx, entries, storage.WriteOptions{NoSync: true}); err != nil {
					return err
				}
			}
			j.mu.Lock()
			j.done.Again += int64(len(keys))
			j.mu.Unlock()
			return nil
		})
	})
}

// sync makes the copies of rows what the rows are now.
func (cp *copier) sync(ctx context.Context, keys [][]byte) error {
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var b storage.RowBatch
	for part := range slices.Chunk(keys, copyRows) {
		b.Reset()
		if _, err := cp.old.MultiGet(ctx, part, &storage.ScanRequest{Versions: cp.from.Options.Versions}, &b); err != nil {
			return err
		}
		cp.rows = cp.rows[:0]
		at := 0
		for _, k := range part {
			if at < b.Len() && bytes.Equal(b.Key(at), k) {
				if err := cp.row(&b, at); err != nil {
					return err
				}
				at++
				continue
			}
			key, err := cp.key(k)
			if err != nil {
				return err
			}
			cp.rows = append(cp.rows, storage.RowMutation{Key: key, Mutations: []storage.Mutation{{Op: storage.DeleteRow}}})
		}
		if err := cp.new.Mutate(ctx, cp.rows, storage.WriteOptions{NoSync: true}); err != nil {
			return err
		}
	}
	return nil
}

// patient is for a call that fails for a while, or whose time is over: about 10 s.
var patient = storage.Tries{Most: 60, Unit: 3 * time.Millisecond, Also: []storage.Code{storage.CodeAmbiguous, storage.CodeDeadlineExceeded, storage.CodeCanceled}}

// again does work that may be repeated, while the store is not to be reached, or the job's
// lease is not renewed in time. Calls end well before the lease does, so that nothing of it comes
// after another's work.
func (cp *copier) again(ctx context.Context, work func(context.Context) error) error {
	return patient.Again(ctx, func() error { return cp.j.within(ctx, work) })
}

// within gives work its time. Where a write of it is in doubt, that has passed when within returns:
// the write has no condition, and until then may still come, over what the next try writes.
func (j *Job) within(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(j.lease.Fenced(ctx), j.c.Options.Lease/4)
	defer cancel()
	err := work(ctx)
	if inDoubt(err) {
		<-ctx.Done()
	}
	return err
}

// inDoubt says that rows of a write may have been written, or may yet be.
func inDoubt(err error) bool {
	var p *storage.PartialError
	if errors.As(err, &p) {
		return slices.ContainsFunc(p.Rows, func(r storage.RowError) bool { return r.Err.Code == storage.CodeAmbiguous })
	}
	return storage.CodeOf(err) == storage.CodeAmbiguous
}
