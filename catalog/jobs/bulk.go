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
	// Begin chooses the moment. Nobody writes the table until it returns.
	Begin(ctx context.Context) error
	// Fill makes the entries of the rows of a span, and tells how many it has gone over since
	// it last told; it ends with an error of that. It is for several goroutines.
	Fill(ctx context.Context, span storage.Span, progress func(rows int) error) error
	// Prepare does most of Commit's work.
	Prepare(ctx context.Context) error
	// Commit puts the entries into the index, of a table that is still as it was. ok is false,
	// and nothing done, where too much was written meanwhile to be mended; versions.ErrMoved
	// says that all is to be done again.
	Commit(ctx context.Context) (ok bool, err error)
	// Mend makes right some entries that were written meanwhile; more says that others are left.
	Mend(ctx context.Context) (more bool, err error)
	Close()
}

// bulkIndex fills an index at once, as often as the table changes under it. ok is false where
// it has to be filled by pieces: where somebody has begun so, or it may not go as fast as
// it can, and where more is written meanwhile than can be mended. A Bulk that ended by a
// crash leaves entries that only another one removes, by emptying the index: nobody has begun
// by pieces then.
func (j *Job) bulkIndex(ctx context.Context) (ok bool, err error) {
	t, err := j.tableNow()
	if err != nil || !j.c.Store.Caps().Exclusive || j.rate(t) > 0 || !j.untouched(t) {
		return false, err
	}
	j.countAnew()
	for {
		if ok, err = j.bulkOnce(ctx); !ok {
			j.countAnew()
		}
		if !errors.Is(err, versions.ErrMoved) {
			return ok, err
		}
		if _, err := j.c.Refresh(ctx); err != nil {
			return false, err
		}
	}
}

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
	for b, sp := range j.done.Spans {
		whole := t.Codec().Key.BucketSpan(b)
		if sp.Done || !bytes.Equal(sp.Start, whole.Start) {
			return false
		}
	}
	return true
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
	err = j.entering(ctx, t, func(ctx context.Context) (err error) {
		ok, err = b.Commit(ctx)
		return err
	})
	if err != nil || !ok {
		return false, err
	}
	for more := true; more; {
		err := j.entering(ctx, t, func(ctx context.Context) (err error) {
			more, err = b.Mend(ctx)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return true, nil
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
	if err := j.beginHeld(ctx, t, b); err != nil {
		b.Close()
		return nil, nil, err
	}
	return t, b, nil
}

func (j *Job) beginHeld(ctx context.Context, t *catalog.Table, b Bulk) error {
	release, err := j.c.HoldSoon(ctx, j.table)
	if err != nil {
		return err
	}
	defer release()
	if now, err := j.tableNow(); err != nil || now != t {
		return errors.Join(err, versions.ErrMoved)
	}
	return b.Begin(ctx)
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
				err := b.Fill(ctx, storage.Span{Start: sp.Start, End: sp.End}, func(n int) error {
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
				})
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
