package transact

import (
	"cmp"
	"context"
	"errors"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// commitAlone commits a transaction of one row: data, image and the end of the lock are one write,
// if nobody has pushed the lock or taken it away.
func (x *tx) commitAlone(ctx context.Context, ch *change) error {
	var c int64
	var g errgroup.Group
	g.Go(guard.Func(func() (err error) {
		c, err = x.timestamp(ctx)
		return err
	}))
	r, err := x.look(ctx, ch)
	if err := cmp.Or[error](g.Wait(), err); err != nil {
		_ = x.unlock(ctx)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decisive)
	defer cancel()
	sent := int64(0) // when the first commit whose answer was lost was to be
	for {
		if r.tx == x.id {
			return nil
		}
		if r.lock == nil || r.lock.tx != x.id { // it had expired, and another has taken it away
			return x.gone(ctx, ch, sent, conflict(ch.t.name))
		}
		if ch.lock = *r.lock; c <= r.lock.pushed {
			if c, err = x.timestamp(ctx); err != nil {
				return x.gone(ctx, ch, sent, err)
			}
		}
		m := storage.CondMutation{Key: ch.key, Cond: r.lock.held(), Then: r.forward(ch.muts, x.id, c)}
		m.Cond.Timestamp = r.lock.pushed
		x.calls.Add(1)
		ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
		doubt := storage.CodeOf(err) == storage.CodeAmbiguous
		switch {
		case ok:
			return nil
		case doubt && sent == 0:
			sent = c
		case err != nil && !doubt:
			return x.gone(ctx, ch, sent, err)
		}
		was := r.lock.pushed
		if r, err = x.look(ctx, ch); err != nil {
			return x.gone(ctx, ch, sent, err)
		}
		if r.lock != nil && r.lock.tx == x.id && r.lock.pushed > was {
			// Readers push it, one after another: a record takes that better. What was sent before finds
			// another lock.
			return x.commitRecorded(ctx, ch, r)
		}
	}
}

// gone ends a transaction of one row that has failed with err: once its lock is away, what was sent
// cannot come any more, and the row's images tell whether it has.
func (x *tx) gone(ctx context.Context, ch *change, sent int64, err error) error {
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), decisive)
	defer cancel()
	failed := x.unlock(ctx)
	if sent == 0 {
		return certain(err)
	}
	at := int64(0)
	if failed == nil {
		at, failed = x.written(ctx, ch, sent)
	}
	switch {
	case failed != nil:
		return unknown(ch.t.name, errors.Join(err, failed))
	case at != 0:
		return nil
	}
	return certain(err)
}

// written gives when the row was changed by the transaction, from a timestamp on, by its images; 0 is not.
func (x *tx) written(ctx context.Context, ch *change, from int64) (at int64, err error) {
	var rb storage.RowBatch
	err = storage.Again(ctx, func() error {
		rb.Reset()
		_, err := ch.t.base.MultiGet(ctx, [][]byte{ch.key}, &storage.ScanRequest{Project: []storage.Col{imageCol}, Versions: math.MaxInt32, MinTS: from}, &rb)
		return err
	})
	for i := range rb.Len() {
		for j := range rb.NumCells(i) {
			if c := rb.Cell(i, j); isCol(&c, &imageCol) && len(c.Value) > len(x.id) && txID(c.Value[1:]) == x.id {
				at = c.Timestamp
			}
		}
	}
	return at, err
}

// commitRecorded goes on with a transaction of one row as if it had several.
func (x *tx) commitRecorded(ctx context.Context, ch *change, r *stored) error {
	held := r.lock.held()
	ch.lock.alone = false
	ch.lock.raw = ch.lock.append(nil)
	m := storage.CondMutation{Key: ch.key, Cond: held, Then: []storage.Mutation{
		{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: r.lock.pushed + step, Value: ch.lock.raw, Latest: true},
		{Op: storage.SetCell, Family: changesCol.Family, Qualifier: changesCol.Qualifier, Timestamp: r.lock.pushed + step, Value: appendChanges(nil, ch.muts)}}}
	ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
	if storage.CodeOf(err) == storage.CodeAmbiguous {
		ch.doubt = true
		if r, err = x.look(ctx, ch); err == nil {
			ok = r.lock != nil && r.lock.tx == x.id && !r.lock.alone
		}
	}
	switch {
	case err == nil && !ok: // the lock is gone, or what was to change it may come late
		err = conflict(ch.t.name)
		fallthrough
	case err != nil:
		_ = x.unlock(ctx)
		return certain(err)
	}
	return x.commitAll(ctx)
}

// look reads the row again.
func (x *tx) look(ctx context.Context, ch *change) (*stored, error) {
	x.calls.Add(1)
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
