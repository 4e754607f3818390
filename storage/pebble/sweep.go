package pebble

import (
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// sweeper removes cells past their family's TTL from time to time. Reads do
// not depend on it. It writes without sync: what a crash undoes, the next
// sweep does again.
type sweeper struct {
	s      *Store
	cancel context.CancelFunc
	done   chan struct{}
}

func startSweeper(s *Store) *sweeper {
	ctx, cancel := context.WithCancel(context.Background())
	w := &sweeper{s, cancel, make(chan struct{})}
	go guard.Logged(s.opts.Logger, "pebble: removing expired rows", func() { w.run(ctx) })
	return w
}

func (w *sweeper) end() {
	w.cancel()
	<-w.done
}

func (w *sweeper) run(ctx context.Context) {
	defer close(w.done)
	tick := time.NewTicker(w.s.opts.SweepInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n, err := w.s.sweepAll(ctx); err != nil && ctx.Err() == nil && storage.CodeOf(err) != storage.CodeClosed {
			w.s.opts.Logger.Error("pebble: removing expired rows failed", "err", err)
		} else if n > 0 {
			w.s.opts.Logger.Debug("pebble: removed expired cells", "rows", n)
		}
	}
}

// sweepAll goes over every table that has a TTL and says how many rows it
// changed.
func (s *Store) sweepAll(ctx context.Context) (int, error) {
	total := 0
	for name, t := range *s.dir.Load() {
		if !t.desc.Load().HasTTL {
			continue
		}
		n, err := s.sweepTable(ctx, name, t)
		total += n
		if err != nil && storage.CodeOf(err) != storage.CodeNotFound { // dropped meanwhile
			return total, err
		}
	}
	return total, nil
}

const sweepRows = 1024

// sweepTable looks for rows with expired cells without latches, a piece of
// the table at a time, and rewrites those under theirs.
func (s *Store) sweepTable(ctx context.Context, name string, t *tableState) (int, error) {
	total := 0
	var from []byte
	for {
		stale, next, err := s.findExpired(ctx, name, t, from)
		if err != nil {
			return total, err
		}
		if len(stale) > 0 {
			if err := s.rewrite(ctx, name, t, stale); err != nil {
				return total, err
			}
			total += len(stale)
		}
		if next == nil {
			return total, nil
		}
		from = next
	}
}

// findExpired looks at sweepRows rows and says where to go on.
func (s *Store) findExpired(ctx context.Context, name string, t *tableState, from []byte) (stale [][]byte, next []byte, err error) {
	if err := s.enter(ctx, "sweep", name); err != nil {
		return nil, nil, err
	}
	defer s.exit()
	lo, hi := t.bounds(nil, nil, storage.Span{Start: from})
	it, err := s.newIter(ctx, "sweep", name, &pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return nil, nil, wrap("sweep", name, err)
	}
	defer func() { err = errors.Join(err, wrap("sweep", name, it.Close())) }()
	d := t.desc.Load()
	now := s.opts.Now()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		key := append([]byte(nil), it.Key()[prefixLen:]...)
		if n++; n > sweepRows {
			return stale, key, nil
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, nil, wrap("sweep", name, err)
		}
		c := rowpack.Open(value)
		for c.Next() {
			if int(c.Family) < len(d.ByID) && c.TS < d.ByID[c.Family].Oldest(now) {
				stale = append(stale, key)
				break
			}
		}
		if c.Err != nil {
			return nil, nil, wrap("sweep", name, c.Err)
		}
	}
	return stale, nil, nil
}

// rewrite writes rows as they are: the row writer leaves out what is expired.
func (s *Store) rewrite(ctx context.Context, name string, t *tableState, keys [][]byte) error {
	if err := s.enter(ctx, "sweep", name); err != nil {
		return err
	}
	defer s.exit()
	rows := make([]storage.RowMutation, len(keys))
	writes := make([]rowWrite, len(keys))
	for i := range keys {
		rows[i].Key = keys[i]
		writes[i] = rowWrite{t, t.desc.Load(), &rows[i], i}
	}
	return s.commit(ctx, "sweep", name, writes, true)
}
