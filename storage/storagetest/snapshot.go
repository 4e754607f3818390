package storagetest

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/saltsql/saltsql/storage"
)

func testSnapshot(e *env) {
	if !e.s.Caps().Snapshots {
		e.t.Skip("the store has no snapshots")
	}
	t, u := e.table("t"), e.table("u")
	e.put(t, "a f:x@1=1", "b f:x@1=1")
	e.put(u, "a f:x@1=1")
	snap, err := e.s.Snapshot(e.ctx)
	e.must(err)
	e.put(t, "a f:x@2=2", "b -", "c f:x@1=1")
	e.put(u, "a f:y@1=1")
	asOf := func(req storage.ScanRequest) storage.ScanRequest { req.Snapshot = snap; return req }
	old := []string{"a f:x@1=1", "b f:x@1=1"}
	check := func() {
		e.t.Helper()
		e.want(e.scan(t, asOf(storage.ScanRequest{Spans: spans(",")})), old...)
		e.want(e.scan(t, asOf(storage.ScanRequest{Spans: spans(","), Reverse: true, Limit: 1})), old[1])
		e.want(e.get(t, asOf(storage.ScanRequest{}), "a", "b", "c"), old...)
		e.want(e.get(t, asOf(storage.ScanRequest{}), "b"), old[1])
		e.want(e.scan(u, asOf(storage.ScanRequest{Spans: spans(",")})), "a f:x@1=1")
	}
	check()
	e.want(e.all(t), "a f:x@2=2", "c f:x@1=1")
	e.must(t.DeleteSpan(e.ctx, storage.Span{}))
	check()
	e.must(e.s.Admin().Truncate(e.ctx, "t"))
	check()
	e.want(e.all(t))
	e.must(snap.Close())
	e.must(snap.Close())
	_, err = t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), Snapshot: snap})
	e.code(err, storage.CodeClosed)
	_, err = t.MultiGet(e.ctx, byteKeys("a"), &storage.ScanRequest{Snapshot: snap}, &storage.RowBatch{})
	e.code(err, storage.CodeClosed)
	_, err = t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), Snapshot: otherSnapshot{}})
	e.code(err, storage.CodeInvalidArgument)
}

type otherSnapshot struct{}

func (otherSnapshot) Close() error { return nil }

func testBatch(e *env) {
	if !e.s.Caps().AtomicBatch {
		e.t.Skip("the store has no atomic batches")
	}
	t, u := e.table("t"), e.table("u")
	e.put(t, "a f:x@1=1 f:y@1=1", "b f:x@1=1")
	b, err := e.s.Batch()
	e.must(err)
	e.must(b.Mutate("t", rows("a f:x@2=2", "c f:x@1=3")))
	e.must(b.Mutate("u", rows("a f:x@1=4")))
	e.must(b.Mutate("t", rows("b -", "c f:y@1=5")))
	e.want(e.all(t), "a f:x@1=1 f:y@1=1", "b f:x@1=1") // not yet
	e.must(b.Commit(e.ctx, storage.WriteOptions{}))
	e.want(e.all(t), "a f:x@2=2 f:y@1=1", "c f:x@1=3 f:y@1=5")
	e.want(e.all(u), "a f:x@1=4")
	e.must(b.Commit(e.ctx, storage.WriteOptions{})) // empty now
	e.must(b.Mutate("u", rows("b f:x@1=1")))
	e.must(b.Commit(e.ctx, storage.WriteOptions{NoSync: true}))
	e.want(e.all(u), "a f:x@1=4", "b f:x@1=1")
	e.must(b.Mutate("u", rows("dropped f:x@1=1")))
	e.must(b.Close())
	e.must(b.Close())
	e.code(b.Commit(e.ctx, storage.WriteOptions{}), storage.CodeClosed)
	e.code(b.Mutate("u", rows("b f:x@1=1")), storage.CodeClosed)

	// all or nothing
	for _, bad := range []struct{ table, row string }{{"none", "a f:x@1=1"}, {"t", "z nope:x@1=1"}} {
		b, err = e.s.Batch()
		e.must(err)
		e.must(b.Mutate("u", rows("new f:x@1=1")))
		if err := b.Mutate(bad.table, rows(bad.row)); err == nil {
			err = b.Commit(e.ctx, storage.WriteOptions{})
			e.code(err, storage.CodeNotFound)
		}
		e.must(b.Close())
		e.want(e.all(u), "a f:x@1=4", "b f:x@1=1")
	}
	b, err = e.s.Batch()
	e.must(err)
	e.code(b.Mutate("t", rows("r ")), storage.CodeInvalidArgument)
	e.must(b.Close())
}

// Transfers between rows of two tables, while part-row writes touch the same
// rows: every snapshot sees the same sum, and no write is lost.
func testBatchAtomic(e *env) {
	if c := e.s.Caps(); !c.AtomicBatch || !c.Snapshots {
		e.t.Skip("the store has no atomic batches or no snapshots")
	}
	t, u := e.table("t"), e.table("u")
	const rounds = 200
	cell := func(n int) []storage.Mutation {
		m := muts("f:n@1=")
		m[0].Value = binary.BigEndian.AppendUint64(nil, uint64(n))
		return m
	}
	e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: cell(rounds)}}, storage.WriteOptions{}))
	e.must(u.Mutate(e.ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: cell(0)}}, storage.WriteOptions{}))
	var wg sync.WaitGroup
	errs := make(chan error, 3)
	run := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil {
				errs <- err
			}
		}()
	}
	run(func() error {
		for i := range rounds {
			b, err := e.s.Batch()
			if err != nil {
				return err
			}
			names := []string{"t", "u"}
			vals := []int{rounds - i - 1, i + 1}
			for j := range names { // tables in changing order
				j = (i + j) % 2
				if err := b.Mutate(names[j], []storage.RowMutation{{Key: []byte("k"), Mutations: cell(vals[j])}}); err != nil {
					return err
				}
			}
			if err := b.Commit(e.ctx, storage.WriteOptions{NoSync: i%10 != 0}); err != nil {
				return err
			}
			if err := b.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	run(func() error {
		for i := range rounds {
			if err := t.Mutate(e.ctx, rows(fmt.Sprintf("k g:p%03d@1=1", i)), storage.WriteOptions{NoSync: true}); err != nil {
				return err
			}
		}
		return nil
	})
	run(func() error {
		var b storage.RowBatch
		for range rounds {
			snap, err := e.s.Snapshot(e.ctx)
			if err != nil {
				return err
			}
			sum := uint64(0)
			for _, tb := range []storage.Table{t, u} {
				b.Reset()
				if _, err := tb.MultiGet(e.ctx, byteKeys("k"), &storage.ScanRequest{Snapshot: snap}, &b); err != nil {
					return err
				}
				v, _ := b.Value(0, "f", []byte("n"))
				sum += binary.BigEndian.Uint64(v)
			}
			if err := snap.Close(); err != nil {
				return err
			}
			if sum != rounds {
				return fmt.Errorf("a snapshot sees a sum of %d, want %d", sum, rounds)
			}
		}
		return nil
	})
	wg.Wait()
	close(errs)
	for err := range errs {
		e.t.Error(err)
	}
	var b storage.RowBatch
	_, err := t.MultiGet(e.ctx, byteKeys("k"), nil, &b)
	e.must(err)
	if n := b.NumCells(0); n != rounds+1 {
		e.t.Errorf("%d cells, want %d: a part-row write was lost", n, rounds+1)
	}
}

// drain reads to the end.
func drain(sc storage.Scanner) (int, error) {
	var b storage.RowBatch
	n := 0
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += b.Len()
	}
}
