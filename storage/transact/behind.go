package transact

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// behind changes the rows of a commit, and then removes its record. Nobody waits for it, but who wants
// to write one of the rows on this server. The rows' changes are those of their locks: the caller's
// memory is not its own any more.
func (x *tx) behind(ctx context.Context, c int64) {
	byTable := map[string]*rowsOf{}
	for _, ch := range x.changes {
		of := byTable[ch.t.name]
		if of == nil {
			of = &rowsOf{t: ch.t}
			byTable[ch.t.name] = of
		}
		done := make(chan struct{})
		of.keys, of.done = append(of.keys, bytes.Clone(ch.key)), append(of.done, done)
		x.s.shared.behind.Store(pendingName(ch.t.name, ch.key), done)
	}
	x.calls.Add(int64(len(x.changes) + len(byTable) + 1))
	s, id := x.s, x.id
	ctx = storage.Unfenced(context.WithoutCancel(ctx))
	s.background("writing a commit's rows", func(life context.Context) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		var failed error
		for _, of := range byTable {
			failed = cmp.Or[error](failed, of.forward(ctx, s, id, c))
		}
		if failed == nil {
			failed = s.forget(ctx, id, state{committed, c})
		}
		if failed != nil { // readers and the sweep go on with it
			s.log.Debug("a commit's rows are not all written", "err", failed)
		}
	})
}

// rowsOf is rows of a table that a commit has changed; done is closed when they are written.
type rowsOf struct {
	t    *table
	keys [][]byte
	done []chan struct{}
}

func (of *rowsOf) forward(ctx context.Context, s *Store, id txID, c int64) error {
	ended := func(i int) {
		if done := of.done[i]; done != nil {
			s.shared.behind.CompareAndDelete(pendingName(of.t.name, of.keys[i]), done)
			close(done)
			of.done[i] = nil
		}
	}
	defer func() {
		for i := range of.keys {
			ended(i)
		}
	}()
	rows, err := of.t.get(ctx, of.keys...)
	if err != nil {
		return err
	}
	return together(len(rows), func(i int) error {
		defer ended(i)
		if rows[i].lock == nil || rows[i].lock.tx != id {
			return nil
		}
		return of.t.rollForward(ctx, of.keys[i], rows[i], c)
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
