package mem

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

type table struct {
	s    *Store
	name string
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	const op = storage.OpMultiGet
	if err := t.s.check(ctx, op, t.name); err != nil {
		return 0, err
	}
	if req == nil {
		req = &storage.ScanRequest{}
	}
	if err := storage.CheckRead(op, t.name, req); err != nil {
		return 0, err
	}
	if err := storage.CheckKeys(op, t.name, keys); err != nil {
		return 0, err
	}
	view, err := t.s.view(op, t.name, req.Snapshot)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	was := dst.Len()
	r := newReader(view, req, t.s.now())
	for _, k := range keys {
		if row, ok := view.rows.Get(&row{key: string(k)}); ok {
			if _, err := r.emit(row, dst); err != nil {
				dst.Truncate(was)
				return 1, err
			}
		}
	}
	return 1, nil
}

func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, _ storage.WriteOptions) error {
	const op = storage.OpMutate
	if err := t.s.check(ctx, op, t.name); err != nil {
		return err
	}
	if err := storage.CheckRows(op, t.name, rows); err != nil {
		return err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.applyLocked(op, []tableRows{{t.name, rows}})
}

type tableRows struct {
	table string
	rows  []storage.RowMutation
}

// applyLocked applies all or nothing. The caller has checked the rows.
func (s *Store) applyLocked(op string, writes []tableRows) error {
	type slot struct{ table, key string }
	pending := map[slot]*row{}
	for _, w := range writes {
		t := s.tables[w.table]
		if t == nil {
			return errNoTable(op, w.table)
		}
		for i := range w.rows {
			m := &w.rows[i]
			if err := checkFamilies(op, &t.spec, m.Mutations); err != nil {
				err.Row = i
				return err
			}
			at := slot{w.table, string(m.Key)}
			old, ok := pending[at]
			if !ok {
				old, _ = t.rows.Get(&row{key: at.key})
			}
			pending[at] = apply(old, at.key, m.Mutations)
			if err := storage.CheckRowBytes(op, w.table, pending[at].bytes()); err != nil {
				return err
			}
		}
	}
	for at, r := range pending {
		s.tables[at.table].put(r, s)
	}
	return nil
}

// put replaces a row, or removes it where nothing of it is left to see.
func (t *tableState) put(r *row, s *Store) {
	all := storage.ScanRequest{Versions: math.MaxInt}
	r.cells = (&rowstate.Row{Cells: r.cells}).Visible(&all, kept(&t.spec, s.now()))
	var old *row
	if len(r.cells) == 0 {
		old, _ = t.rows.Delete(r)
	} else {
		old, _ = t.rows.ReplaceOrInsert(r)
		t.bytes += r.held()
	}
	if old != nil {
		t.bytes -= old.held()
	}
}

func checkFamilies(op string, spec *storage.TableSpec, muts []storage.Mutation) *storage.Error {
	for i := range muts {
		if muts[i].Op == storage.DeleteRow {
			continue
		}
		if err := checkFamily(op, spec, muts[i].Family); err != nil {
			return err
		}
	}
	return nil
}

func checkFamily(op string, spec *storage.TableSpec, name string) *storage.Error {
	if slices.ContainsFunc(spec.Families, func(f storage.FamilySpec) bool { return f.Name == name }) {
		return nil
	}
	return storage.Errorf(storage.CodeNotFound, op, spec.Name, "column family %q does not exist", name)
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	const op = storage.OpCheckAndMutate
	if err := t.s.check(ctx, op, t.name); err != nil {
		return false, err
	}
	if err := storage.CheckCond(op, t.name, m); err != nil {
		return false, err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	ts := t.s.tables[t.name]
	if ts == nil {
		return false, errNoTable(op, t.name)
	}
	if f := m.Cond.Family; m.Cond.Op >= storage.CellAbsent {
		if err := checkFamily(op, &ts.spec, f); err != nil {
			return false, err
		}
	}
	for _, muts := range [][]storage.Mutation{m.Then, m.Else} {
		if err := checkFamilies(op, &ts.spec, muts); err != nil {
			return false, err
		}
	}
	old, _ := ts.rows.Get(&row{key: string(m.Key)})
	matched := holds(&m.Cond, &ts.spec, old, t.s.now())
	muts := m.Else
	if matched {
		muts = m.Then
	}
	if len(muts) == 0 {
		return matched, nil
	}
	return matched, t.s.applyLocked(op, []tableRows{{t.name, []storage.RowMutation{{Key: m.Key, Mutations: muts}}}})
}

func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	const op = storage.OpTablets
	if err := t.s.check(ctx, op, t.name); err != nil {
		return nil, err
	}
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return nil, err
	}
	view, err := t.s.view(op, t.name, nil)
	if err != nil {
		return nil, err
	}
	return storage.SplitSpan(span, view.spec.Splits, func(s storage.Span) int64 {
		var n int64
		view.rows.AscendGreaterOrEqual(&row{key: string(s.Start)}, func(r *row) bool {
			if len(s.End) > 0 && r.key >= string(s.End) {
				return false
			}
			n += r.bytes()
			return true
		})
		return n
	}), nil
}

// Increment implements storage.Table.
func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	const op = storage.OpIncrement
	if err := t.s.check(ctx, op, t.name); err != nil {
		return 0, err
	}
	if err := storage.CheckIncrement(op, t.name, key, col); err != nil {
		return 0, err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	ts := t.s.tables[t.name]
	if ts == nil {
		return 0, errNoTable(op, t.name)
	}
	at, sum := t.s.now().UnixMilli()*1000, delta
	if old, ok := ts.rows.Get(&row{key: string(key)}); ok {
		req := storage.ScanRequest{Project: []storage.Col{col}}
		for _, c := range (&rowstate.Row{Cells: old.cells}).Visible(&req, kept(&ts.spec, t.s.now())) {
			n, err := storage.Number(op, t.name, c.Value)
			if err != nil {
				return 0, err
			}
			sum, at = n+delta, max(at, c.Timestamp+1000)
		}
	}
	row := storage.RowMutation{Key: key, Mutations: []storage.Mutation{{Op: storage.SetCell, Family: col.Family, Qualifier: col.Qualifier,
		Timestamp: at, Value: storage.AppendNumber(nil, sum)}}}
	return sum, t.s.applyLocked(op, []tableRows{{t.name, []storage.RowMutation{row}}})
}

// Clock implements storage.Table: the process's is the only one.
func (t *table) Clock(context.Context, []byte, storage.Col) (time.Time, error) {
	return time.Time{}, storage.Unsupported("mem", storage.OpClock, "clock of its own")
}

func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	const op = storage.OpDeleteSpan
	if err := t.s.check(ctx, op, t.name); err != nil {
		return err
	}
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	ts := t.s.tables[t.name]
	if ts == nil {
		return errNoTable(op, t.name)
	}
	var gone []*row
	ts.rows.AscendGreaterOrEqual(&row{key: string(span.Start)}, func(r *row) bool {
		if len(span.End) > 0 && r.key >= string(span.End) {
			return false
		}
		gone = append(gone, r)
		return true
	})
	for _, r := range gone {
		ts.rows.Delete(r)
		ts.bytes -= r.held()
	}
	return nil
}
