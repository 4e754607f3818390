package pebble

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

const (
	// loadRunBytes is how much a load gathers before it is written out as
	// sorted tables: twice this is in memory, one run being filled and one
	// being written. Loads that are open at once share it.
	//
	// The first run may be as large as two if it is in no order: where it turns
	// out to be all, it is written once, and nothing is merged.
	loadRunBytes = 64 << 20
	// leastRunBytes is the least share.
	leastRunBytes = 8 << 20
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
//	Commit          see load_commit.go
//
// A crash leaves files in the folder that the next Open removes.
type load struct {
	s      *Store
	table  *tableState
	name   string
	unique bool
	files  loadFiles

	mu     sync.Mutex // held by every method, and by Store.Close; not while rows are packed
	key    []byte     // for Has
	run    *loadRun
	spare  *loadRun   // the one before, to be used again
	writer chan error // of the run being written; nil where none is
	tables []loadTable
	ready  []string // once it is prepared: the files to ingest
	closed bool
}

// Load implements storage.Store.
func (s *Store) Load(ctx context.Context, table string, unique bool) (storage.Load, error) {
	if err := s.enter(ctx, storage.OpLoad, table); err != nil {
		return nil, err
	}
	defer s.exit()
	ts, err := s.lookup(storage.OpLoad, table)
	if err != nil {
		return nil, err
	}
	l := &load{s: s, table: ts, name: table, unique: unique, run: &loadRun{}}
	l.files = loadFiles{s: s, prefix: fmt.Sprintf("%d-", s.loads.Add(1))}
	s.loadsOpen.Add(1)
	s.register(l)
	return l, nil
}

// loadRun is how much each of the loads that are open gathers.
func (s *Store) loadRun() int64 {
	return max(loadRunBytes/max(s.loadsOpen.Load(), 1), leastRunBytes)
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
	p := packedPool.Get().(*packedRows)
	defer p.release()
	for len(rows) > 0 {
		n, err := p.pack(op, l.table, rows)
		if err == nil {
			err = l.take(ctx, p)
		}
		if err != nil {
			return wrap(op, l.name, err)
		}
		rows = rows[n:]
	}
	return nil
}

// take has the run hold packed rows, and written out once it holds enough.
func (l *load) take(ctx context.Context, p *packedRows) error {
	const op = storage.OpLoad
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed(op, l.name)
	}
	l.run.addRows(p)
	limit, first := l.s.loadRun(), l.run.unsorted && len(l.tables) == 0 && l.writer == nil
	if first {
		limit *= 2
	}
	if l.run.size < limit {
		return nil
	}
	if err := l.s.space.allow(ctx, op, l.name, l.run.size, false); err != nil {
		return err
	}
	if first {
		err := l.writeAll(ctx)
		l.run = &loadRun{} // of half its size
		return err
	}
	return l.spill()
}

// Has implements storage.Load.
func (l *load) Has(key []byte) (has, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !storage.CanExist(key) {
		return false, true
	}
	l.key = l.table.key(l.key, key)
	if l.run.has(l.key) {
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
	go func() { done <- guard.Run(func() error { return l.files.writeRun(run, l.duplicate) }) }()
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

// writeAll writes what is in memory, on all processors.
func (l *load) writeAll(ctx context.Context) error {
	if err := l.files.writeParts(ctx, l.run, l.duplicate); err != nil {
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

var _ ender = (*load)(nil)

func (l *load) closeLocked() {
	if l.closed {
		return
	}
	l.closed = true
	l.s.loadsOpen.Add(-1)
	_ = l.written() // what could not be written is dropped
	l.files.remove()
	l.run, l.spare, l.tables = &loadRun{}, nil, nil
	l.s.unregister(l)
}
