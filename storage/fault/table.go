package fault

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/storage"
)

type table struct {
	inner storage.Table
	s     *Store
	name  string
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (calls int, err error) {
	was := dst.Len()
	r := t.s.meet(storage.OpMultiGet, t.name, nil)
	if r != nil && r.Do == Wide {
		req = widened(req)
	}
	err = r.around(ctx, storage.OpMultiGet, t.name, false, func(ctx context.Context) error {
		calls, err = t.inner.MultiGet(ctx, keys, req, dst)
		return err
	})
	if err != nil {
		dst.Truncate(was)
	}
	return calls, err
}

// Mutate differs from other calls: what is in doubt is told row by row.
func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	const op = storage.OpMutate
	rule := t.s.meet(op, t.name, nil)
	if rule == nil {
		return t.inner.Mutate(ctx, rows, opts)
	}
	switch rule.Do {
	case FailBefore:
		return rule.fail(storage.CodeUnavailable, op, t.name)
	case Throttle:
		return rule.throttle(op, t.name)
	case FailAfter:
		if err := t.inner.Mutate(ctx, rows, opts); err != nil || len(rows) == 0 {
			return err
		}
		return unsure(rows, 0, rule.fail(storage.CodeAmbiguous, op, t.name))
	case Partial:
		if rule.Rows >= len(rows) {
			return t.inner.Mutate(ctx, rows, opts)
		}
		if err := t.inner.Mutate(ctx, rows[:rule.Rows], opts); err != nil {
			return restFailed(rows, rule.Rows, err)
		}
		return unsure(rows, rule.Rows, rule.fail(storage.CodeUnavailable, op, t.name))
	case Delay:
		if err := sleep(ctx, op, t.name, rule.Delay); err != nil {
			return err
		}
	case CancelRace:
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		go cancel()
	}
	return t.inner.Mutate(ctx, rows, opts)
}

// unsure reports the rows from on.
func unsure(rows []storage.RowMutation, from int, e *storage.Error) error {
	p := &storage.PartialError{Written: from}
	for i := from; i < len(rows); i++ {
		p.Rows = append(p.Rows, storage.RowError{Index: i, Err: e})
	}
	return p
}

// restFailed adds the rows that were not tried to the inner store's error.
func restFailed(rows []storage.RowMutation, from int, err error) error {
	var p *storage.PartialError
	if !errors.As(err, &p) {
		return err
	}
	rest := storage.Errorf(storage.CodeUnavailable, storage.OpMutate, p.Rows[0].Err.Table, "not tried")
	for i := from; i < len(rows); i++ {
		p.Rows = append(p.Rows, storage.RowError{Index: i, Err: rest})
	}
	return p
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (matched bool, err error) {
	err = t.s.meet(storage.OpCheckAndMutate, t.name, m.Key).around(ctx, storage.OpCheckAndMutate, t.name, true, func(ctx context.Context) error {
		matched, err = t.inner.CheckAndMutate(ctx, m)
		return err
	})
	return matched && err == nil, err
}

func (t *table) Tablets(ctx context.Context, span storage.Span) (tablets []storage.Tablet, err error) {
	err = t.s.around(ctx, storage.OpTablets, t.name, false, func(ctx context.Context) error {
		tablets, err = t.inner.Tablets(ctx, span)
		return err
	})
	if err != nil {
		tablets = nil
	}
	return tablets, err
}

func (t *table) Split(ctx context.Context, span storage.Span, most int) (pieces []storage.Span, err error) {
	err = t.s.around(ctx, storage.OpTablets, t.name, false, func(ctx context.Context) error {
		pieces, err = t.inner.Split(ctx, span, most)
		return err
	})
	if err != nil {
		pieces = nil
	}
	return pieces, err
}

func (t *table) Sample(ctx context.Context, span storage.Span, most int) (sample *storage.TableSample, err error) {
	err = t.s.around(ctx, storage.OpSample, t.name, false, func(ctx context.Context) error {
		sample, err = t.inner.Sample(ctx, span, most)
		return err
	})
	if err != nil {
		sample = nil
	}
	return sample, err
}

func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (sum int64, err error) {
	err = t.s.around(ctx, storage.OpIncrement, t.name, true, func(ctx context.Context) (err error) {
		sum, err = t.inner.Increment(ctx, key, col, delta)
		return err
	})
	return sum, err
}

// Clock is of the clock that SetClock has given, if it has.
func (t *table) Clock(ctx context.Context, key []byte, col storage.Col) (at time.Time, err error) {
	ask := func(ctx context.Context) (err error) {
		if now := t.s.clock.Load(); now != nil {
			at = (*now)().Truncate(time.Millisecond)
			return nil
		}
		at, err = t.inner.Clock(ctx, key, col)
		return err
	}
	return at, t.s.around(ctx, storage.OpClock, t.name, true, ask)
}

func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	return t.s.around(ctx, storage.OpDeleteSpan, t.name, true, func(ctx context.Context) error { return t.inner.DeleteSpan(ctx, span) })
}

func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	const op = storage.OpScan
	r := t.s.meet(op, t.name, nil)
	if r == nil {
		return t.inner.Scan(ctx, req)
	}
	switch r.Do {
	case FailBefore:
		return nil, r.fail(storage.CodeUnavailable, op, t.name)
	case Throttle:
		return nil, r.throttle(op, t.name)
	case Wide:
		was := req.BatchRows
		req = widened(req)
		if was >= 0 && was <= storage.MaxBatchRows { // else it is for the inner store to refuse
			req.BatchRows = 1
		}
	}
	sc := &scanner{rule: r, name: t.name, ctx: ctx, cancel: func() {}}
	inner := ctx
	if r.Do == CancelRace {
		inner, sc.cancel = context.WithCancel(ctx)
	}
	var err error
	if sc.inner, err = t.inner.Scan(inner, req); err != nil {
		sc.cancel()
		return nil, err
	}
	return sc, nil
}

// widened asks for all columns of the rows that req asks for: those that have a
// projected one.
func widened(req *storage.ScanRequest) *storage.ScanRequest {
	var out storage.ScanRequest
	if req != nil {
		out = *req
	}
	if len(out.Project) == 0 || out.KeysOnly || out.EveryRow {
		return &out
	}
	project, filter := out.Project, out.Filter
	out.Project = nil
	out.Filter = func(key []byte, row storage.RowView) (bool, error) {
		for _, c := range project {
			if _, ok := row.Get(c.Family, c.Qualifier); !ok {
				continue
			}
			if filter == nil {
				return true, nil
			}
			return filter(key, row)
		}
		return false, nil
	}
	return &out
}
