package storagetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

func testCanceled(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@1=1")
	canceled, cancel := context.WithCancel(e.ctx)
	cancel()
	expired, cancel := context.WithDeadline(e.ctx, time.Now().Add(-time.Second))
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		code storage.Code
	}{{canceled, storage.CodeCanceled}, {expired, storage.CodeDeadlineExceeded}} {
		in := *e
		in.ctx = c.ctx
		_, err := in.tryScan(t, &storage.ScanRequest{Spans: spans(",")})
		e.code(err, c.code)
		_, err = t.MultiGet(c.ctx, byteKeys("a"), nil, &storage.RowBatch{})
		e.code(err, c.code)
		e.code(t.Mutate(c.ctx, rows("b f:x@1=1"), storage.WriteOptions{}), c.code)
		_, err = t.CheckAndMutate(c.ctx, &storage.CondMutation{Key: []byte("b"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: muts("f:x@1=1")})
		e.code(err, c.code)
		_, err = t.Tablets(c.ctx, storage.Span{})
		e.code(err, c.code)
		e.code(t.DeleteSpan(c.ctx, storage.Span{}), c.code)
		a := e.s.Admin()
		e.code(a.CreateTable(c.ctx, storage.TableSpec{Name: "new", Families: []storage.FamilySpec{{Name: "f"}}}), c.code)
		e.code(a.AlterTable(c.ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "new"}}}), c.code)
		e.code(a.Truncate(c.ctx, "t"), c.code)
		e.code(a.DropTable(c.ctx, "t"), c.code)
		_, err = a.Tables(c.ctx)
		e.code(err, c.code)
		if e.s.Caps().AtomicBatch {
			b, err := e.s.Batch()
			e.must(err)
			e.must(b.Mutate("t", rows("b f:x@1=1")))
			e.code(b.Commit(c.ctx, storage.WriteOptions{}), c.code)
			e.must(b.Close())
		}
	}
	e.want(e.all(t), "a f:x@1=1")
}

func testCanceledScan(e *env) {
	t := e.table("t")
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("k%05d f:x@1=1", i))
	}
	e.put(t, lines...)
	ctx, cancel := context.WithCancel(e.ctx)
	sc, err := t.Scan(ctx, &storage.ScanRequest{Spans: spans(","), BatchRows: 5})
	e.must(err)
	var b storage.RowBatch
	e.must(sc.Next(&b))
	if k := string(b.Key(0)); k != "k00000" {
		e.t.Fatalf("first key %q", k)
	}
	cancel()
	err = sc.Next(&b)
	e.code(err, storage.CodeCanceled)
	if b.Len() != 0 {
		e.t.Fatalf("%d rows with an error", b.Len())
	}
	e.code(sc.Next(&b), storage.CodeCanceled) // the error stays
	e.must(sc.Close())

	// a filter that passes nothing does not make a scan deaf
	ctx, cancel = context.WithCancel(e.ctx)
	defer cancel()
	n := 0
	sc, err = t.Scan(ctx, &storage.ScanRequest{Spans: spans(","), Filter: func([]byte, storage.RowView) (bool, error) {
		if n++; n == 10 {
			cancel()
		}
		return false, nil
	}})
	e.must(err)
	e.code(sc.Next(&b), storage.CodeCanceled)
	e.must(sc.Close())
	if n >= 3000 {
		e.t.Fatal("the scan read on to its end")
	}

	// a scanner may be closed before its end, and before its first Next
	for i := range 2 {
		sc, err = t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), BatchRows: 5})
		e.must(err)
		if i == 1 {
			e.must(sc.Next(&b))
		}
		e.must(sc.Close())
		e.code(sc.Next(&b), storage.CodeClosed)
	}
}

func testClose(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@1=1", "b f:x@1=1")
	open, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), BatchRows: 1})
	e.must(err)
	var b storage.RowBatch
	e.must(open.Next(&b))
	unread, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(",")})
	e.must(err)
	var snap storage.Snapshot
	if e.s.Caps().Snapshots {
		snap, err = e.s.Snapshot(e.ctx)
		e.must(err)
		_, err = t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), Snapshot: snap})
		e.must(err)
	}
	var batch storage.Batch
	if e.s.Caps().AtomicBatch {
		batch, err = e.s.Batch()
		e.must(err)
		e.must(batch.Mutate("t", rows("c f:x@1=1")))
	}
	e.must(e.s.Close())
	e.must(e.s.Close())
	e.code(open.Next(&b), storage.CodeClosed)
	e.code(unread.Next(&b), storage.CodeClosed)
	e.must(open.Close())
	e.must(unread.Close())
	if snap != nil {
		e.must(snap.Close())
	}
	if batch != nil {
		e.code(batch.Commit(e.ctx, storage.WriteOptions{}), storage.CodeClosed)
		e.must(batch.Close())
		_, err = e.s.Batch()
		e.code(err, storage.CodeClosed)
	}
	_, err = t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(",")})
	e.code(err, storage.CodeClosed)
	_, err = t.MultiGet(e.ctx, byteKeys("a"), nil, &b)
	e.code(err, storage.CodeClosed)
	e.code(t.Mutate(e.ctx, rows("a f:x@1=1"), storage.WriteOptions{}), storage.CodeClosed)
	_, err = t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("a"), Then: muts("f:x@1=1")})
	e.code(err, storage.CodeClosed)
	_, err = t.Tablets(e.ctx, storage.Span{})
	e.code(err, storage.CodeClosed)
	e.code(t.DeleteSpan(e.ctx, storage.Span{}), storage.CodeClosed)
	_, err = e.s.Admin().Tables(e.ctx)
	e.code(err, storage.CodeClosed)
	e.code(e.s.Admin().DropTable(e.ctx, "t"), storage.CodeClosed)
}

// Close while other goroutines read and write: each ends with an error or
// without, none crashes or hangs.
func testCloseWhileBusy(e *env) {
	t := e.table("t")
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("k%05d f:x@1=1", i))
	}
	e.put(t, lines...)
	var wg sync.WaitGroup
	started := make(chan struct{}, 16)
	loop := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; ; i++ {
				err := f()
				if i == 0 {
					started <- struct{}{}
				}
				if err != nil {
					return
				}
			}
		}()
	}
	scan := func(reverse bool) func() error {
		return func() error {
			sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), BatchRows: 100, Reverse: reverse})
			if err != nil {
				return err
			}
			defer sc.Close()
			_, err = drain(sc)
			return err
		}
	}
	loop(scan(false))
	loop(scan(true))
	loop(func() error {
		_, err := t.MultiGet(e.ctx, byteKeys("k00001"), nil, &storage.RowBatch{})
		return err
	})
	loop(func() error { return t.Mutate(e.ctx, rows("k00001 f:y@1=1"), storage.WriteOptions{}) })
	loop(func() error {
		_, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("k00002"), Cond: storage.Cond{Op: storage.RowPresent}, Then: muts("f:y@1=1")})
		return err
	})
	if e.s.Caps().Snapshots {
		loop(func() error {
			snap, err := e.s.Snapshot(e.ctx)
			if err != nil {
				return err
			}
			defer snap.Close()
			_, err = t.MultiGet(e.ctx, byteKeys("k00001", "k00009"), &storage.ScanRequest{Snapshot: snap}, &storage.RowBatch{})
			return err
		})
	} else {
		started <- struct{}{}
	}
	for range 6 {
		<-started
	}
	e.must(e.s.Close())
	wg.Wait()
}
