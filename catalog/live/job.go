package live

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A job copies rows while their table serves. Its lease says who is at work; that there is
// a job, and on what, the table's descriptor says. A job whose lease has run out goes on in
// any server that looks (see lookForJobs), from where its progress says. Who holds the
// lease may write its copy: calls that do so end before it could be another's.
//
//	c:progress   {"rows":40960,"spans":[…]}
//	c:cancel     (empty)
const (
	progressCell = "progress"
	cancelCell   = "cancel"
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

// job is a rewrite that this process carries out.
type job struct {
	c         *Catalog
	id, table uint32
	lease     *versions.Held

	mu    sync.Mutex
	done  progressJSON
	saved time.Time

	// pieces is held for reading while rows are read and their copies written, and for
	// writing while the log's rows are: an old copy must not come after a new one.
	pieces sync.RWMutex
	rows   atomic.Int64 // in this process, for the rate
	began  time.Time
}

// jobs are those that this process carries out.
type jobs struct {
	mu      sync.Mutex
	running map[uint32]bool
}

// start says whether nobody else in this process carries the job out.
func (l *jobs) start(id uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[id] {
		return false
	}
	if l.running == nil {
		l.running = map[uint32]bool{}
	}
	l.running[id] = true
	return true
}

func (l *jobs) end(id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
}

// takeJob takes the lease of a job; nil where another has it.
func (c *Catalog) takeJob(ctx context.Context, id, table uint32) (*job, error) {
	if !c.jobs.start(id) {
		return nil, nil
	}
	j := &job{c: c, id: id, table: table, began: time.Now()}
	var err error
	if j.lease, err = c.TryJob(ctx, id); j.lease == nil {
		c.jobs.end(id)
		return nil, err
	}
	// Its row may have been made anew, by this, after the job had ended.
	if over, err := c.forgetIfOver(ctx, id, table); over || err != nil {
		c.jobs.end(id)
		return nil, err
	}
	return j, nil
}

// forgetIfOver removes the row of a job that the catalog has no more.
func (c *Catalog) forgetIfOver(ctx context.Context, id, table uint32) (over bool, err error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return false, err
	}
	if t := s.TableByID(table); t != nil && t.Rewrite != nil && t.Rewrite.ID == id {
		return false, nil
	}
	c.ForgetJob(ctx, id)
	return true, nil
}

