package jobs

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/guard"
)

// Runner carries out the jobs of one catalog. Its methods are safe for concurrent use.
type Runner struct {
	*versions.Keeper
	running running
	filler  atomic.Pointer[NewFiller]
}

// New makes the Runner of a catalog's jobs.
func New(k *versions.Keeper) *Runner { return &Runner{Keeper: k} }

// FillIndexes says how indexes are filled. Without, none can be made, and one whose server
// has died is left to a server that can.
func (c *Runner) FillIndexes(f NewFiller) { c.filler.Store(&f) }

// running are the jobs that this process carries out.
type running struct {
	mu   sync.Mutex
	pids map[uint32]int // the session that waits for each; 0 is none
}

// start says whether nobody else in this process carries the job out.
func (l *running) start(id uint32, pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, is := l.pids[id]; is {
		return false
	}
	if l.pids == nil {
		l.pids = map[uint32]int{}
	}
	l.pids[id] = pid
	return true
}

// pid gives the session that waits for a job.
func (l *running) pid(id uint32) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pids[id]
}

func (l *running) end(id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pids, id)
}

// Take takes the lease of a job of t's, for the session pid; nil where another has it. The caller
// has the DDL lease: see Job.end.
func (c *Runner) Take(ctx context.Context, id uint32, t *catalog.Table, pid int) (*Job, error) {
	if !c.running.start(id, pid) {
		return nil, nil
	}
	table := t.ID
	j := &Job{c: c, id: id, table: table, ofIndex: t.IndexByID(id) != nil, refreshes: t.Materialized != nil && t.IndexByID(id) == nil, began: time.Now()}
	var err error
	if j.lease, err = c.TryJob(ctx, id); j.lease == nil {
		c.running.end(id)
		return nil, err
	}
	// Its row may have been made anew, by this, after the job had ended.
	if over, err := c.forgetIfOver(ctx, id, table); over || err != nil {
		c.running.end(id)
		return nil, err
	}
	return j, nil
}

// hasJob says that a table, which may be nil, has a job of that ID.
func hasJob(t *catalog.Table, id uint32) bool { return t != nil && slices.Contains(t.Jobs(), id) }

// forgetIfOver removes the row of a job that the catalog has no more.
func (c *Runner) forgetIfOver(ctx context.Context, id, table uint32) (over bool, err error) {
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

// readJob reads how far a job is; nil where nothing is written down.
func (c *Runner) readJob(ctx context.Context, id uint32) (p *progressJSON, canceled bool, err error) {
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

// List lists the jobs there are.
func (c *Runner) List(ctx context.Context) ([]catalog.Job, error) {
	var list []catalog.Job
	for _, t := range c.Snapshot().Reshaped() {
		for _, id := range t.Jobs() {
			k := catalog.Job{ID: id, Table: t}
			if ix := t.IndexByID(id); ix != nil {
				k.Index, k.What, k.State, k.Rate, k.Started = ix, ix.Build.Command, "filling", ix.Build.Rate, ix.Build.Started
				if ix.State == catalog.IndexPlanned {
					k.State = "planned"
				}
			} else if t.Rewrite.Refreshes() {
				k.What, k.State, k.Started = "REFRESH MATERIALIZED VIEW", "filling", t.Rewrite.Started
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
			k.Owner, k.PID = c.JobOwner(ctx, id), c.running.pid(id)
			list = append(list, k)
		}
	}
	return list, nil
}

// Cancel has a job of a table end and undo what it did; false where it is over.
func (c *Runner) Cancel(ctx context.Context, id, table uint32) (bool, error) {
	if err := c.PutJob(ctx, id, cancelCell, nil); err != nil {
		return false, catalog.FromStorage(err, "canceling a job")
	}
	over, err := c.forgetIfOver(ctx, id, table)
	return !over && err == nil, err
}

// LookAround ends statements and goes on with jobs whose server died, and drops what is retired,
// until the catalog closes.
func (c *Runner) LookAround(ctx context.Context) {
	failed := time.Time{}
	for versions.Sleep(ctx, jobsEvery) == nil {
		if time.Since(failed) > c.Options.Lease/4 {
			if err := c.Tidy(ctx); err != nil && ctx.Err() == nil {
				c.Options.Logger.Warn("catalog: what a dead server left half done could not be put in order", "err", err)
				failed = time.Now()
			}
		}
		s := c.Snapshot()
		for _, t := range s.Reshaped() {
			for _, id := range t.Jobs() {
				if c.mayGoOn(t, id) {
					c.takeOver(ctx, id, t)
				}
			}
		}
		c.Retire(ctx)
	}
}

// mayGoOn says that a job has begun, and that this catalog can carry it out.
func (c *Runner) mayGoOn(t *catalog.Table, id uint32) bool {
	if ix := t.IndexByID(id); ix != nil {
		return ix.State == catalog.IndexWriteOnly && c.filler.Load() != nil
	}
	return t.Rewrite.State != catalog.RewritePlanned
}

// takeOver carries a job out in the background, if nobody else does.
func (c *Runner) takeOver(ctx context.Context, id uint32, t *catalog.Table) {
	var j *Job
	err := c.TryLease(ctx, func(ctx context.Context, _ *versions.Held) (err error) {
		j, err = c.Take(ctx, id, t, 0)
		return err
	})
	if j == nil {
		if err != nil && ctx.Err() == nil {
			c.Options.Logger.Warn("catalog: a job could not be taken over", "job", id, "err", err)
		}
		return
	}
	c.Options.Logger.Info("catalog: going on with a job whose server is gone", "job", id, "table", t.Name)
	c.Background(func(ctx context.Context) {
		if err := guard.Run(func() error { return c.Run(ctx, j) }); err != nil && ctx.Err() == nil {
			c.Options.Logger.Warn("catalog: a job failed", "job", id, "err", err)
		}
	})
}

// jobsEvery is how often jobs without a server, and retired storage, are looked for: in
// memory, where there are none.
const jobsEvery = 250 * time.Millisecond

// Retire drops what is retired, unless somebody changes the catalog now.
func (c *Runner) Retire(ctx context.Context) {
	has := false
	for _, t := range c.Snapshot().Reshaped() {
		has = has || len(t.Retired) > 0
	}
	if !has {
		return
	}
	if err := c.TryLease(ctx, c.DropRetired); err != nil && ctx.Err() == nil {
		c.Options.Logger.Warn("catalog: storage that is no longer used is removed later", "err", err)
	}
}
