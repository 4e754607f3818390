package serverlocks

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// observed is a server's row as this server's stopwatch first saw it.
type observed struct {
	ts    int64
	since time.Time
}

// gone tells the entries of other servers that count no more. It is asked of rows that were read
// before: a server has its row before it has an entry.
func (l *Locks) gone(ctx context.Context) (func(entry) bool, error) {
	began := time.Now()
	list, err := l.keeper.Servers(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	joins := make(map[string]int64, len(list))
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := make(map[string]observed, len(list))
	for _, s := range list {
		o, ok := l.seen[s.Key]
		if !ok || o.ts != s.TS {
			o = observed{s.TS, now}
		}
		seen[s.Key] = o
		if began.Sub(o.since) <= l.keeper.LeaseOf(s) {
			joins[s.ID()] = s.Join
		}
	}
	l.seen = seen
	return func(e entry) bool { return e.Server != l.keeper.Owner && joins[e.Server] != e.Join }, nil
}

// bury takes servers that are gone out of a state that was just read, where it is time to look.
func (l *Locks) bury(ctx context.Context, r *row, st state) (state, error) {
	if time.Since(r.looked) < min(mostPause, l.keeper.Options.Lease/16) {
		return st, nil
	}
	r.looked = time.Now()
	gone, err := l.gone(ctx)
	if err != nil {
		return st, err
	}
	return st.without(gone), nil
}

// sweeps removes, once in a lease, what servers that are gone have left in rows that nobody asks
// for, and what a late write of this one's has.
func (l *Locks) sweeps(ctx context.Context) {
	for versions.Sleep(ctx, l.keeper.Options.Lease) == nil {
		if err := l.sweep(ctx); err != nil && ctx.Err() == nil {
			l.keeper.Options.Logger.Warn("advisory locks: rows of servers that are gone could not be removed", "err", err)
		}
	}
}

func (l *Locks) sweep(ctx context.Context) error {
	end := []byte(prefix)
	end[len(end)-1]++
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte(prefix), End: end}}}
	return storage.EachBatch(ctx, l.keeper.Table, req, func(b *storage.RowBatch) error {
		gone, err := l.gone(ctx)
		if err != nil {
			return err
		}
		join := l.keeper.Joins()
		for i := range b.Len() {
			at, err := decode(b, i)
			if err != nil {
				return err
			}
			name := string(b.Key(i)[len(prefix):])
			kept := l.knows(name)
			next := at.without(func(e entry) bool {
				return gone(e) || e.Server == l.keeper.Owner && (e.Join < join || e.Join == join && !kept)
			})
			if next.equal(at.state) {
				continue
			}
			if _, _, err := l.swap(ctx, name, at, next); err != nil {
				return err
			}
		}
		return nil
	})
}

// knows says that this server may hold a lock, or wait for it.
func (l *Locks) knows(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rows[name] != nil
}