// release lets others have the job, if it is still one. nil is none.
func (j *job) release(ctx context.Context) {
	if j == nil {
		return
	}
	defer j.c.jobs.end(j.id)
	t := j.c.Snapshot().TableByID(j.table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != j.id {
		return
	}
	j.lease.GiveBack(ctx)
}

// tableNow gives the table whose rows the job copies; 57014 where it has nothing to do.
func (j *job) tableNow() (*catalog.Table, error) {
	t := j.c.Snapshot().TableByID(j.table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != j.id {
		return nil, errRewriteGone()
	}
	return t, nil
}

// runRewrite copies, switches, and cleans up: what cannot be completed is undone, unless this
// server closes or has lost the job.
func (c *Catalog) runRewrite(ctx context.Context, j *job) error {
	defer j.release(ctx)
	err := j.run(ctx)
	if err == nil {
		c.ForgetJob(ctx, j.id)
		c.retire(ctx)
		return nil
	}
	if errors.Is(err, errJobLost) || c.Closing() {
		return catalog.FromStorage(err, "copying the rows of the table")
	}
	_ = c.WithLease(context.WithoutCancel(ctx), func(h *versions.Held) error {
		c.undoRewrite(ctx, h, j.table, j.id)
		return nil
	})
	return catalog.FromStorage(err, "copying the rows of the table")
}

var errJobLost = errors.New("catalog: another server has taken the job")

// run is the job, as long as its lease holds.
func (j *job) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		for versions.Sleep(ctx, min(j.c.Options.Lease/8, time.Second)) == nil {
			if err := j.lease.Renew(ctx); err != nil && ctx.Err() == nil {
				j.c.Options.Logger.Warn("catalog: a job's lease could not be renewed", "job", j.id, "err", err)
				cancel(errJobLost)
				return
			}
			if j.canceled(ctx) {
				cancel(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
				return
			}
		}
	}()
	err := j.work(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	<-kept
	return err
}

func (j *job) work(ctx context.Context) error {
	if err := j.load(ctx); err != nil {
		return err
	}
	if err := j.copyAll(ctx); err != nil {
		return err
	}
	if err := j.catchUp(ctx); err != nil {
		return err
	}
	return j.c.switchOver(ctx, j)
}

// load reads how far the job was.
func (j *job) load(ctx context.Context) error {
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
	for b := range max(t.Options.SaltBuckets, 1) {
		sp := t.Codec().Key.BucketSpan(b)
		j.done.Spans = append(j.done.Spans, jobSpan{Start: sp.Start, End: sp.End})
	}
	return j.save(ctx, true)
}

// saveEvery is how often progress is written down: what was copied since is copied again
// after a crash.
const saveEvery = time.Second

func (j *job) save(ctx context.Context, now bool) error {
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

// readJob reads how far a job is; nil where nothing is written down.
func (c *Catalog) readJob(ctx context.Context, id uint32) (p *progressJSON, canceled bool, err error) {
	cells, err := c.ReadJob(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if v, ok := cells[progressCell]; ok {
		p = new(progressJSON)
		if err := json.Unmarshal(v, p); err != nil {
			return nil, false, catalog.Corrupt("the progress of a job", "%v", err)
		}
	}
	_, canceled = cells[cancelCell]
	return p, canceled, nil
}

func (j *job) canceled(ctx context.Context) bool {
	_, canceled, err := j.c.readJob(ctx, j.id)
	return err == nil && canceled
}

// Jobs lists the jobs there are.
func (c *Catalog) Jobs(ctx context.Context) ([]catalog.Job, error) {
	var list []catalog.Job
	for _, t := range c.Snapshot().Tables() {
		r := t.Rewrite
		if r == nil {
			continue
		}
		p, canceled, err := c.readJob(ctx, r.ID)
		if err != nil {
			return nil, catalog.FromStorage(err, "reading a job")
		}
		k := catalog.Job{ID: r.ID, Table: t, What: "ALTER TABLE SET SALT_BUCKETS", State: r.State.String(), Rate: r.Rate, Started: r.Started}
		if p != nil {
			k.Rows, k.Again = p.Rows, p.Again
		}
		if canceled {
			k.State = "canceling"
		}
		k.Owner = c.JobOwner(ctx, r.ID)
		list = append(list, k)
	}
	return list, nil
}

// CancelJob has a job end and undo what it did; false where there is none of that ID. 42501
// for who does not own the table.
func (c *Catalog) CancelJob(ctx context.Context, id uint32) (bool, error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range s.Tables() {
		if t.Rewrite == nil || t.Rewrite.ID != id {
			continue
		}
		if err := newChange(ctx, c.over(s)).mustOwn(t); err != nil {
			return false, err
		}
		if err := c.PutJob(ctx, id, cancelCell, nil); err != nil {
			return false, catalog.FromStorage(err, "canceling a job")
		}
		over, err := c.forgetIfOver(ctx, id, t.ID)
		return !over && err == nil, err
	}
	return false, nil
}

// lookForJobs goes on with jobs whose server died, and drops what is retired, until the
// catalog closes.
func (c *Catalog) lookForJobs(ctx context.Context) {
	for versions.Sleep(ctx, jobsEvery) == nil {
		s := c.Snapshot()
		for _, t := range s.Reshaped() {
			if t.Rewrite == nil || t.Rewrite.State == catalog.RewritePlanned {
				continue
			}
			j, err := c.takeJob(ctx, t.Rewrite.ID, t.ID)
			if j == nil {
				if err != nil && ctx.Err() == nil {
					c.Options.Logger.Warn("catalog: a job could not be taken over", "job", t.Rewrite.ID, "err", err)
				}
				continue
			}
			c.Options.Logger.Info("catalog: going on with a job whose server is gone", "job", j.id, "table", t.Name)
			c.Background(func(ctx context.Context) {
				if err := c.runRewrite(ctx, j); err != nil && ctx.Err() == nil {
					c.Options.Logger.Warn("catalog: a job failed", "job", j.id, "err", err)
				}
			})
		}
		c.retire(ctx)
	}
}

// jobsEvery is how often jobs without a server, and retired storage, are looked for: in
// memory, where there are none.
const jobsEvery = 250 * time.Millisecond

// retire drops what is retired, unless somebody changes the catalog now.
func (c *Catalog) retire(ctx context.Context) {
	has := false
	for _, t := range c.Snapshot().Reshaped() {
		has = has || len(t.Retired) > 0
	}
	if !has {
		return
	}
	h, _ := c.TryAcquire(ctx) // an error is the next look's to meet
	if h == nil {
		return
	}
	if err := c.dropRetired(ctx, h); err != nil && ctx.Err() == nil {
		c.Options.Logger.Warn("catalog: storage that is no longer used is removed later", "err", err)
	}
	h.Release(ctx)
}
