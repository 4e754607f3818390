package transact

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// behind changes the rows of a commit, and then removes its record. Nobody waits for it, but who wants
// to write one of the rows on this server.
func (x *tx) behind(ctx context.Context, c int64) {
	for _, ch := range x.changes {
		x.s.shared.behind.Store(pendingName(ch.t.name, ch.key), make(chan struct{}))
	}
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), time.Minute)
	x.s.background("writing a commit's rows", func() {
		defer cancel()
		byTable := map[string][]*change{}
		for _, ch := range x.changes {
			byTable[ch.t.name] = append(byTable[ch.t.name], ch)
		}
		ended := func(ch *change) {
			if done, ok := x.s.shared.behind.LoadAndDelete(pendingName(ch.t.name, ch.key)); ok {
				close(done.(chan struct{}))
			}
		}
		defer func() {
			for _, ch := range x.changes {
				ended(ch)
			}
		}()
		var failed error
		for _, list := range byTable {
			keys := make([][]byte, len(list))
			for i, ch := range list {
				keys[i] = ch.key
			}
			rows, err := list[0].t.get(ctx, keys...)
			if err != nil {
				failed = err
				continue
			}
			part := &tx{s: x.s, changes: list}
			err = part.each(func(ch *change) error {
				defer ended(ch)
				r := rows[slices.Index(list, ch)]
				if r.lock == nil || r.lock.tx != x.id {
					return nil
				}
				return ch.t.end(ctx, ch.key, r.lock, r.forward(ch.muts, x.id, c))
			})
			failed = cmpErr(failed, err)
		}
		if failed == nil {
			failed = x.s.forget(ctx, x.id, state{committed, c})
		}
		if failed != nil { // readers and the sweep go on with it
			x.s.log.Debug("a commit's rows are not all written", "err", failed)
		}
	})
}

func pendingName(table string, key []byte) string { return table + "\x00" + string(key) }

// waitBehind bounds how long a writer waits for the rows of this server's commits.
const waitBehind = time.Second

// wait waits while this server is writing the row for a commit.
func (s *Store) wait(ctx context.Context, table string, key []byte) error {
	done, ok := s.shared.behind.Load(pendingName(table, key))
	if !ok {
		return nil
	}
	timer := time.NewTimer(waitBehind)
	defer timer.Stop()
	select {
	case <-done.(chan struct{}):
	case <-timer.C:
	case <-ctx.Done():
		return storage.CtxError(storage.OpCommit, table, ctx.Err())
	}
	return nil
}
