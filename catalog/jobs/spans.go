package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// A job goes over its table by spans of the rows as they are stored, several at a time, and
// notes down what is left of each: that is where the next server begins.

const (
	pieceRows    = 1024 // rows of one piece
	jobsParallel = 4    // pieces under way at once, where the store gains by it
)

// progressJSON is how far a job is.
type progressJSON struct {
	Rows  int64     `json:"rows"` // copied, those that were written meanwhile not counted
	Again int64     `json:"again"`
	Spans []jobSpan `json:"spans"` // not copied yet
}

// jobSpan is a part of the old rows: what is left of it.
type jobSpan struct {
	Start []byte `json:"start,omitempty"`
	End   []byte `json:"end,omitempty"`
	Done  bool   `json:"done,omitempty"`
}

// load reads how far the job was.
func (j *Job) load(ctx context.Context) error {
	p, _, err := j.c.readJob(ctx, j.id)
	if err != nil {
		return err
	}
	if p != nil {
		j.done = *p
		return nil
	}
	t, err := j.tableNow()
	if err != nil {
		return err
	}
	for b := range max(t.Buckets(), 1) {
		sp := t.Codec().Key.BucketSpan(b)
		j.done.Spans = append(j.done.Spans, jobSpan{Start: sp.Start, End: sp.End})
	}
	return j.save(ctx, true)
}

// saveEvery is how often progress is written down: what was copied since is copied again
// after a crash.
const saveEvery = time.Second

func (j *Job) save(ctx context.Context, now bool) error {
	j.mu.Lock()
	if !now && time.Since(j.saved) < saveEvery {
		j.mu.Unlock()
		return nil
	}
	j.saved = time.Now()
	value, err := json.Marshal(&j.done)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.c.PutJob(ctx, j.id, progressCell, value)
}

// pieceFunc does the job's work on the next rows of a span, limit at most, of the table as it
// is now. last is the key of the last of them; fewer than limit are all. versions.ErrMoved says that the
// table is not so any more.
type pieceFunc func(ctx context.Context, t *catalog.Table, sp jobSpan, limit int) (n int, last []byte, err error)

// eachPiece works on what is left of the table's rows. Each goroutine has a pieceFunc of its
// own.
func (j *Job) eachPiece(ctx context.Context, newPiece func() pieceFunc) error {
	n, share := jobsParallel, 1
	if j.c.Store.Caps().Exclusive { // its processors are those of who writes
		n = min(runtime.GOMAXPROCS(0), len(j.done.Spans))
		share = n
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	next := make(chan int)
	for range n {
		piece := newPiece()
		wg.Go(func() {
			for at := range next {
				if err := guard.Run(func() error { return j.overSpan(ctx, at, share, piece) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	for at := range j.done.Spans {
		select {
		case next <- at:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return j.save(ctx, true)
}

// overSpan works on what is left of a span. While others write, share of its like together get
// as much time as they.
func (j *Job) overSpan(ctx context.Context, at, share int, piece pieceFunc) error {
	for {
		j.mu.Lock()
		sp := j.done.Spans[at]
		j.mu.Unlock()
		if sp.Done {
			return nil
		}
		t, err := j.tableNow()
		if err != nil {
			return err
		}
		rate, limit := j.rate(t), pieceRows
		if rate > 0 { // several pieces a second, so that they are even
			limit = min(max(rate/8, 16), pieceRows)
		}
		began, others := time.Now(), j.others()
		n, last, err := piece(ctx, t, sp, limit)
		took := time.Since(began)
		if lapsed := storage.CodeOf(err) == storage.CodeCanceled && ctx.Err() == nil; lapsed || errors.Is(err, versions.ErrMoved) {
			// The table has moved on, or this server's lease was over for a while: work that may be
			// done again.
			if err := versions.Sleep(ctx, time.Millisecond); err != nil {
				return err
			}
			if _, err := j.c.Refresh(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		j.mu.Lock()
		p := &j.done.Spans[at]
		if n < limit {
			p.Done = true
		} else {
			p.Start = append(last, 0)
		}
		j.done.Rows += int64(n)
		j.mu.Unlock()
		if err := j.save(ctx, false); err != nil {
			return err
		}
		if err := j.pace(ctx, n, rate); err != nil {
			return err
		}
		if j.others() != others {
			if err := versions.Sleep(ctx, max(time.Duration(2*share)*took-time.Since(began), 0)); err != nil {
				return err
			}
		}
	}
}

// rate is how many rows the job may go over in a second; 0 is no limit.
func (j *Job) rate(t *catalog.Table) int {
	if j.ofIndex {
		return t.IndexByID(j.id).Build.Rate
	}
	return t.Rewrite.Rate
}

// others counts the writes of all tables on this server that are not the job's, and those of
// other servers that the log told of.
func (j *Job) others() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.c.Gate.Entered() - j.entered.Load() + j.done.Again
}

// pace waits where the job was faster than it may be.
func (j *Job) pace(ctx context.Context, n, rate int) error {
	total := j.rows.Add(int64(n))
	if rate <= 0 {
		return nil
	}
	due := time.Duration(float64(total) / float64(rate) * float64(time.Second))
	return versions.Sleep(ctx, max(due-time.Since(j.began), 0))
}
