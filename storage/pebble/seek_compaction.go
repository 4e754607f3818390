package pebble

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// seekCompactor merges the layers of tables that are read by many seeks, as LevelDB's
// seek compactions do. A small read of a table with N buckets seeks N times, and each seek
// looks into every layer that may hold the row:
//
//	memtables   64 MB and more    2 to 6 µs, by how much they hold: a skip list's nodes
//	                              lie all over the memory
//	L0 … L6     files, sorted     1 µs for each level that has any of the table's
//
// A row that a scan reads by Pebble's iterator, where a sorted run could give it, costs about
// 0.06 µs more, and 0.3 µs where memtables and several levels are merged, in which older
// versions of rows lie. It is counted as a quarter of a seek.
//
// So the seeks of a table are counted. Once they have cost about as much as it costs to
// write what is in memory to files, or to merge the files to one level, that is done: reads
// and the work spared for them are together at most twice the least that they can be, and
// where few seeks come, or rows are only written, nothing is done.
type seekCompactor struct {
	s      *Store
	cancel context.CancelFunc
	wake   chan *tableState // a table to look at
	done   chan struct{}
}

const (
	// seeksPerLook is after how many seeks in a table its layers are looked at. That is
	// also when its memtables are flushed: a seek in them costs about 0.1 µs more for each
	// MB that they hold, and a flush, with the merge that follows, some 20 ms for each.
	seeksPerLook = 1 << 17
	// leastFlush is from how many bytes in memory on a flush brings more than the file
	// that it makes costs.
	leastFlush = 4 << 20
	// bytesPerSeek is how many bytes are merged in the time that a seek takes in one level.
	bytesPerSeek = 50
)

func startSeekCompactor(s *Store) *seekCompactor {
	ctx, cancel := context.WithCancel(context.Background())
	c := &seekCompactor{s: s, cancel: cancel, wake: make(chan *tableState, 1), done: make(chan struct{})}
	go guard.Logged(s.opts.Logger, "pebble: merging what is read much", func() { c.run(ctx) })
	return c
}

func (c *seekCompactor) end() {
	c.cancel()
	<-c.done
}

// sought counts what a cursor has read of a table, and has the table looked at where that has paid
// for it, or where its run can be opened. What is read by a run costs no more than it must.
func (s *Store) sought(by cursor, t *tableState, seeks, rows int64) {
	if _, ok := by.(*runCursor); ok || s.seeks == nil {
		return
	}
	n := t.seeks.Add(seeks + rows/rowsPerSeek)
	switch {
	case n-t.looked.Load() >= seeksPerLook:
		t.looked.Store(n)
	case n < leastRunSeeks || !s.wantsRun(t):
		return
	}
	select {
	case s.seeks.wake <- t:
	default: // another table is looked at: this one will be after as many seeks more
	}
}

func (c *seekCompactor) run(ctx context.Context) {
	defer close(c.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.s.views.changed:
			c.s.dropStale()
			c.tell(ctx, c.s.detached(c.s.replaceRuns))
		case t := <-c.wake:
			c.tell(ctx, c.look(ctx, t))
		}
	}
}

func (c *seekCompactor) tell(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && c.s.fault.err.Load() == nil {
		c.s.opts.Logger.Warn("pebble: what makes a table that is read much faster to read failed", "err", err)
	}
}

// look opens a table's run, or does what its seeks have paid for. A table whose rows are in
// memory is flushed for the sake of a run if it was not written since the last look.
func (c *seekCompactor) look(ctx context.Context, t *tableState) error {
	if c.s.wantsRun(t) {
		if err := c.s.detached(func() error { return c.s.openRun(t) }); err != nil || t.run.Load() != nil {
			t.forgetSeeks()
			return err
		}
	}
	seeks := t.seeks.Load()
	if seeks < seeksPerLook || c.s.space.low() {
		return nil
	}
	writes := t.begun.Load()
	quiet := writes == t.lookedAt
	t.lookedAt = writes
	if _, ok := t.inFiles(); c.s.mem.unflushed() >= leastFlush || quiet && !ok {
		t.forgetSeeks()
		return c.s.flush(ctx)
	}
	layers, bytes, err := c.s.layers(t)
	if err != nil {
		return err
	}
	switch {
	case layers < 2:
		t.forgetSeeks()
		return nil
	case seeks*(layers-1) < bytes/bytesPerSeek:
		return nil
	}
	t.forgetSeeks()
	return c.s.merge(ctx, t)
}

// layers says in how many levels a table has files, and what they hold.
func (s *Store) layers(t *tableState) (layers, bytes int64, err error) {
	lo, hi := t.bounds(nil, nil, storage.Span{})
	levels, err := s.db.SSTables(pebble.WithKeyRangeFilter(lo, hi))
	if err != nil {
		return 0, 0, err
	}
	for _, tables := range levels {
		for i := range tables {
			bytes += int64(tables[i].Size)
		}
		if len(tables) > 0 {
			layers++
		}
	}
	return layers, bytes, nil
}

// merge brings a table's files to one level.
func (s *Store) merge(ctx context.Context, t *tableState) error {
	lo, hi := t.bounds(nil, nil, storage.Span{})
	return s.detached(func() error { return s.db.Compact(ctx, lo, hi, true) })
}

// Compact implements storage.Compactor.
func (s *Store) Compact(ctx context.Context, table string) error {
	const op = storage.OpCompact
	if err := s.enter(ctx, op, table); err != nil {
		return err
	}
	defer s.exit()
	t, err := s.lookup(op, table)
	if err != nil {
		return err
	}
	if err := s.space.allow(ctx, op, table, 0, false); err != nil {
		return err
	}
	t.forgetSeeks()
	if _, ok := t.inFiles(); !ok || s.mem.unflushed() > 0 { // a flush of nothing makes a log and a memtable anew
		if err := s.flush(ctx); err != nil {
			return wrap(op, table, err)
		}
	}
	layers, _, err := s.layers(t)
	if err == nil && layers > 1 {
		err = s.merge(ctx, t)
	}
	if err == nil && s.runs.folder != nil {
		err = s.detached(func() error { return s.openRun(t) })
	}
	if err != nil && ctx.Err() != nil {
		return storage.CtxError(op, table, ctx.Err())
	}
	return wrap(op, table, err)
}

// flush writes what is in memtables to files.
func (s *Store) flush(ctx context.Context) error {
	writes := s.quietTables()
	var flushed <-chan struct{}
	err := s.detached(func() (err error) {
		flushed, err = s.db.AsyncFlush()
		return err
	})
	if err != nil {
		return err
	}
	select {
	case <-flushed:
		for t, n := range writes {
			t.inFilesUpTo(n)
		}
	case <-ctx.Done():
	case <-s.fault.down:
	}
	return nil
}

// forgetSeeks begins to count anew: no seek pays twice.
func (t *tableState) forgetSeeks() {
	t.seeks.Store(0)
	t.looked.Store(0)
}
