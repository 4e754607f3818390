package pebble

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// table implements storage.Table. Scan is in scan.go, MultiGet in get.go,
// Mutate in write.go.
type table struct {
	s    *Store
	name string
}

// update reads one row under its latch, lets decide choose mutations, and
// writes the row. The old row given to decide is nil where there is none.
func (t *table) update(ctx context.Context, op string, key []byte, opts storage.WriteOptions,
	decide func(d *rowpack.Desc, old []byte) ([]storage.Mutation, error)) error {
	s := t.s
	if err := s.enter(ctx, op, t.name); err != nil {
		return err
	}
	defer s.exit()
	ts, err := s.lookup(op, t.name)
	if err != nil {
		return err
	}
	if err := s.space.allow(ctx, op, t.name, int64(len(key)), false); err != nil {
		return err
	}
	rows := [1]rowWrite{{table: ts, row: &storage.RowMutation{Key: key}}}
	out := &write{s: s, op: op, b: s.db.NewBatch(), keys: keyRange{rows: rows[:]}}
	defer out.close()
	wrote, err := t.updateLatched(op, ts, out, key, opts, decide)
	switch {
	case err != nil:
	case wrote:
		err = out.finish()
	default: // the answer tells of the row
		err = s.durable(ctx, op, t.name, seen{table: ts, keys: [][]byte{key}, upTo: s.unsynced.begun.Load()})
	}
	return wrap(op, t.name, err)
}

func (t *table) updateLatched(op string, ts *tableState, out *write, key []byte, opts storage.WriteOptions,
	decide func(d *rowpack.Desc, old []byte) ([]storage.Mutation, error)) (wrote bool, err error) {
	s := t.s
	w := rowpack.NewWriter()
	defer w.Release()
	w.Key = ts.key(w.Key, key)
	latch := &s.latches.stripes[s.latches.stripe(w.Key)]
	ts.writes.RLock()
	defer ts.writes.RUnlock()
	latch.Lock()
	defer latch.Unlock()
	if err := s.fault.get(op, t.name); err != nil {
		return false, err
	}
	if now, err := s.lookup(op, t.name); err != nil || now != ts {
		return false, errNoTable(op, t.name)
	}
	d := ts.desc.Load()
	old, closer, err := s.db.Get(w.Key)
	if err == nil {
		defer closer.Close()
	} else if !errors.Is(err, pebble.ErrNotFound) {
		return false, err
	}
	muts, err := decide(d, old)
	if err != nil || len(muts) == 0 {
		return false, err
	}
	packed, err := w.Build(op, d, s.opts.Now(), old, len(w.Key)-prefixLen, muts)
	if err != nil {
		return false, err
	}
	switch {
	case packed != nil:
		err = out.b.Set(w.Key, packed, nil)
	case old != nil:
		err = out.b.Delete(w.Key, nil)
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.wrote(ts, w.Key)
	return true, out.apply(opts.NoSync)
}

// CheckAndMutate implements storage.Table.
func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	call := t.s.calls.begin()
	matched, err := t.checkAndMutate(ctx, m)
	t.s.calls.ended(callCheck, call, err)
	return matched, err
}

func (t *table) checkAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	const op = storage.OpCheckAndMutate
	if err := storage.CheckCond(op, t.name, m); err != nil {
		return false, err
	}
	var matched bool
	err := t.update(ctx, op, m.Key, m.WriteOptions, func(d *rowpack.Desc, old []byte) ([]storage.Mutation, error) {
		for _, muts := range [2][]storage.Mutation{m.Then, m.Else} {
			for i := range muts {
				if muts[i].Op != storage.DeleteRow && d.FamilyID(muts[i].Family) == 0 {
					return nil, rowpack.ErrNoFamily(op, t.name, muts[i].Family)
				}
			}
		}
		var err error
		if matched, err = t.holds(op, &m.Cond, d, old); matched {
			return m.Then, err
		}
		return m.Else, err
	})
	return matched && err == nil, err
}

