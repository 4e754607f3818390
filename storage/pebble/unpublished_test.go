package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// TestReadersWaitWhereAFlushFoundAWrite holds a write that Pebble may have and has not shown,
// and begins a flush: no reader opens before the write has ended, but those do who come where
// the flush had begun before it.
func TestReadersWaitWhereAFlushFoundAWrite(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	tb, key := s.Table("t"), []byte("k")
	fill := func() {
		t.Helper()
		rows := []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{set("f", "n", 1, "1")}}}
		if err := tb.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
			t.Fatal(err)
		}
	}
	readers := map[string]func(ctx context.Context) error{
		"a snapshot": func(ctx context.Context) error {
			sn, err := s.Snapshot(ctx)
			if err == nil {
				err = sn.Close()
			}
			return err
		},
		"a get": func(ctx context.Context) error {
			_, err := tb.MultiGet(ctx, [][]byte{key}, nil, new(storage.RowBatch))
			return err
		},
		"two gets": func(ctx context.Context) error {
			_, err := tb.MultiGet(ctx, [][]byte{key, []byte("l")}, nil, new(storage.RowBatch))
			return err
		},
		"a scan": func(ctx context.Context) error {
			sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
			if err == nil {
				err = sc.Close()
			}
			return err
		},
		"spans": func(ctx context.Context) error {
			_, _, err := tb.ReadSpans(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}}, new(storage.RowBatch))
			return err
		},
		"a sample": func(ctx context.Context) error {
			_, err := tb.Sample(ctx, storage.Span{}, 4)
			return err
		},
		"the sweep": func(ctx context.Context) error {
			_, _, err := s.findExpired(ctx, "t", (*s.dir.Load())["t"], nil)
			return err
		},
	}
	each := func(when string, want storage.Code) {
		t.Helper()
		for name, read := range readers {
			within, cancel := context.WithCancel(ctx)
			if want != 0 {
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			err := read(within)
			cancel()
			if got := storage.CodeOf(err); got != want {
				t.Errorf("%s %s: %v", name, when, err)
			}
		}
	}
	ts := []*tableState{(*s.dir.Load())["t"]}
	fill()
	if err := s.flush(ctx); err != nil {
		t.Fatal(err)
	}
	merges := s.beginWrite(ts)
	each("beside a write that a flush has not found", 0)
	fill()
	if err := s.flush(ctx); err != nil {
		t.Fatal(err)
	}
	each("beside a write that a flush has found", storage.CodeCanceled)
	got := make(chan error)
	for _, read := range readers {
		go func() { got <- read(ctx) }()
	}
	s.endWrite(ts, merges)
	for range readers {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
	each("after it", 0)
}

// TestNothingIsMissedBesideFlushes writes few rows over and over while what is in memory is
// written to files without a pause: a number goes up in a row, and no reader, with a snapshot
// or without, finds one that is less than what was acknowledged before it began.
func TestNothingIsMissedBesideFlushes(t *testing.T) {
	seeds.Sometimes(t)
	const writers = 16
	rounds := uint64(20_000)
	if testing.Short() {
		rounds = 4_000
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16)) // writers are interrupted anywhere
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}})
	if err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t")
	keys := make([][]byte, writers)
	var acknowledged [writers]atomic.Uint64
	write := func(w int, n uint64) error {
		m := set("f", "n", 1, string(binary.BigEndian.AppendUint64(nil, n)))
		err := tb.Mutate(ctx, []storage.RowMutation{{Key: keys[w], Mutations: []storage.Mutation{m}}}, storage.WriteOptions{NoSync: true})
		if err == nil {
			acknowledged[w].Store(n)
		}
		return err
	}
	for w := range writers {
		keys[w] = []byte{byte('a' + w)}
		if err := write(w, 1); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	var work, rest sync.WaitGroup
	var mu sync.Mutex
	var failed error
	run := func(wg *sync.WaitGroup, f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	until := func(f func() error) func() error {
		return func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				if err := f(); err != nil {
					return err
				}
			}
		}
	}
	for w := range writers {
		run(&work, func() error {
			for i := range rounds {
				if err := write(w, i+2); err != nil {
					return err
				}
			}
			return nil
		})
	}
	run(&rest, until(func() error { return s.flush(ctx) }))
	run(&rest, until(func() error {
		time.Sleep(time.Millisecond)
		return s.db.Compact(ctx, []byte{0}, []byte{0xff}, true)
	}))
	read := func(name string, held bool, each func(req *storage.ScanRequest, got func(i int, n uint64)) error) {
		run(&rest, until(func() (err error) {
			var before [writers]uint64
			for w := range writers {
				before[w] = acknowledged[w].Load()
			}
			req := &storage.ScanRequest{}
			if held {
				sn, err := s.Snapshot(ctx)
				if err != nil {
					return err
				}
				defer sn.Close()
				req.Snapshot = sn
				time.Sleep(time.Millisecond) // files are merged meanwhile
			}
			var found [writers]uint64
			if err = each(req, func(i int, n uint64) { found[i] = n }); err != nil {
				return err
			}
			for w := range writers {
				if found[w] < before[w] {
					return fmt.Errorf("%s finds %d in row %d after %d was acknowledged", name, found[w], w, before[w])
				}
			}
			return nil
		}))
	}
	for _, held := range []bool{false, true} {
		read("MultiGet", held, func(req *storage.ScanRequest, got func(int, uint64)) error {
			var b storage.RowBatch
			_, err := tb.MultiGet(ctx, keys, req, &b)
			for i := range b.Len() {
				v, _ := b.Value(i, "f", []byte("n"))
				got(int(b.Key(i)[0]-'a'), binary.BigEndian.Uint64(v))
			}
			return err
		})
		read("MultiGet of one", held, func(req *storage.ScanRequest, got func(int, uint64)) error {
			for w := range keys {
				var b storage.RowBatch
				if _, err := tb.MultiGet(ctx, keys[w:w+1], req, &b); err != nil {
					return err
				}
				if b.Len() == 1 {
					v, _ := b.Value(0, "f", []byte("n"))
					got(w, binary.BigEndian.Uint64(v))
				}
			}
			return nil
		})
		read("ReadSpans", held, func(req *storage.ScanRequest, got func(int, uint64)) error {
			var b storage.RowBatch
			req.Spans = []storage.Span{{}}
			_, _, err := tb.ReadSpans(ctx, req, &b)
			for i := range b.Len() {
				v, _ := b.Value(i, "f", []byte("n"))
				got(int(b.Key(i)[0]-'a'), binary.BigEndian.Uint64(v))
			}
			return err
		})
	}
	work.Wait()
	close(stop)
	rest.Wait()
	if failed != nil {
		t.Error(failed)
	}
}
