package jobs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/longlock"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// A job goes over a table's rows while the table serves: it copies them under another salt
// (resalt.go), or fills an index (fill.go). Its lease says who is at work; that there is
// a job, and of what kind, the table's descriptor says. A job whose lease has run out goes on in
// any server that looks (see LookAround), from where its progress says. Who holds the
// lease may write its copy: calls that do so end before it could be another's.
//
//	c:progress   {"rows":40960,"spans":[…]}
//	c:cancel     (empty)
const (
	progressCell = "progress"
	cancelCell   = "cancel"
)

// Job is one that this process carries out.
type Job struct {
	c         *Runner
	id, table uint32
	ofIndex   bool // id is an index's
	refreshes bool // it is REFRESH MATERIALIZED VIEW, and fill writes the copy
	fill      func(ctx context.Context, to *catalog.Table) error
	lease     *versions.Held

	mu    sync.Mutex
	done  progressJSON
	saved time.Time

	// pieces is held for reading while rows are read and their copies written, and for
	// writing while the log's rows are: an old copy must not come after a new one.
	pieces longlock.Mutex
	rows   atomic.Int64 // in this process, for the rate
	// entered counts the job's own writes among those of the gate.
	entered atomic.Int64
	began   time.Time
}

// Release lets others have the job, if it is still one. nil is none.
func (j *Job) Release(ctx context.Context) {
	if j == nil {
		return
	}
	defer j.c.running.end(j.id)
	if hasJob(j.c.Snapshot().TableByID(j.table), j.id) {
		j.lease.GiveBack(ctx)
	}
}

// tableNow gives the table that the job is about; 57014 where it has nothing to do.
func (j *Job) tableNow() (*catalog.Table, error) {
	t := j.c.Snapshot().TableByID(j.table)
	switch {
	case hasJob(t, j.id):
		return t, nil
	case j.ofIndex:
		return nil, errIndexGone()
	case j.refreshes:
		return nil, errRefreshGone()
	}
	return nil, errRewriteGone()
}

// Run carries a job out and cleans up: what cannot be completed is undone, unless this
// server closes or has lost the job.
func (c *Runner) Run(ctx context.Context, j *Job) error {
	defer j.Release(ctx)
	err := j.run(ctx)
	if err == nil {
		c.ForgetJob(ctx, j.id)
		c.Retire(ctx)
		return nil
	}
	if errors.Is(err, errJobLost) {
		return takenOver(err)
	}
	if c.Closing() {
		return catalog.FromStorage(err, "copying the rows of the table")
	}
	_ = c.WithLease(context.WithoutCancel(ctx), func(ctx context.Context, h *versions.Held) error {
		if j.lease.Confirm(ctx) == nil { // else it is for who has the job now
			j.undo(ctx, h)
		}
		return nil
	})
	_, _ = c.forgetIfOver(context.WithoutCancel(ctx), j.id, j.table) // who removed it did so before its progress was last saved
	return catalog.FromStorage(err, "copying the rows of the table")
}

// undo removes what the job has made.
func (j *Job) undo(ctx context.Context, h *versions.Held) {
	if j.ofIndex {
		j.c.UndoIndex(ctx, h, j.table, j.id)
	} else {
		j.c.UndoRewrite(ctx, h, j.table, j.id)
	}
}

// end makes the job's last change of the catalog, under the DDL lease and by who has the job: jobs
// are taken over under that lease too, so that nobody does so before the change is made. Where
// another takes the DDL lease meanwhile, it is made anew.
func (j *Job) end(ctx context.Context, change func(context.Context, *versions.Held) error) error {
	for {
		err := j.c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
			if err := j.lease.Confirm(ctx); err != nil {
				return errors.Join(errJobLost, err)
			}
			return change(ctx, h)
		})
		switch {
		case errors.Is(err, versions.ErrMoved):
			_, err = j.tableNow()
			return err
		case errors.Is(err, versions.ErrLeaseLost) && !errors.Is(err, errJobLost) && ctx.Err() == nil:
			continue
		}
		return err
	}
}

// takenOver is what the statement has that waited for a job which is another server's by now.
func takenOver(err error) error {
	e := sqlerr.New(sqlerr.StatementCompletionUnknown, "another server goes on with the change of the table").
		WithHint("SELECT * FROM saltsql.jobs shows how far it is. Look whether the table is as the statement was to leave it when that shows it no more.")
	e.Cause = err
	return e
}

var errJobLost = errors.New("catalog: another server has taken the job")

// run is the job, as long as its lease holds.
func (j *Job) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		if err := guard.Run(func() error { return j.keep(ctx) }); err != nil {
			cancel(err)
		}
	}()
	err := j.work(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	} else if err != nil && j.over(ctx, err) {
		_, err = j.tableNow() // what a piece met where the rows were is no news
	}
	cancel(nil)
	<-kept
	return err
}

// keep renews the lease until ctx ends: an error says why the job ends before.
func (j *Job) keep(ctx context.Context) error {
	for versions.Sleep(ctx, min(j.c.Options.Lease/8, time.Second)) == nil {
		if err := j.lease.Renew(ctx); err != nil && ctx.Err() == nil {
			j.c.Options.Logger.Warn("catalog: a job's lease could not be renewed", "job", j.id, "err", err)
			return errJobLost
		}
		if j.canceled(ctx) {
			return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
		}
	}
	return nil
}

// over says that the whole table is gone, or that the job failed for want of storage, since another
// has ended it.
func (j *Job) over(ctx context.Context, failed error) bool {
	s, err := j.c.Refresh(ctx)
	if err != nil {
		return false
	}
	t := s.TableByID(j.table)
	return t == nil || storage.CodeOf(failed) == storage.CodeNotFound && !hasJob(t, j.id)
}

func (j *Job) work(ctx context.Context) error {
	if j.refreshes {
		return j.refresh(ctx)
	}
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

func (j *Job) canceled(ctx context.Context) bool {
	_, canceled, err := j.c.readJob(ctx, j.id)
	return err == nil && canceled
}