// holds evaluates a condition on a packed row; nil is no row.
func (t *table) holds(op string, cond *storage.Cond, d *rowpack.Desc, old []byte) (bool, error) {
	ofRow := cond.Op == storage.RowAbsent || cond.Op == storage.RowPresent
	var family uint32
	if !ofRow {
		if family = d.FamilyID(cond.Family); family == 0 {
			return false, rowpack.ErrNoFamily(op, t.name, cond.Family)
		}
	}
	other := d.FamilyID(cond.Other.Family) // 0 is none
	absent := cond.Op == storage.RowAbsent || cond.Op == storage.CellAbsent || cond.Op == storage.Untouched
	if old == nil {
		return absent, nil
	}
	now := t.s.opts.Now()
	c := rowpack.Open(old)
	for c.Next() {
		if int(c.Family) >= len(d.ByID) {
			return false, rowpack.ErrCorrupt
		}
		if c.TS < max(cond.MinTS, d.ByID[c.Family].Oldest(now)) {
			continue
		}
		if cond.Op == storage.Untouched {
			if c.Family == family || c.Family == other && c.TS > cond.Timestamp && string(c.Qualifier) == string(cond.Other.Qualifier) {
				return false, nil
			}
			continue
		}
		if !ofRow && (c.Family != family || string(c.Qualifier) != string(cond.Qualifier)) {
			continue
		}
		switch cond.Op {
		case storage.CellTSEquals:
			return c.TS == cond.Timestamp, nil
		case storage.CellIs:
			return bytes.Equal(c.Bytes(), cond.Value) && (cond.Timestamp == 0 || c.TS == cond.Timestamp), nil
		}
		return !absent, nil
	}
	return absent, c.Err
}

// enter begins a call on the table, as Store.enter does.
func (t *table) enter(ctx context.Context, op string) (*tableState, error) {
	if err := t.s.enter(ctx, op, t.name); err != nil {
		return nil, err
	}
	ts, err := t.s.lookup(op, t.name)
	if err != nil {
		t.s.exit()
	}
	return ts, err
}

// Tablets implements storage.Table: the splits of CREATE TABLE, with sizes on
// disk (what is still in memory is not counted).
func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	const op = storage.OpTablets
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return nil, err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer t.s.exit()
	return storage.SplitSpan(span, ts.desc.Load().Spec.Splits, func(sp storage.Span) int64 {
		lo, hi := ts.bounds(nil, nil, sp)
		n, err := t.s.db.EstimateDiskUsage(lo, hi)
		if err != nil {
			return -1
		}
		return int64(n)
	}), nil
}

// Increment implements storage.Table.
func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (sum int64, err error) {
	const op = storage.OpIncrement
	if err := storage.CheckIncrement(op, t.name, key, col); err != nil {
		return 0, err
	}
	err = t.update(ctx, op, key, storage.WriteOptions{}, func(d *rowpack.Desc, old []byte) ([]storage.Mutation, error) {
		family := d.FamilyID(col.Family)
		if family == 0 {
			return nil, rowpack.ErrNoFamily(op, t.name, col.Family)
		}
		at := t.s.opts.Now().UnixMilli() * 1000
		if old != nil {
			c := rowpack.Open(old)
			for c.Next() {
				if c.Family == family && bytes.Equal(c.Qualifier, col.Qualifier) {
					n, err := storage.Number(op, t.name, c.Bytes())
					if err != nil {
						return nil, err
					}
					sum, at = n, max(at, c.TS+1000)
					break
				}
			}
			if c.Err != nil {
				return nil, c.Err
			}
		}
		sum += delta
		return []storage.Mutation{{Op: storage.SetCell, Family: col.Family, Qualifier: col.Qualifier, Timestamp: at, Value: storage.AppendNumber(nil, sum)}}, nil
	})
	return sum, err
}

// Clock implements storage.Table: the process's is the only one.
func (t *table) Clock(context.Context, []byte, storage.Col) (time.Time, error) {
	return time.Time{}, storage.Unsupported("pebble", storage.OpClock, "clock of its own")
}

// DeleteSpan implements storage.Table.
func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	if err := storage.CheckSpan(storage.OpDeleteSpan, t.name, span); err != nil {
		return err
	}
	return t.s.deleteSpan(ctx, storage.OpDeleteSpan, t.name, span)
}
