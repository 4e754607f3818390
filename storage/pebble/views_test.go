package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

func viewStore(t *testing.T) (*Store, storage.Table) {
	s := openTest(t, testOptions(vfs.NewMem()))
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	return s, s.Table("t")
}

func setCount(table storage.Table, key string, n uint64) error {
	return table.Mutate(context.Background(), []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: binary.BigEndian.AppendUint64(nil, n)},
	}}}, storage.WriteOptions{NoSync: true})
}

// numbers reads the rows of a span.
func numbers(table storage.Table, snap storage.Snapshot, span storage.Span) (out []uint64, err error) {
	req := &storage.ScanRequest{Spans: []storage.Span{span}, Snapshot: snap}
	sc, err := table.Scan(context.Background(), req)
	if err != nil {
		return nil, err
	}
	var b storage.RowBatch
	for err = sc.Next(&b); err == nil; err = sc.Next(&b) {
		for i := range b.Len() {
			v, _ := b.Value(i, "f", []byte("q"))
			out = append(out, binary.BigEndian.Uint64(v))
		}
	}
	if err != io.EOF {
		return nil, errors.Join(err, sc.Close())
	}
	return out, sc.Close()
}

// TestViewsAreShared holds that readers share a snapshot and its iterators until something
// is written, and that nothing idle is left behind a write.
func TestViewsAreShared(t *testing.T) {
	ctx := context.Background()
	s, table := viewStore(t)
	if err := setCount(table, "a", 1); err != nil {
		t.Fatal(err)
	}
	open := func() storage.Snapshot {
		sn, err := s.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return sn
	}
	read := func(sn storage.Snapshot, want string) {
		t.Helper()
		got, err := numbers(table, sn, storage.Span{Start: []byte("a"), End: []byte("c")})
		if err != nil || fmt.Sprint(got) != want {
			t.Fatal(got, err)
		}
	}
	a := open()
	read(a, "[1]")
	v := a.(*snapshot).view
	a.Close()
	b := open()
	if b.(*snapshot).view != v || len(v.idle) != 1 {
		t.Fatalf("another view, or %d iterators", len(v.idle))
	}
	it := v.idle[0]
	read(b, "[1]")
	if len(v.idle) != 1 || v.idle[0] != it {
		t.Fatal("another iterator")
	}
	if err := setCount(table, "b", 2); err != nil {
		t.Fatal(err)
	}
	if s.views.newest != nil || v.idle != nil {
		t.Fatal("a write lets go of what nobody uses")
	}
	c := open()
	read(c, "[1 2]")
	read(b, "[1]")
	b.Close()
	read(c, "[1 2]")
	c.Close()
	if n := s.db.Metrics().Snapshots.Count; n != 1 {
		t.Errorf("%d snapshots", n)
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		s.views.mu.Lock()
		n := len(s.views.newest.idle)
		s.views.mu.Unlock()
		if n == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := setCount(table, "c", 3); err != nil {
		t.Fatal(err)
	}
	if m := s.db.Metrics(); m.Snapshots.Count != 0 || m.TableIters != 0 {
		t.Errorf("%d snapshots, %d iterators", m.Snapshots.Count, m.TableIters)
	}
}

// TestViewsAreOfOneMoment has writers raise pairs of numbers in one batch: a reader sees all
// that was written before it began, both numbers of a pair alike, and the same again, also where
// the table's run is opened whenever it can be.
func TestViewsAreOfOneMoment(t *testing.T) {
	for _, runs := range []bool{false, true} {
		t.Run(fmt.Sprintf("runs %v", runs), func(t *testing.T) { viewsAreOfOneMoment(t, runs) })
	}
}

func viewsAreOfOneMoment(t *testing.T, runs bool) {
	ctx := context.Background()
	s, _ := viewStore(t)
	var stop atomic.Bool
	var wg sync.WaitGroup
	var opened atomic.Int64
	ts := (*s.dir.Load())["t"]
	if runs {
		wg.Go(func() {
			for !stop.Load() {
				if err := errors.Join(s.flush(ctx), s.openRun(ts)); err != nil {
					t.Error(err)
				}
				time.Sleep(200 * time.Microsecond)
			}
		})
	}
	const writers = 2
	var written [writers]atomic.Uint64
	for w := range writers {
		wg.Go(func() {
			// A reader passes over all versions of a row that the memtable has.
			for n := uint64(1); n <= 1500 && !stop.Load(); n++ {
				b, err := s.Batch()
				if err != nil {
					t.Error(err)
					return
				}
				for _, k := range []string{"x", "y"} {
					err = errors.Join(err, b.Mutate("t", []storage.RowMutation{{Key: fmt.Appendf(nil, "%d%s", w, k), Mutations: []storage.Mutation{
						{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: binary.BigEndian.AppendUint64(nil, n)},
					}}}))
				}
				if err = errors.Join(err, b.Commit(ctx, storage.WriteOptions{NoSync: true}), b.Close()); err != nil {
					t.Error(err)
					return
				}
				written[w].Store(n)
				if n%8 == 0 {
					time.Sleep(time.Duration(n%64) * 10 * time.Microsecond)
				}
				for i := 0; runs && n%200 == 0 && i < 500 && ts.run.Load() == nil; i++ { // both wait
					time.Sleep(time.Millisecond)
				}
				if ts.run.Load() != nil {
					opened.Add(1)
				}
			}
		})
	}
	for r := range 3 {
		wg.Go(func() {
			for i := 0; i < 500 || runs && opened.Load() == 0 && i < 50_000; i++ {
				w := (i + r) % writers
				least := written[w].Load()
				sn, err := s.Snapshot(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				span := storage.Span{Start: fmt.Appendf(nil, "%d", w), End: fmt.Appendf(nil, "%d", w+1)}
				a, err := numbers(s.Table("t"), sn, span)
				b, err2 := numbers(s.Table("t"), sn, span)
				if err = errors.Join(err, err2, sn.Close()); err != nil {
					t.Error(err)
					return
				}
				if fmt.Sprint(a) != fmt.Sprint(b) || len(a) == 1 || len(a) == 2 && (a[0] != a[1] || a[0] < least) || len(a) == 0 && least > 0 {
					t.Errorf("%v, then %v, after %d was written", a, b, least)
					return
				}
			}
			stop.Store(true)
		})
	}
	wg.Wait()
	if runs && opened.Load() == 0 {
		t.Error("no run was opened")
	}
}
