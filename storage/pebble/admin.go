package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

type admin struct{ s *Store }

// ddl runs change alone, with a batch that is synced before the new directory
// shows and done is called. A table that is there nobody else writes meanwhile.
func (a admin) ddl(ctx context.Context, op, name string, change func(dir directory, b *pebble.Batch) error, done ...func()) error {
	s := a.s
	if err := s.enter(ctx, op, name); err != nil {
		return err
	}
	defer s.exit()
	var keys keyRange
	if op != storage.OpCreateTable {
		t, err := s.lookup(op, name)
		if err != nil {
			return err
		}
		keys.tables = []*tableState{t}
		t.writes.Lock()
		defer t.writes.Unlock()
		if now, err := s.lookup(op, name); err != nil || now != t {
			return errNoTable(op, name)
		}
	}
	s.ddl.Lock()
	defer s.ddl.Unlock()
	dir := maps.Clone(*s.dir.Load())
	b := s.db.NewBatch()
	if err := change(dir, b); err != nil {
		return wrap(op, name, errors.Join(err, b.Close()))
	}
	if err := s.commitAlone(op, name, b, keys); err != nil {
		return err
	}
	s.dir.Store(&dir)
	for _, f := range done {
		f()
	}
	return nil
}

func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpCreateTable
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	if err := a.s.space.allow(ctx, op, spec.Name, 0, false); err != nil {
		return err
	}
	return a.ddl(ctx, op, spec.Name, func(dir directory, b *pebble.Batch) error {
		if dir[spec.Name] != nil {
			return storage.Errorf(storage.CodeAlreadyExists, op, spec.Name, "table already exists")
		}
		spec = cloneSpec(spec)
		ids := make([]uint32, len(spec.Families))
		for i := range ids {
			ids[i] = uint32(i + 1)
		}
		t := &tableState{id: a.s.next}
		if t.id == 1<<32-1 {
			return errors.New("table ids are used up")
		}
		t.desc.Store(rowpack.NewDesc(spec, ids))
		dir[spec.Name] = t
		if err := b.Set(nextKey, binary.BigEndian.AppendUint32(nil, t.id+1), nil); err != nil {
			return err
		}
		if err := b.Set(tableKey(spec.Name), appendDesc(nil, t.id, t.desc.Load()), nil); err != nil {
			return err
		}
		a.s.next++ // an id may be skipped where the batch fails, not used twice
		return nil
	})
}

// cloneSpec shares no memory with what the caller may change later.
func cloneSpec(spec storage.TableSpec) storage.TableSpec {
	spec = spec.Normalize()
	for i := range spec.Splits {
		spec.Splits[i] = slices.Clone(spec.Splits[i])
	}
	return spec
}

func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpAlterTable
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	// Writers are locked out until the new descriptor shows, so that no row has
	// a family that readers cannot name.
	var t *tableState
	var d *rowpack.Desc
	return a.ddl(ctx, op, spec.Name, func(dir directory, b *pebble.Batch) error {
		if t = dir[spec.Name]; t == nil {
			return errNoTable(op, spec.Name)
		}
		d = t.desc.Load().Alter(spec)
		return b.Set(tableKey(spec.Name), appendDesc(nil, t.id, d), nil)
	}, func() { t.desc.Store(d) })
}

func (a admin) DropTable(ctx context.Context, name string) error {
	const op = storage.OpDropTable
	return a.ddl(ctx, op, name, func(dir directory, b *pebble.Batch) error {
		t := dir[name]
		if t == nil {
			return errNoTable(op, name)
		}
		delete(dir, name)
		lo, hi := t.bounds(nil, nil, storage.Span{})
		return errors.Join(b.Delete(tableKey(name), nil), b.DeleteRange(lo, hi, nil))
	}, a.s.reclaim)
}

func (a admin) Truncate(ctx context.Context, name string) error {
	return a.s.deleteSpan(ctx, storage.OpTruncate, name, storage.Span{})
}

func (a admin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	if err := a.s.enter(ctx, storage.OpTables, ""); err != nil {
		return nil, err
	}
	defer a.s.exit()
	dir := *a.s.dir.Load()
	specs := make([]storage.TableSpec, 0, len(dir))
	for _, t := range dir {
		specs = append(specs, cloneSpec(t.desc.Load().Spec))
	}
	slices.SortFunc(specs, func(a, b storage.TableSpec) int { return strings.Compare(a.Name, b.Name) })
	return specs, nil
}

// deleteSpan removes a range of rows in one step. The table's writers are locked out, so
// that a part-row write cannot put back what it read before.
func (s *Store) deleteSpan(ctx context.Context, op, name string, span storage.Span) error {
	if err := s.enter(ctx, op, name); err != nil {
		return err
	}
	defer s.exit()
	t, err := s.lookup(op, name)
	if err != nil {
		return err
	}
	t.writes.Lock()
	defer t.writes.Unlock()
	if now, err := s.lookup(op, name); err != nil || now != t {
		return errNoTable(op, name)
	}
	lo, hi := t.bounds(nil, nil, span)
	if string(lo) >= string(hi) {
		return nil
	}
	b := s.db.NewBatch()
	if err := b.DeleteRange(lo, hi, nil); err != nil {
		return wrap(op, name, errors.Join(err, b.Close()))
	}
	if err := s.commitAlone(op, name, b, keyRange{tables: []*tableState{t}}); err != nil {
		return err
	}
	s.reclaim()
	return nil
}

// reclaim has the space of removed rows given back soon, where it is short.
func (s *Store) reclaim() {
	if s.space.low() {
		_ = s.detached(func() error {
			_, err := s.db.AsyncFlush()
			return err
		})
	}
}
