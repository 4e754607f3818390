package pebble

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// TestOneTableHeld: what waits for a table's writers, or keeps them waiting, holds
// nobody up who writes another table or makes one.
func TestOneTableHeld(t *testing.T) {
	ctx := context.Background()
	load := func(value string) func(s *Store) error {
		return func(s *Store) error {
			l, err := s.Load(ctx, "t", false)
			if err != nil {
				return err
			}
			for _, k := range []string{"a", "b", "c", "d", "e"} {
				if err := l.Add(ctx, []storage.RowMutation{wholeRow([]byte(k), value)}); err != nil {
					return err
				}
			}
			return s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{})
		}
	}
	for _, tt := range []struct {
		name string
		run  func(s *Store) error
		want string // in row a of t, which is written before and deleted or replaced
	}{
		{"delete of a span", func(s *Store) error { return s.Table("t").DeleteSpan(ctx, storage.Span{End: []byte("b")}) }, "-"},
		{"truncate", func(s *Store) error { return s.Admin().Truncate(ctx, "t") }, "-"},
		{"load of one batch", load("loaded"), "f:q@1=loaded"},
		{"load of files", load(strings.Repeat("v", loadBatchBytes/4)), "f:q@1=" + strings.Repeat("v", loadBatchBytes/4)},
		{"alter", func(s *Store) error {
			return s.Admin().AlterTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "g"}}})
		}, "f:q@1=before"},
		{"drop", func(s *Store) error { return s.Admin().DropTable(ctx, "t") }, "gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var armed atomic.Bool
			inside, release := make(chan struct{}), make(chan struct{})
			o := testOptions(nil)
			o.Now = func() time.Time { // called by a writer that holds its table
				if armed.CompareAndSwap(true, false) {
					close(inside)
					<-release
				}
				return time.Now()
			}
			s, err := Open(t.TempDir(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			letGo := sync.OnceFunc(func() { close(release) })
			defer letGo()
			for _, name := range []string{"t", "u"} {
				if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
					t.Fatal(err)
				}
			}
			held, err := s.lookup("", "t")
			if err != nil {
				t.Fatal(err)
			}
			first, second := make(chan error, 1), make(chan error, 1)
			armed.Store(true)
			go func() {
				first <- s.Table("t").Mutate(ctx, []storage.RowMutation{wholeRow([]byte("a"), "before")}, storage.WriteOptions{})
			}()
			<-inside
			go func() { second <- tt.run(s) }()
			for held.writes.TryRLock() { // until it waits
				held.writes.RUnlock()
				if len(second) > 0 {
					t.Fatalf("it did not wait for the writer: %v", <-second)
				}
				runtime.Gosched()
			}
			u, free := s.Table("u"), otherLatch(t, s, "u", held.key(nil, []byte("a")))
			mustPut(t, u, storage.WriteOptions{}, free, set("f", "q", 1, "1"))
			m := &storage.CondMutation{Key: []byte(free), Cond: storage.Cond{Op: storage.RowPresent}, Then: []storage.Mutation{set("f", "q", 2, "2")}}
			if ok, err := u.CheckAndMutate(ctx, m); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if err := u.DeleteSpan(ctx, storage.Span{Start: []byte("x")}); err != nil {
				t.Fatal(err)
			}
			if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "v", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
				t.Fatal(err)
			}
			if err := s.Admin().DropTable(ctx, "v"); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-second:
				t.Fatalf("it did not wait for the writer: %v", err)
			default:
			}
			letGo()
			if err := <-first; err != nil {
				t.Fatal(err)
			}
			if err := <-second; err != nil {
				t.Fatal(err)
			}
			got := "gone"
			if tt.name != "drop" {
				got = get(t, s.Table("t"), "a", nil)
			}
			if got != tt.want {
				t.Errorf("row a is %.40q, want %.40q", got, tt.want)
			}
		})
	}
}

// otherLatch gives a key of the table whose row does not share a latch with the row of the
// Pebble key held.
func otherLatch(t *testing.T, s *Store, table string, held []byte) string {
	ts, err := s.lookup("", table)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		k := fmt.Sprint("k", i)
		if s.latches.stripe(ts.key(nil, []byte(k))) != s.latches.stripe(held) {
			return k
		}
	}
}

// TestBatchesOverTables: atomic batches that write two tables in either order,
// while both are emptied, loaded and altered: none waits for ever.
func TestBatchesOverTables(t *testing.T) {
	ctx := context.Background()
	s, err := Open(t.TempDir(), testOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names := []string{"t", "u"}
	for _, name := range names {
		if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
			t.Fatal(err)
		}
	}
	const rounds = 60
	done := make(chan error)
	workers := 0
	start := func(step func(i int) error) {
		workers++
		go func() {
			for i := range rounds {
				if err := step(i); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for w := range 4 {
		start(func(i int) error {
			b, err := s.Batch()
			if err != nil {
				return err
			}
			defer b.Close()
			for k := range names {
				row := wholeRow([]byte{byte('a' + w)}, "v")
				if err := b.Mutate(names[(k+w)%2], []storage.RowMutation{row}); err != nil {
					return err
				}
			}
			return b.Commit(ctx, storage.WriteOptions{NoSync: true})
		})
	}
	for _, name := range names {
		start(func(i int) error {
			switch i % 3 {
			case 0:
				return s.Table(name).DeleteSpan(ctx, storage.Span{})
			case 1:
				return s.Admin().AlterTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f", MaxVersions: 1 + i}}})
			}
			l, err := s.Load(ctx, name, false)
			if err != nil {
				return err
			}
			if err := l.Add(ctx, []storage.RowMutation{wholeRow([]byte("l"), "v")}); err != nil {
				return err
			}
			return s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{})
		})
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
