package live

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A job goes over a table's rows while the table serves: it copies them under another salt
// (resalt.go), or fills an index (index_job.go). Its lease says who is at work; that there is
// a job, and of what kind, the table's descriptor says. A job whose lease has run out goes on in
// any server that looks (see lookForJobs), from where its progress says. Who holds the
// lease may write its copy: calls that do so end before it could be another's.
//
//	c:progress   {"rows":40960,"spans":[…]}
//	c:cancel     (empty)
const (
	progressCell = "progress"
	cancelCell   = "cancel"
)

// job is one that this process carries out.
type job struct {
	c         *Catalog
	id, table uint32
	ofIndex   bool // id is an index's
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
	running map[uint32]int // the session that waits for each; 0 is none
}

// start says whether nobody else in this process carries the job out.
func (l *jobs) start(id uint32, pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, is := l.running[id]; is {
		return false
	}
	if l.running == nil {
		l.running = map[uint32]int{}
	}
	l.running[id] = pid
	return true
}

// pid gives the session that waits for a job.
func (l *jobs) pid(id uint32) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running[id]
}

func (l *jobs) end(id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
}

// takeJob takes the lease of a job of t's, for the session pid; nil where another has it.
func (c *Catalog) takeJob(ctx context.Context, id uint32, t *catalog.Table, pid int) (*job, error) {
	if !c.jobs.start(id, pid) {
		return nil, nil
	}
	table := t.ID
	j := &job{c: c, id: id, table: table, ofIndex: t.IndexByID(id) != nil, began: time.Now()}
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

// hasJob says that a table, which may be nil, has a job of that ID.
func hasJob(t *catalog.Table, id uint32) bool { return t != nil && slices.Contains(t.Jobs(), id) }

// forgetIfOver removes the row of a job that the catalog has no more.
func (c *Catalog) forgetIfOver(ctx context.Context, id, table uint32) (over bool, err error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return false, err
	}
	if hasJob(s.TableByID(table), id) {
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
	if hasJob(j.c.Snapshot().TableByID(j.table), j.id) {
		j.lease.GiveBack(ctx)
	}
}

// tableNow gives the table that the job is about; 57014 where it has nothing to do.
func (j *job) tableNow() (*catalog.Table, error) {
	t := j.c.Snapshot().TableByID(j.table)
	switch {
	case hasJob(t, j.id):
		return t, nil
	case j.ofIndex:
		return nil, errIndexGone()
	}
	return nil, errRewriteGone()
}

// runJob carries a job out and cleans up: what cannot be completed is undone, unless this
// server closes or has lost the job.
func (c *Catalog) runJob(ctx context.Context, j *job) error {
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
		j.undo(ctx, h)
		return nil
	})
	_, _ = c.forgetIfOver(context.WithoutCancel(ctx), j.id, j.table) // who removed it did so before its progress was last saved
	return catalog.FromStorage(err, "copying the rows of the table")
}

// undo removes what the job has made.
func (j *job) undo(ctx context.Context, h *versions.Held) {
	if j.ofIndex {
		j.c.undoIndex(ctx, h, j.table, j.id)
	} else {
		j.c.undoRewrite(ctx, h, j.table, j.id)
	}
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
	if j.ofIndex {
		return j.buildIndex(ctx)
	}
	if err := j.copyAll(ctx); err != nil {
		return err
	}
	if err := j.catchUp(ctx); err != nil {
		return err
	}
	return j.c.switchOver(ctx, j)
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
	for _, t := range c.Snapshot().Reshaped() {
		for _, id := range t.Jobs() {
			k := catalog.Job{ID: id, Table: t}
			if ix := t.IndexByID(id); ix != nil {
				k.Index, k.What, k.State, k.Rate, k.Started = ix, ix.Build.Command, "filling", ix.Build.Rate, ix.Build.Started
				if ix.State == catalog.IndexPlanned {
					k.State = "planned"
				}
			} else {
				k.What, k.State, k.Rate, k.Started = "ALTER TABLE SET SALT_BUCKETS", t.Rewrite.State.String(), t.Rewrite.Rate, t.Rewrite.Started
			}
			p, canceled, err := c.readJob(ctx, id)
			if err != nil {
				return nil, catalog.FromStorage(err, "reading a job")
			}
			if p != nil {
				k.Rows, k.Again = p.Rows, p.Again
			}
			if canceled {
				k.State = "canceling"
			}
			k.Owner, k.PID = c.JobOwner(ctx, id), c.jobs.pid(id)
			list = append(list, k)
		}
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
		if !hasJob(t, id) {
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
			for _, id := range t.Jobs() {
				if c.mayGoOn(t, id) {
					c.takeOver(ctx, id, t)
				}
			}
		}
		c.retire(ctx)
	}
}

// mayGoOn says that a job has begun, and that this catalog can carry it out.
func (c *Catalog) mayGoOn(t *catalog.Table, id uint32) bool {
	if ix := t.IndexByID(id); ix != nil {
		return ix.State == catalog.IndexWriteOnly && c.filler.Load() != nil
	}
	return t.Rewrite.State != catalog.RewritePlanned
}

// takeOver carries a job out in the background, if nobody else does.
func (c *Catalog) takeOver(ctx context.Context, id uint32, t *catalog.Table) {
	j, err := c.takeJob(ctx, id, t, 0)
	if j == nil {
		if err != nil && ctx.Err() == nil {
			c.Options.Logger.Warn("catalog: a job could not be taken over", "job", id, "err", err)
		}
		return
	}
	c.Options.Logger.Info("catalog: going on with a job whose server is gone", "job", id, "table", t.Name)
	c.Background(func(ctx context.Context) {
		if err := c.runJob(ctx, j); err != nil && ctx.Err() == nil {
			c.Options.Logger.Warn("catalog: a job failed", "job", id, "err", err)
		}
	})
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
