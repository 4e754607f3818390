package pebble

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// layersOf says in how many levels a table has files.
func layersOf(t *testing.T, s *Store, name string) (layers int) {
	t.Helper()
	lo, hi := (*s.dir.Load())[name].bounds(nil, nil, storage.Span{})
	levels, err := s.db.SSTables(pebble.WithKeyRangeFilter(lo, hi))
	if err != nil {
		t.Fatal(err)
	}
	for _, tables := range levels {
		if len(tables) > 0 {
			layers++
		}
	}
	return layers
}

// TestSeekCompaction holds that what is read by many seeks comes to lie in one level of
// files, that few seeks and writes alone change nothing, and that no seek pays twice.
func TestSeekCompaction(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 10_500
	}
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	value := strings.Repeat("x", 400)
	write := func(ms int64) {
		rows := make([]storage.RowMutation, n)
		for i := range rows {
			rows[i] = storage.RowMutation{Key: fmt.Appendf(nil, "%08d", i), Mutations: []storage.Mutation{set("f", "a", ms, value)}}
		}
		if err := tb.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
			t.Fatal(err)
		}
	}
	var spans []storage.Span
	for i := 0; i < n; i += 4 {
		spans = append(spans, storage.Span{Start: fmt.Appendf(nil, "%08d", i), End: fmt.Appendf(nil, "%08d", i+1)})
	}
	state := (*s.dir.Load())["t"]
	seek := func(seeks int) {
		for read := true; seeks > 0; seeks -= len(spans) {
			if !read {
				s.sought(nil, state, int64(len(spans)), 0)
				continue
			}
			read = !testing.Short() // then it is counted only
			sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: spans})
			if err != nil {
				t.Fatal(err)
			}
			var b storage.RowBatch
			rows := 0
			for err = sc.Next(&b); err == nil; err = sc.Next(&b) {
				rows += b.Len()
			}
			if cerr := sc.Close(); err != io.EOF || cerr != nil || rows != len(spans) {
				t.Fatal(rows, err, cerr)
			}
		}
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("not ", what, " after a minute: ", s.db.Metrics().String())
			}
		}
	}
	write(1)
	seek(seeksPerLook / 2)
	if got := s.mem.unflushed(); got < leastFlush || layersOf(t, s, "t") != 0 {
		t.Fatalf("%d bytes are in memory and %d layers in files", got, layersOf(t, s, "t"))
	}
	seek(seeksPerLook)
	until("flushed", func() bool { return s.mem.unflushed() < leastFlush && layersOf(t, s, "t") == 1 })

	write(2)
	if s.mem.unflushed() < leastFlush {
		t.Fatal("writes alone were flushed")
	}
	seek(seeksPerLook + len(spans))
	until("flushed again", func() bool { return s.mem.unflushed() < leastFlush })
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	write(3)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if layersOf(t, s, "t") != 2 {
		t.Fatal(layersOf(t, s, "t"))
	}
	state.forgetSeeks()
	seek(2 * seeksPerLook)
	until("merged", func() bool { return layersOf(t, s, "t") == 1 })
	until("forgotten", func() bool { return state.seeks.Load() < seeksPerLook })
}

// TestSeeksCounted holds what counts as a seek.
func TestSeeksCounted(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	for _, key := range []string{"a", "b", "c"} {
		mustPut(t, tb, storage.WriteOptions{}, key, set("f", "a", 1, "x"))
	}
	state := (*s.dir.Load())["t"]
	var b storage.RowBatch
	if _, err := tb.MultiGet(ctx, [][]byte{[]byte("b")}, nil, &b); err != nil || state.seeks.Load() != 0 {
		t.Fatal("one key, found by a Bloom filter: ", state.seeks.Load(), err)
	}
	if _, err := tb.MultiGet(ctx, [][]byte{[]byte("a"), []byte("c")}, nil, &b); err != nil || state.seeks.Load() != 2 {
		t.Fatal("two keys: ", state.seeks.Load(), err)
	}
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Next(&b); err != nil || b.Len() != 3 {
		t.Fatal(b.Len(), err)
	}
	if err := sc.Close(); err != nil || state.seeks.Load() != 3 {
		t.Fatal("a scan of one span: ", state.seeks.Load(), err)
	}
}

// TestCompact holds that a table comes to lie in one level of files with the rows that it had,
// from memory and from several levels, and that nothing is written where there is nothing to
// merge.
func TestCompact(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	write := func(ms int64) {
		t.Helper()
		for _, key := range []string{"a", "b", "c"} {
			mustPut(t, tb, storage.WriteOptions{}, key, set("f", "a", ms, fmt.Sprint(ms)))
		}
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	write(2)
	if n := layersOf(t, s, "t"); n != 2 {
		t.Fatal(n, " layers")
	}
	mustPut(t, tb, storage.WriteOptions{}, "b", storage.Mutation{Op: storage.DeleteRow})
	if err := s.Compact(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if n := layersOf(t, s, "t"); n != 1 || s.mem.unflushed() != 0 {
		t.Fatalf("%d layers, %d bytes in memory", n, s.mem.unflushed())
	}
	var b storage.RowBatch
	if _, err := tb.MultiGet(ctx, [][]byte{[]byte("a"), []byte("b"), []byte("c")}, nil, &b); err != nil || b.Len() != 2 {
		t.Fatal(b.Len(), err)
	}
	was := s.db.Metrics()
	err := s.Compact(ctx, "t")
	if is := s.db.Metrics(); err != nil || is.Compact.Count != was.Compact.Count || is.Flush.Count != was.Flush.Count {
		t.Fatalf("%d merges, %d flushes: %v", is.Compact.Count-was.Compact.Count, is.Flush.Count-was.Flush.Count, err)
	}
	if err := s.Compact(ctx, "none"); storage.CodeOf(err) != storage.CodeNotFound {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Compact(ended, "t"); storage.CodeOf(err) != storage.CodeCanceled {
		t.Fatal(err)
	}
}
