package jobs

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// BulkFiller is a Filler that may fill the whole index at once, on a store that one process
// has to itself.
type BulkFiller interface {
	Filler
	// Bulk is for that; nil where that cannot be.
	Bulk(ctx context.Context) (Bulk, error)
}

// Bulk is the filling of a whole index from what its table is at one moment. What others
// write meanwhile is mended in the end.
type Bulk interface {
	// Begin chooses the moment. Nobody writes the table until it returns; versions.ErrBusy
	// says that it has to be another moment.
	Begin(ctx context.Context) error
	// Fill makes the entries of the rows of a span, and tells how many it has gone over since
	// it last told; it ends with an error of that. It is for several goroutines.
	Fill(ctx context.Context, span storage.Span, progress func(rows int) error) error
	// Prepare does most of Commit's work.
	Prepare(ctx context.Context) error
	// Held says that nobody may write the table from Commit to the last Mend: writes look at
	// the entries. Undo follows where that ends by an error.
	Held() bool
	// Commit puts the entries into the index, of a table that is still as it was. ok is false,
	// and nothing done, where too much was written meanwhile to be mended; versions.ErrMoved
	// says that all is to be done again, versions.ErrBusy, of a Held one, that Commit is.
	Commit(ctx context.Context) (ok bool, err error)
	// Mend makes right some entries that were written meanwhile; more says that others are left,
	// versions.ErrMoved, of a Held one, that all is to be done again once it is undone.
	Mend(ctx context.Context) (more bool, err error)
	// Undo empties the index.
	Undo(ctx context.Context) error
	Close()
}

// bulkIndex fills an index at once, again where the table changes under it. ok is false where
// it has to be filled by pieces: where somebody has begun so, or it may not go as fast as
// it can, where more is written meanwhile than can be mended, and where transactions that
// write stay open. A Bulk that ended by a crash leaves entries that only another one removes,
// by emptying the index: nobody has begun by pieces then. See EmptyBegun for UNIQUE ones.
func (j *Job) bulkIndex(ctx context.Context) (ok bool, err error) {
	t, err := j.tableNow()
	if err != nil || !j.c.Store.Caps().Exclusive || j.rate(t) > 0 || !j.untouched(t) {
		return false, err
	}
	j.countAnew()
	for try := 1; ; try++ {
		if ok, err = j.bulkOnce(ctx); !ok {
			j.countAnew()
		}
		if !errors.Is(err, versions.ErrMoved) {
			return ok, err
		}
		if _, err := j.c.Refresh(ctx); err != nil || try == bulkTries {
			return false, err
		}
	}
}

// bulkTries is how often all is done at once while the table changes, or its rows are locked.
const bulkTries = 4

// countAnew forgets how many rows are done.
func (j *Job) countAnew() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done.Rows = 0
}

// untouched says that nothing is done of the job's spans.
func (j *Job) untouched(t *catalog.Table) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return whole(j.done.Spans, t)
}

// whole says that spans are all rows of t.
func whole(spans []jobSpan, t *catalog.Table) bool {
	for b, sp := range spans {
		if sp.Done || !bytes.Equal(sp.Start, t.Codec().Key.BucketSpan(b).Start) {
			return false
		}
	}
	return true
}

// EmptyBegun empties the UNIQUE indexes that a Bulk may have filled whose process has died
// before all was mended, so that writes do not find entries that no row has. It is for a
// store that one process has to itself, before anybody writes.
func (c *Runner) EmptyBegun(ctx context.Context) error {
	for _, t := range c.Snapshot().Reshaped() {
		for i := range t.Indexes {
			ix := &t.Indexes[i]
			if !ix.Unique || ix.Build == nil || ix.State != catalog.IndexWriteOnly {
				continue
			}
			p, _, err := c.readJob(ctx, ix.ID)
			if err == nil && (p == nil || whole(p.Spans, t)) {
				err = c.Store.Admin().Truncate(ctx, ix.Physical)
			}
			if err != nil {
				return catalog.FromStorage(err, "emptying an index that was being made")
			}
		}
	}
	return nil
}

