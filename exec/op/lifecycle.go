package op

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// Needs says what a statement asks of the store.
type Needs struct {
	Snapshot bool // its reads must be of one moment
	Writes   bool
	OneRow   bool // writes, but one row at most
	Locks    bool // it locks rows until it has ended
	// Together: what it writes is committed at its end, for several of its nodes write, or some
	// read after one has written. All of them see the rows as they were when it began.
	Together bool
	Main     plan.Node // the node whose rows are the statement's; nil where it counts none
	All      bool      // the rows of all nodes are: of MERGE
	Params   int       // the highest parameter that its joins set
}

// Begin opens memory, transaction and snapshot of an execution. It must be ended, also
// after an error.
func (cx *Context) Begin(n Needs) error {
	if cx.Actuals != nil {
		cx.began = time.Now()
	}
	cx.openMemory()
	cx.growParams(n.Params)
	cx.wantSnapshot, cx.writes = n.Snapshot || cx.Frozen || n.Together, n.Writes
	cx.together, cx.main, cx.countAll = n.Together, n.Main, n.All
	switch {
	case cx.Txn != nil:
		cx.Txn.SetLockTimeout(cx.Settings.LockTimeout)
		cx.mark = cx.Txn.Mark()
		cx.store = cx.Txn.Store()
	case (n.Writes && !n.OneRow || n.Locks) && cx.Txns.Atomic(), n.Together:
		t, err := cx.Txns.Begin(cx.Ctx, txn.Options{MaxBytes: cx.Settings.MaxTxnBytes, LockTimeout: cx.Settings.LockTimeout})
		if err != nil {
			return err
		}
		cx.implicit = t
		cx.store = t.Store()
	default:
		cx.store = cx.Txns.Auto()
		if n.Writes && cx.Settings.LockTimeout > 0 {
			cx.Ctx = txn.WithLockTimeout(cx.Ctx, cx.Settings.LockTimeout)
		}
	}
	cx.storeCaps = cx.store.Caps()
	if cx.Frozen || cx.together {
		if _, err := cx.Snapshot(); err != nil {
			return err
		}
	}
	return nil
}

// Commit ends the implicit transaction, if there is one; ctx is that of the write: see Enter.
func (cx *Context) Commit(ctx context.Context) error {
	if cx.implicit == nil {
		return nil
	}
	opts := cx.WriteOptions()
	opts.Calls = &cx.commitCalls
	return cx.implicit.Commit(ctx, opts)
}

// CommitCalls is how many requests Commit took of the store, where they are more than one.
func (cx *Context) CommitCalls() int64 { return cx.commitCalls }

// Finish notes that all writes were made, and committed or left to Txn.
func (cx *Context) Finish() { cx.finished = true }

// End gives back what begin took. What a statement wrote that did not finish is undone.
func (cx *Context) End() error {
	var err error
	cx.tellUndecodable()
	cx.mu.Lock()
	if cx.snap != nil {
		err = errors.Join(err, cx.snap.Close())
		cx.snap = nil
	}
	cx.mu.Unlock()
	if cx.implicit != nil {
		cx.implicit.Rollback() // nothing is left where it was committed
		cx.implicit = nil
		if cx.Writing != nil {
			_ = cx.Writing(0) // less cannot fail
		}
	}
	cx.Memory.Close()
	if cx.writes && !cx.finished && cx.Txn != nil {
		cx.Txn.RollbackTo(cx.mark)
		cx.finished = true
	}
	return err
}
