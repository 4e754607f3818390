package write

import (
	"context"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/storage"
)

// announcement is the noting of rows in their table's change log, beside the marking of their
// entries: neither needs the other, and both must have been before the rows are written. nil is
// of a table without a log.
type announcement struct {
	done    chan struct{}
	through storage.Table
	ended   func(error)
	err     error
}

// announce begins to note rows.
func (w *tableWriter) announce(ctx context.Context, ms []storage.CondMutation) *announcement {
	if w.log == nil {
		return nil
	}
	w.work.StorageCalls += 2
	a, log := &announcement{done: make(chan struct{})}, w.log
	go func() {
		defer close(a.done)
		a.err = op.Guarded(func() (err error) {
			a.through, a.ended, err = log.Announce(ctx, ms)
			return err
		})
	}()
	return a
}

// wait ends when the rows are noted, or will not be.
func (a *announcement) wait() error {
	if a == nil {
		return nil
	}
	<-a.done
	return a.err
}

// end says what became of the rows. Only its first call does.
func (a *announcement) end(err error) {
	if a.wait() == nil && a != nil && a.ended != nil {
		a.ended(err)
		a.ended = nil
	}
}

// applyAnnounced is applyIn of rows that were noted.
func (w *tableWriter) applyAnnounced(ctx context.Context, a *announcement, ms []storage.CondMutation, matched []bool) (err error) {
	if a == nil {
		return w.applyIn(ctx, ms, matched)
	}
	w.work.StorageCalls += int64(len(ms))
	defer op.Recover(&err)
	err = storage.CheckAndMutateRows(ctx, a.through, ms, storage.CondParallel, func(i int, ok bool, err error) error {
		matched[i] = ok
		return err
	})
	heatOfConds(&w.heat, ms, matched, err)
	a.end(err)
	return err
}
