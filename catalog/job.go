package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Rows of jobs, which copy rows while tables serve:
//
//	job/0000016390                        c:lease          {"owner":…,"until":…}
//	                                      c:progress       {"rows":40960,"spans":[…]}
//	                                      c:cancel         (empty)
//
// The lease says who is at work; that there is a job, and on what, the table's descriptor
// says. A job whose lease has run out goes on in any server that looks (see jobs), from where
// its progress says. Who holds the lease may write its copy: calls that do so end before it
// could be another's.
const (
	jobPrefix    = "job/"
	progressCell = "progress"
	cancelCell   = "cancel"
)

func jobKey(id uint32) string { return fmt.Sprintf("%s%010d", jobPrefix, id) }

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
	lease     *held

	mu    sync.Mutex
	done  progressJSON
	saved time.Time

	// pieces is held for reading while rows are read and their copies written, and for
	// writing while the log's rows are: an old copy must not come after a new one.
	pieces sync.RWMutex
	rows   atomic.Int64 // in this process, for the rate
	began  time.Time
}

// takeJob takes the lease of a job; nil where another has it.
func (c *Catalog) takeJob(ctx context.Context, id, table uint32) (*job, error) {
	c.jobMu.Lock()
	busy := c.jobs[id]
	c.jobs[id] = true
	c.jobMu.Unlock()
	if busy {
		return nil, nil
	}
	j := &job{c: c, id: id, table: table, began: time.Now()}
	var err error
	for try := 0; try < 8; try++ {
		var other *leaseJSON
		if j.lease, other, err = c.tryLease(ctx, jobKey(id)); j.lease != nil || other != nil || err != nil && !storage.IsRetryable(err) {
			break
		}
		if err = sleep(ctx, backoff(try)); err != nil {
			break
		}
	}
	if j.lease == nil {
		c.forgetJob(id)
		return nil, fromStorage(err, "taking a job")
	}
	return j, nil
}

func (c *Catalog) forgetJob(id uint32) {
	c.jobMu.Lock()
	delete(c.jobs, id)
	c.jobMu.Unlock()
}

// release lets others have the job, if it is still one. nil is none.
func (j *job) release(ctx context.Context) {
	if j == nil {
		return
	}
	j.c.forgetJob(j.id)
	t := j.c.Snapshot().TableByID(j.table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != j.id {
		return
	}
	ctx, cancel := detached(ctx, 5*time.Second)
	defer cancel()
	j.lease.giveBack(ctx)
}

// tableNow gives the table whose rows the job copies; 57014 where it has nothing to do.
func (j *job) tableNow() (*Table, error) {
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
		c.deleteRows(ctx, []string{jobKey(j.id)})
		c.retire(ctx)
		return nil
	}
	if errors.Is(err, errJobLost) || c.closing() {
		return fromStorage(err, "copying the rows of the table")
	}
	_ = c.withLease(context.WithoutCancel(ctx), func(h *held) error {
		c.undoRewrite(ctx, h, j.table, j.id)
		return nil
	})
	return fromStorage(err, "copying the rows of the table")
}

func (c *Catalog) closing() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
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
		for sleep(ctx, min(j.c.opts.Lease/8, time.Second)) == nil {
			if err := j.lease.renew(ctx); err != nil && ctx.Err() == nil {
				j.c.opts.Logger.Warn("catalog: a job's lease could not be renewed", "job", j.id, "err", err)
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
		sp := t.codec.Key.BucketSpan(b)
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
	return j.c.putRows(ctx, []storage.RowMutation{{Key: []byte(jobKey(j.id)), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(progressCell), Timestamp: j.c.nextTimestamp(0), Value: value,
	}}}})
}

// readJob reads how far a job is; nil where nothing is written down.
func (c *Catalog) readJob(ctx context.Context, id uint32) (p *progressJSON, canceled bool, err error) {
	var b storage.RowBatch
	err = retryRead(ctx, func() error {
		b.Reset()
		_, err := c.table.MultiGet(ctx, [][]byte{[]byte(jobKey(id))}, nil, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return nil, false, err
	}
	for i := range b.NumCells(0) {
		switch cell := b.Cell(0, i); string(cell.Qualifier) {
		case progressCell:
			p = new(progressJSON)
			if err := json.Unmarshal(cell.Value, p); err != nil {
				return nil, false, corrupt(jobKey(id), "%v", err)
			}
		case cancelCell:
			canceled = true
		}
	}
	return p, canceled, nil
}

func (j *job) canceled(ctx context.Context) bool {
	_, canceled, err := j.c.readJob(ctx, j.id)
	return err == nil && canceled
}

// Job is a change of a table that goes on while the table serves.
type Job struct {
	ID      uint32
	Table   *Table
	What    string // the command
	State   string
	Rows    int64 // copied so far
	Again   int64 // of those written meanwhile, read again
	Rate    int   // rows a second at most; 0 is no limit
	Started time.Time
	Owner   string // the server that is at work; "" is none
}

// Jobs lists the jobs there are.
func (c *Catalog) Jobs(ctx context.Context) ([]Job, error) {
	var list []Job
	for _, t := range c.Snapshot().Tables() {
		r := t.Rewrite
		if r == nil {
			continue
		}
		p, canceled, err := c.readJob(ctx, r.ID)
		if err != nil {
			return nil, fromStorage(err, "reading a job")
		}
		k := Job{ID: r.ID, Table: t, What: "ALTER TABLE SET SALT_BUCKETS", State: r.State.String(), Rate: r.Rate, Started: r.Started}
		if p != nil {
			k.Rows, k.Again = p.Rows, p.Again
		}
		if canceled {
			k.State = "canceling"
		}
		if l, ok, err := c.readLease(ctx, jobKey(r.ID)); err == nil && ok && !c.dead(l) {
			k.Owner = l.Owner
		}
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
		if err := newChange(ctx, s).mustOwn(t); err != nil {
			return false, err
		}
		err := c.putRows(ctx, []storage.RowMutation{{Key: []byte(jobKey(id)), Mutations: []storage.Mutation{{
			Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(cancelCell), Timestamp: c.nextTimestamp(0),
		}}}})
		return err == nil, fromStorage(err, "canceling a job")
	}
	return false, nil
}

// lookForJobs goes on with jobs whose server died, and drops what is retired, until the
// catalog closes.
func (c *Catalog) lookForJobs() {
	defer c.wg.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-c.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	for sleep(ctx, jobsEvery) == nil {
		s := c.Snapshot()
		for _, t := range s.reshaped {
			if t.Rewrite == nil || t.Rewrite.State == RewritePlanned {
				continue
			}
			j, err := c.takeJob(ctx, t.Rewrite.ID, t.ID)
			if j == nil {
				if err != nil && ctx.Err() == nil {
					c.opts.Logger.Warn("catalog: a job could not be taken over", "job", t.Rewrite.ID, "err", err)
				}
				continue
			}
			c.opts.Logger.Info("catalog: going on with a job whose server is gone", "job", j.id, "table", t.Name)
			c.wg.Go(func() {
				if err := c.runRewrite(ctx, j); err != nil && ctx.Err() == nil {
					c.opts.Logger.Warn("catalog: a job failed", "job", j.id, "err", err)
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
	for _, t := range c.Snapshot().reshaped {
		has = has || len(t.Retired) > 0
	}
	if !has {
		return
	}
	h, err := c.tryAcquire(ctx)
	if h == nil {
		return
	}
	if err = c.dropRetired(ctx, h); err != nil && ctx.Err() == nil {
		c.opts.Logger.Warn("catalog: storage that is no longer used is removed later", "err", err)
	}
	h.release(ctx)
}
