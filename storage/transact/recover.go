package transact

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// settle decides a lock that is in a writer's way, as far as it can: what is committed is rolled
// forward, what is aborted or has expired is taken away. over says that the lock is gone.
func (t *table) settle(ctx context.Context, key []byte, r *stored) (over bool, err error) {
	l := r.lock
	ctx = storage.Unfenced(ctx) // all of it is safe at any time
	if l.alone {
		if !t.s.expired(l) {
			return false, nil
		}
		return true, t.unlock(ctx, key, l)
	}
	for try := 0; ; try++ {
		st, err := t.s.state(ctx, l.tx)
		if err != nil {
			return false, err
		}
		switch st.status {
		case committed:
			t.s.count.forward.Add(1)
			return true, t.rollForward(ctx, key, r, st.at)
		case aborted:
			return true, t.unlock(ctx, key, l)
		}
		if !t.s.expired(l) {
			return false, nil
		}
		// Whether its server is dead or slow: if this is first, it is not committed.
		at := max(t.s.oracle.since(), st.at, l.start) + step
		if _, err := t.s.decide(ctx, l.tx, state{aborted, at}, nil); err != nil && storage.CodeOf(err) != storage.CodeAmbiguous {
			return false, err
		}
		if try == 0 {
			continue
		}
		if err := storage.Pause(ctx, try, time.Millisecond); err != nil {
			return false, storage.CtxError(storage.OpCheckAndMutate, RecordTable, err)
		}
	}
}

// expired says that a lock has stood for longer than a commit takes.
func (s *Store) expired(l *lock) bool { return s.clock() > l.expiry }

// slow is the part of its life after which readers set a lock right themselves.
const slow = 5

// later has a lock set right behind a read, where its own server should have done so.
func (s *Store) later(t *table, key []byte, l *lock) {
	if s.clock() < l.expiry-(s.expiry-s.expiry/slow).Microseconds() {
		return
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return // another reader will
	}
	s.background("setting a lock right", func(life context.Context) {
		defer func() { <-s.slots }()
		ctx, cancel := context.WithTimeout(life, Expiry)
		defer cancel()
		if err := t.settleRow(ctx, key, l.tx); err != nil {
			s.log.Debug("a lock is not set right", "table", t.name, "err", err)
		}
	})
}

// settleRow decides the lock of one transaction in a row.
func (t *table) settleRow(ctx context.Context, key []byte, id txID) error {
	rows, err := t.get(ctx, key)
	if err != nil || rows[0].lock == nil || rows[0].lock.tx != id {
		return err
	}
	_, err = t.settle(ctx, key, rows[0])
	return err
}

const (
	// sweepAge is how old a commit's record is whose rows somebody else writes.
	sweepAge = time.Minute
	// forgetAge is how old a record is that is removed without knowing its rows: nobody commits any
	// more what began so long ago.
	forgetAge = 24 * time.Hour
)

// Sweep goes on with commits whose servers have died before all rows were written, and removes
// records that nobody needs. Any number of servers may do it at once. done is how many records it
// has removed.
func (s *Store) Sweep(ctx context.Context) (done int, err error) {
	var rb storage.RowBatch
	now := s.now().UnixMicro()
	type work struct {
		id   txID
		st   state
		rows []rowName
	}
	var list []work
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte{0, 0}}}}
	sc, err := s.records.Scan(ctx, req)
	if err == nil {
		defer sc.Close()
		err = sc.Next(&rb)
	}
	for ; err == nil; err = sc.Next(&rb) {
		for i := range rb.Len() {
			if len(rb.Key(i)) != len(txID{}) {
				continue
			}
			st, err := readRecord(&rb, i)
			if err != nil {
				return done, err
			}
			w := work{id: txID(rb.Key(i)), st: st}
			if keys, ok := rb.Value(i, keysCol.Family, keysCol.Qualifier); ok && st.status == committed {
				if w.rows, err = readRows(append([]byte(nil), keys...)); err != nil {
					return done, corrupt(RecordTable, rb.Key(i), err)
				}
			}
			age := time.Duration(now-st.at) * time.Microsecond
			if st.status == committed && age > sweepAge || age > forgetAge {
				list = append(list, w)
			}
		}
	}
	if !ended(err) {
		return done, err
	}
	for _, w := range list {
		for _, r := range w.rows {
			t := &table{s, r.table, s.Store.Table(r.table)}
			if err := t.settleRow(ctx, r.key, w.id); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
				return done, err
			}
		}
		if err := s.forget(ctx, w.id, w.st); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// SweepLocks decides the locks in a table that have expired, and gives how many locks it has met. It reads
// all of the table.
func (s *Store) SweepLocks(ctx context.Context, name string) (met int, err error) {
	t := &table{s, name, s.Store.Table(name)}
	return met, storage.EachBatch(ctx, t.base, &storage.ScanRequest{Spans: []storage.Span{{}}, Project: []storage.Col{lockCol}}, func(rb *storage.RowBatch) error {
		for i := range rb.Len() {
			r, err := read(name, rb, i)
			if err == nil && r.lock != nil {
				met++
				if s.expired(r.lock) {
					err = t.settleRow(ctx, bytes.Clone(rb.Key(i)), r.lock.tx)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ended says that a scan has come to its end, or that there was nothing to scan.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || storage.CodeOf(err) == storage.CodeNotFound
}
