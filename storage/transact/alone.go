package transact

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// commitAlone commits a transaction of one row: data, image and the end of the lock are one write,
// if nobody has pushed the lock or taken it away.
func (x *tx) commitAlone(ctx context.Context, ch *change) error {
	var c int64
	var r *stored
	var g errgroup.Group
	g.Go(guard.Func(func() (err error) {
		c, err = x.s.oracle.take(ctx)
		return err
	}))
	rows, err := ch.t.get(ctx, ch.key)
	if err := cmpErr(g.Wait(), err); err != nil {
		x.unlock(ctx)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decisive)
	defer cancel()
	for r = rows[0]; ; {
		if r.lock == nil || r.lock.tx != x.id {
			return conflict(ch.t.name) // it had expired, and another has taken it away
		}
		if c <= r.lock.pushed {
			if c, err = x.s.oracle.take(ctx); err != nil {
				x.unlock(ctx)
				return err
			}
		}
		m := storage.CondMutation{Key: ch.key, Cond: r.lock.held(), Then: r.forward(ch.muts, x.id, c)}
		m.Cond.Timestamp = r.lock.pushed
		ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
		if ok {
			return nil
		}
		doubt := err != nil
		if doubt && storage.CodeOf(err) != storage.CodeAmbiguous {
			x.unlock(ctx)
			return err
		}
		if r, err = x.look(ctx, ch); err != nil {
			return unknown(ch.t.name, err)
		}
		if r.tx == x.id { // its answer was lost
			return nil
		}
		if doubt && (r.lock == nil || r.lock.tx != x.id) && r.version > c {
			return unknown(ch.t.name, nil) // others have written on
		}
		if r.lock != nil && r.lock.tx == x.id && !doubt {
			// It was pushed. Many readers may do so, one after another: a record takes that better.
			return x.commitRecorded(ctx, ch, r)
		}
	}
}

// commitRecorded goes on with a transaction of one row as if it had several.
func (x *tx) commitRecorded(ctx context.Context, ch *change, r *stored) error {
	held := r.lock.held()
	x.lock.alone = false
	x.lock.raw = x.lock.append(nil)
	m := storage.CondMutation{Key: ch.key, Cond: held, Then: []storage.Mutation{
		{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: r.lock.pushed + step, Value: x.lock.raw, Latest: true},
		{Op: storage.SetCell, Family: changesCol.Family, Qualifier: changesCol.Qualifier, Timestamp: r.lock.pushed + step, Value: appendChanges(nil, ch.muts)}}}
	ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
	if err != nil {
		ok = storage.CodeOf(err) == storage.CodeAmbiguous
		if r, err := x.look(ctx, ch); err == nil && ok {
			ok = r.lock != nil && r.lock.tx == x.id && !r.lock.alone
		}
		if !ok {
			x.unlock(ctx)
			return err
		}
	}
	if !ok {
		return conflict(ch.t.name)
	}
	return x.commitAll(ctx)
}

// look reads the row again.
func (x *tx) look(ctx context.Context, ch *change) (*stored, error) {
	rows, err := ch.t.get(ctx, ch.key)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

func unknown(table string, cause error) error {
	e := storage.Errorf(storage.CodeAmbiguous, storage.OpCommit, table, "it is not known whether the transaction was committed")
	e.Cause = cause
	return e
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
