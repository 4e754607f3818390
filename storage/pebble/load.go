package pebble

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

const (
	// loadRunBytes is how much a load gathers before it is written out as
	// sorted tables: twice this is in memory, one run being filled and one
	// being written.
	loadRunBytes = 64 << 20
	// loadBatchBytes is up to when a load is committed as one batch. Above it
	// writing tables costs less than log, memtable and flush.
	loadBatchBytes = 16 << 20
	// loadCheckRows is how many rows are written between two looks at the
	// context.
	loadCheckRows = 4096
)

// load implements storage.Load.
//
//	Add ── pack ──> run in memory ──full──> sorted tables in folder "loads"
//	Commit          run in memory ──small─> one batch
//	                tables that overlap are merged, then all are ingested: one
//	                entry of Pebble's log makes them part of the database
//
// A crash leaves files in the folder that the next Open removes.
type load struct {
	s      *Store
	table  *tableState
	name   string
	unique bool
	w      *rowWriter
	files  loadFiles

	mu     sync.Mutex // held by every method, and by Store.Close
	run    *loadRun
	spare  *loadRun   // the one before, to be used again
	writer chan error // of the run being written; nil where none is
	tables []loadTable
	closed bool
}

// Load implements storage.Loader.
func (s *Store) Load(ctx context.Context, table string, unique bool) (storage.Load, error) {
	if err := s.enter(ctx, storage.OpLoad, table); err != nil {
		return nil, err
	}
	defer s.exit()
	ts, err := s.lookup(storage.OpLoad, table)
	if err != nil {
		return nil, err
	}
	l := &load{s: s, table: ts, name: table, unique: unique, run: &loadRun{}, w: writerPool.Get().(*rowWriter)}
	l.files = loadFiles{s: s, prefix: fmt.Sprintf("%d-", s.loads.Add(1))}
	s.register(l)
	return l, nil
}

func (l *load) Add(ctx context.Context, rows []storage.RowMutation) error {
	const op = storage.OpLoad
	if err := storage.CheckRows(op, l.name, rows); err != nil {
		return err
	}
	if err := l.s.enter(ctx, op, l.name); err != nil {
		return err
	}
	defer l.s.exit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed(op, l.name)
	}
	d := l.table.desc.Load()
	for i := range rows {
		r := &rows[i]
		if needsOld(r.Mutations) {
			return storage.Errorf(storage.CodeInvalidArgument, op, l.name, "row %d is not whole", i)
		}
		// The time is that of no TTL: reads hide what is expired, and every row has a cell.
		packed, err := l.w.build(op, d, time.Time{}, nil, len(r.Key), r.Mutations)
		if err != nil {
			return wrap(op, l.name, err)
		}
		if packed == nil {
			return storage.Errorf(storage.CodeInvalidArgument, op, l.name, "row %d has no cell", i)
		}
		l.w.key = l.table.key(l.w.key, r.Key)
		l.run.add(l.w.key, packed)
	}
	if l.run.size >= loadRunBytes {
		if err := l.s.space.allow(ctx, op, l.name, l.run.size, false); err != nil {
			return err
		}
		return wrap(op, l.name, l.spill())
	}
	return nil
}

// Has implements storage.Load.
func (l *load) Has(key []byte) (has, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !storage.CanExist(key) {
		return false, true
	}
	if l.run.has(l.table.key(l.w.key, key)) {
		return true, true
	}
	return false, len(l.tables) == 0 && l.writer == nil
}

// spill has the run written in the background, after the one before it.
func (l *load) spill() error {
	if err := l.written(); err != nil {
		return err
	}
	run := l.run
	done := make(chan error, 1)
	l.run, l.spare, l.writer = l.spare, run, done
	if l.run == nil {
		l.run = &loadRun{}
	}
	go func() { done <- guard(func() error { return l.files.writeRun(run, l.duplicate) }) }()
	return nil
}

// written waits for the run being written.
func (l *load) written() error {
	if l.writer == nil {
		return nil
	}
	err := <-l.writer
	l.writer = nil
	l.spare.reset()
	if err != nil {
		return err
	}
	l.tables = l.files.take(l.tables)
	return nil
}

// Commit implements storage.Load.
func (l *load) Commit(ctx context.Context, opts storage.WriteOptions) error {
	const op = storage.OpCommit
	if err := l.s.enter(ctx, op, l.name); err != nil {
		return err
	}
	defer l.s.exit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return storage.Errorf(storage.CodeClosed, op, l.name, "load is closed")
	}
	defer l.closeLocked()
	if err := l.written(); err != nil {
		return wrap(op, l.name, err)
	}
	if len(l.tables) == 0 && l.run.size <= loadBatchBytes {
		return l.commitBatch(ctx, op, opts)
	}
	if err := l.writeLast(); err != nil {
		return wrap(op, l.name, err)
	}
	l.run, l.spare = &loadRun{}, nil // memory for the merge
	paths, err := l.files.disjoint(ctx, l.tables, l.duplicate)
	if err != nil {
		return wrap(op, l.name, err)
	}
	err = l.exclusive(op, func() error { return l.s.detached(func() error { return l.s.db.Ingest(ctx, paths) }) })
	switch {
	case err == nil:
		return l.s.fault.late(op, l.name)
	case l.s.fault.err.Load() != nil:
		return l.s.fault.ambiguous(op, l.name)
	}
	return wrap(op, l.name, err)
}

// exclusive runs write while nobody else writes the table: the sweep and others
// that read a row and write it back must not come between.
func (l *load) exclusive(op string, write func() error) error {
	l.table.writes.Lock()
	defer l.table.writes.Unlock()
	if t, err := l.s.lookup(op, l.name); err != nil || t != l.table {
		return errNoTable(op, l.name)
	}
	return write()
}

func (l *load) commitBatch(ctx context.Context, op string, opts storage.WriteOptions) error {
	l.run.sort()
	if err := l.s.space.allow(ctx, op, l.name, l.run.size, false); err != nil {
		return err
	}
	out := &write{s: l.s, op: op, b: l.s.db.NewBatchWithSize(int(l.run.size) + 16*l.run.rows + 64), keys: keyRange{table: l.table}}
	defer out.close()
	err := l.run.each(l.duplicate, func(key, packed []byte) error {
		l.s.wrote(l.table, key)
		return out.b.Set(key, packed, nil)
	})
	if err != nil {
		return err
	}
	err = l.exclusive(op, func() error { return out.apply(opts.NoSync) })
	if err == nil {
		err = out.finish()
	}
	return wrap(op, l.name, err)
}

// writeLast writes what is in memory, on all processors.
func (l *load) writeLast() error {
	if err := l.files.writeParts(l.run, l.duplicate); err != nil {
		return err
	}
	l.tables = l.files.take(l.tables)
	return nil
}

// duplicate is what two rows of one key are.
func (l *load) duplicate(key []byte) error {
	if !l.unique {
		return nil
	}
	return &storage.DuplicateRowError{Table: l.name, Key: bytes.Clone(key[prefixLen:])}
}

// Close implements storage.Load.
func (l *load) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeLocked()
	return nil
}

func (l *load) end() { _ = l.Close() }

var (
	_ storage.Loader = (*Store)(nil)
	_ ender          = (*load)(nil)
)

func (l *load) closeLocked() {
	if l.closed {
		return
	}
	l.closed = true
	_ = l.written() // what could not be written is dropped
	l.files.remove()
	l.w.release()
	l.w = &rowWriter{} // for Has
	l.run, l.spare, l.tables = &loadRun{}, nil, nil
	l.s.unregister(l)
}
