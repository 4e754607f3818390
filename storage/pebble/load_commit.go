package pebble

import (
	"cmp"
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// Loads are committed together, those of all tables that a statement writes:
//
//	all small   one batch
//	else        what is in memory is written; tables that overlap are merged; then all are
//	            ingested: one entry of Pebble's log makes them part of the database

// Prepare implements storage.Load.
func (l *load) Prepare(ctx context.Context) error {
	const op = storage.OpLoad
	if err := l.s.enter(ctx, op, l.name); err != nil {
		return err
	}
	defer l.s.exit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed(op, l.name)
	}
	if err := l.written(); err != nil {
		return wrap(op, l.name, err)
	}
	if l.small() && l.run.size <= loadBatchBytes {
		return nil
	}
	_, err := l.sorted(ctx)
	return wrap(op, l.name, err)
}

// CommitLoads implements storage.Store.
func (s *Store) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	own := make([]*load, len(loads))
	for i := range loads {
		l, ok := loads[i].(*load)
		if !ok || l.s != s {
			return storage.Errorf(storage.CodeInvalidArgument, storage.OpCommit, "", "load %d is of another store", i)
		}
		own[i] = l
	}
	return s.commitLoads(ctx, own, opts)
}

func (s *Store) commitLoads(ctx context.Context, loads []*load, opts storage.WriteOptions) error {
	const op = storage.OpCommit
	if len(loads) == 0 {
		return nil
	}
	name := loads[0].name
	if err := s.enter(ctx, op, name); err != nil {
		return err
	}
	defer s.exit()
	for _, l := range loads {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.closed {
			return storage.Errorf(storage.CodeClosed, op, l.name, "load is closed")
		}
		defer l.closeLocked()
	}
	small, size := true, int64(0)
	for _, l := range loads {
		if err := l.written(); err != nil {
			return wrap(op, l.name, err)
		}
		small, size = small && l.small(), size+l.run.size
	}
	if small && size <= loadBatchBytes {
		return s.commitLoadBatch(ctx, op, loads, size, opts)
	}
	var paths []string
	for _, l := range loads {
		p, err := l.sorted(ctx)
		if err != nil {
			return wrap(op, l.name, err)
		}
		paths = append(paths, p...)
	}
	err := s.exclusive(op, loads, func() error {
		return s.detached(func() error {
			return s.ingest(ctx, loads, paths)
		})
	})
	switch {
	case err == nil:
		return s.fault.late(op, name)
	case s.fault.err.Load() != nil:
		return s.fault.ambiguous(op, name)
	}
	return wrap(op, name, err)
}

// ingest gives Pebble the files of loads. Where nothing of their tables is in memory, neither
// is what it takes.
func (s *Store) ingest(ctx context.Context, loads []*load, paths []string) error {
	var tables, inFiles []*tableState
	for _, l := range loads {
		tables = append(tables, l.table)
		if _, ok := l.table.inFiles(); ok {
			inFiles = append(inFiles, l.table)
		}
	}
	merges := s.beginWrite(tables)
	stats, err := s.db.IngestWithStats(ctx, paths)
	s.endWrite(tables, merges)
	if err == nil && stats.MemtableOverlappingFiles == 0 {
		for _, t := range inFiles {
			t.inFilesUpTo(t.ended.Load())
		}
	}
	return err
}

// small says that all rows are in memory.
func (l *load) small() bool { return len(l.tables) == 0 && l.ready == nil }

// sorted gives the paths of tables that hold all rows of the load and do not overlap.
func (l *load) sorted(ctx context.Context) (paths []string, err error) {
	if l.ready != nil {
		return l.ready, nil
	}
	if l.run.rows > 0 {
		if err := l.writeAll(ctx); err != nil {
			return nil, err
		}
	}
	l.run, l.spare = &loadRun{}, nil // memory for the merge
	l.ready, err = l.files.disjoint(ctx, l.tables, l.duplicate)
	return l.ready, err
}

// exclusive runs write while nobody else writes the loads' tables: the sweep and others
// that read a row and write it back must not come between.
func (s *Store) exclusive(op string, loads []*load, write func() error) error {
	loads = slices.SortedFunc(slices.Values(loads), func(a, b *load) int { return cmp.Compare(a.table.id, b.table.id) })
	loads = slices.CompactFunc(loads, func(a, b *load) bool { return a.table == b.table })
	for _, l := range loads {
		l.table.writes.Lock()
		defer l.table.writes.Unlock()
		if t, err := s.lookup(op, l.name); err != nil || t != l.table {
			return errNoTable(op, l.name)
		}
	}
	return write()
}

func (s *Store) commitLoadBatch(ctx context.Context, op string, loads []*load, size int64, opts storage.WriteOptions) error {
	name, rows := loads[0].name, 0
	var tables []*tableState
	for _, l := range loads {
		l.run.sort()
		rows += l.run.rows
		tables = append(tables, l.table)
	}
	if err := s.space.allow(ctx, op, name, size, false); err != nil {
		return err
	}
	out := &write{s: s, op: op, b: s.db.NewBatchWithSize(int(size) + 16*rows + 64), keys: keyRange{tables: tables}}
	defer out.close()
	for _, l := range loads {
		err := l.run.each(l.duplicate, func(key, packed []byte) error {
			s.wrote(l.table, key)
			return out.b.Set(key, packed, nil)
		})
		if err != nil {
			return err
		}
	}
	err := s.exclusive(op, loads, func() error { return out.apply(opts.NoSync) })
	if err == nil {
		err = out.finish()
	}
	return wrap(op, name, err)
}