func (j *Job) bulkOnce(ctx context.Context) (ok bool, err error) {
	t, b, err := j.beginBulk(ctx)
	if err != nil || b == nil {
		return false, err
	}
	defer b.Close()
	if err := j.fillBulk(ctx, b); err != nil {
		return false, err
	}
	if err := b.Prepare(ctx); err != nil {
		return false, err
	}
	if !b.Held() {
		return finish(ctx, b, func(work func(context.Context) error) error { return j.entering(ctx, t, work) })
	}
	err = j.held(ctx, t, func() (err error) {
		ok, err = finish(ctx, b, func(work func(context.Context) error) error { return work(ctx) })
		if err != nil && !errors.Is(err, versions.ErrBusy) {
			ctx, cancel := versions.Detached(ctx, j.c.Options.Lease)
			defer cancel()
			err = errors.Join(err, b.Undo(ctx))
		}
		return err
	})
	if errors.Is(err, versions.ErrBusy) {
		return false, nil
	}
	return ok, err
}

// finish commits and mends. Each step is given to do.
func finish(ctx context.Context, b Bulk, do func(work func(context.Context) error) error) (ok bool, err error) {
	err = do(func(ctx context.Context) (err error) {
		ok, err = b.Commit(ctx)
		return err
	})
	for more := ok; more && err == nil; {
		err = do(func(ctx context.Context) (err error) {
			more, err = b.Mend(ctx)
			return err
		})
	}
	return ok && err == nil, err
}

// beginBulk begins at a moment when no write of the table is under way.
func (j *Job) beginBulk(ctx context.Context) (*catalog.Table, Bulk, error) {
	t, err := j.tableNow()
	if err != nil {
		return nil, nil, err
	}
	f, err := (*j.c.filler.Load())(ctx, t, t.IndexByID(j.id))
	if err != nil {
		return nil, nil, err
	}
	bf, ok := f.(BulkFiller)
	if !ok {
		return nil, nil, nil
	}
	b, err := bf.Bulk(ctx)
	if b == nil || err != nil {
		return nil, nil, err
	}
	if err := j.held(ctx, t, func() error { return b.Begin(ctx) }); err != nil {
		b.Close()
		if errors.Is(err, versions.ErrBusy) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	return t, b, nil
}

// heldTries is how often a moment is looked for at which no open transaction has written.
const heldTries = 8

// held does work while nobody writes the table, which must still be t; again some times where
// it is versions.ErrBusy, for some seconds in all.
func (j *Job) held(ctx context.Context, t *catalog.Table, work func() error) error {
	for try := 1; ; try++ {
		err := j.heldOnce(ctx, t, work)
		if !errors.Is(err, versions.ErrBusy) || try == heldTries {
			return err
		}
		if err := storage.Pause(ctx, try-1, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

func (j *Job) heldOnce(ctx context.Context, t *catalog.Table, work func() error) error {
	release, err := j.c.HoldSoon(ctx, j.table)
	if err != nil {
		return err
	}
	defer release()
	if now, err := j.tableNow(); err != nil || now != t {
		return errors.Join(err, versions.ErrMoved)
	}
	return work()
}

// fillBulk goes over the spans, on all processors.
func (j *Job) fillBulk(ctx context.Context, b Bulk) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spans := make(chan jobSpan, len(j.done.Spans))
	for _, sp := range j.done.Spans {
		spans <- sp
	}
	close(spans)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(j.done.Spans)) {
		wg.Go(func() {
			for sp := range spans {
				began, others := time.Now(), j.others()
				progress := func(n int) error {
					j.mu.Lock()
					j.done.Rows += int64(n)
					j.mu.Unlock()
					if err := j.save(ctx, false); err != nil {
						return err
					}
					if j.others() != others { // who write get as much of the time as the job
						if err := versions.Sleep(ctx, time.Since(began)); err != nil {
							return err
						}
					}
					began, others = time.Now(), j.others()
					return ctx.Err()
				}
				err := guard.Run(func() error { return b.Fill(ctx, storage.Span{Start: sp.Start, End: sp.End}, progress) })
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return j.save(ctx, true)
}

// entering does work as one write of the table, which must still be t.
func (j *Job) entering(ctx context.Context, t *catalog.Table, work func(context.Context) error) error {
	ctx, leave, err := j.c.Enter(ctx, t)
	if sqlerr.CodeOf(err) == sqlerr.SerializationFailure {
		err = versions.ErrMoved
	}
	if err != nil {
		return err
	}
	j.entered.Add(1)
	defer leave()
	return work(ctx)
}
