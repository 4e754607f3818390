package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

func wholeRow(key []byte, value string) storage.RowMutation {
	return storage.RowMutation{Key: key, Mutations: []storage.Mutation{{Op: storage.DeleteRow}, set("f", "q", 1, value)}}
}

// TestLoad compares loads of several sizes and orders with a map.
func TestLoad(t *testing.T) {
	seed := seeds.First(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	ctx := context.Background()
	wide := string(make([]byte, 3000))
	for _, tt := range []struct {
		name  string
		n     int
		value string
		key   func(i int) []byte
	}{
		{"one batch, in order", 2000, "v", func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }},
		{"one batch, at random", 2000, "v", func(int) []byte { return fmt.Appendf(nil, "%d", rnd.IntN(1500)) }},
		{"tables, in order", 9000, wide, func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }},
		{"tables, in order by bucket", 30000, wide, func(i int) []byte { return binary.BigEndian.AppendUint32([]byte{byte(i % 3)}, uint32(i)) }},
		{"one run, at random", 30000, wide, func(int) []byte { return fmt.Appendf(nil, "%d", rnd.IntN(40000)) }},
		{"tables that overlap", 50000, wide, func(int) []byte { return fmt.Appendf(nil, "%d", rnd.IntN(40000)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.n > 10000 {
				t.Skip("writes 150 MB")
			}
			dir := t.TempDir()
			s, err := Open(dir, testOptions(nil))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { s.Close() }()
			tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
			want := map[string]string{"old": "before"}
			mustPut(t, tb, storage.WriteOptions{}, "old", set("f", "q", 1, "before"))
			mustPut(t, tb, storage.WriteOptions{}, "7", set("f", "gone", 1, "x"))
			want["7"] = ""
			l, err := s.Load(ctx, "t", false)
			if err != nil {
				t.Fatal(err)
			}
			var part []storage.RowMutation
			for i := range tt.n {
				k, v := tt.key(i), fmt.Sprintf("%s%d", tt.value, i)
				want[string(k)] = v
				if part = append(part, wholeRow(k, v)); len(part) == 500 || i == tt.n-1 {
					if err := l.Add(ctx, part); err != nil {
						t.Fatal(err)
					}
					part = part[:0]
				}
			}
			if got := get(t, tb, "old", nil); got != "f:q@1=before" {
				t.Fatalf("before commit: %s", got)
			}
			if err := s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			checkAll(t, s.Table("t"), want)
			if files, _ := os.ReadDir(filepath.Join(dir, "loads")); len(files) > 0 {
				t.Errorf("%d files left", len(files))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(dir, testOptions(nil)); err != nil {
				t.Fatal(err)
			}
			checkAll(t, s.Table("t"), want)
		})
	}
}

// TestLoadTogether has goroutines add rows to one load at once, some larger than what is packed at
// a time and enough for several runs.
func TestLoadTogether(t *testing.T) {
	ctx := context.Background()
	s, err := Open(t.TempDir(), testOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	l, err := s.Load(ctx, "t", true)
	if err != nil {
		t.Fatal(err)
	}
	const adders = 4
	rowsOf := 2000
	if testing.Short() {
		rowsOf = 300
	}
	want := map[string]string{}
	wide := strings.Repeat("w", 40_000)
	var adding [adders][]storage.RowMutation
	for g := range adding {
		for i := range rowsOf {
			key, value := fmt.Sprintf("%d of %d", i*7919%rowsOf, g), wide[:i%50*800]+strconv.Itoa(i)
			if i%1000 == 77 {
				value += strings.Repeat("w", 3<<20)
			}
			want[key] = value
			adding[g] = append(adding[g], wholeRow([]byte(key), value))
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, adders)
	for g, rows := range adding {
		wg.Go(func() {
			for part := range slices.Chunk(rows, 90+g) {
				errs[g] = errors.Join(errs[g], l.Add(ctx, part))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}))...); err != nil {
		t.Fatal(err)
	}
	checkAll(t, tb, want)
}

func checkAll(t *testing.T, tb storage.Table, want map[string]string) {
	t.Helper()
	sc, err := tb.Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var rb storage.RowBatch
	n := 0
	for sc.Next(&rb) == nil {
		for i := range rb.Len() {
			n++
			w, ok := want[string(rb.Key(i))]
			if got, has := rb.Value(i, "f", []byte("q")); !ok || string(got) != w || has != (w != "") {
				t.Fatalf("%q: got %.20q, want %.20q", rb.Key(i), got, w)
			}
		}
	}
	if n != len(want) {
		t.Fatalf("%d rows, want %d", n, len(want))
	}
}

// TestLoadUnique finds keys that come twice, in one run and in two.
func TestLoadUnique(t *testing.T) {
	ctx := context.Background()
	for _, between := range []int{0, 40} {
		s, err := Open(t.TempDir(), testOptions(nil))
		if err != nil {
			t.Fatal(err)
		}
		tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
		l, err := s.Load(ctx, "t", true)
		if err != nil {
			t.Fatal(err)
		}
		add := func(key, value string) {
			if err := l.Add(ctx, []storage.RowMutation{wholeRow([]byte(key), value)}); err != nil {
				t.Fatal(err)
			}
		}
		add("m", "1")
		if has, known := l.Has([]byte("m")); !has || !known {
			t.Error("has m: no")
		}
		for i := range between {
			add(fmt.Sprintf("%03d", i), string(make([]byte, 2<<20)))
		}
		if has, known := l.Has([]byte("n")); has || known != (between == 0) {
			t.Errorf("has n: %v, %v", has, known)
		}
		add("m", "2")
		var dup *storage.DuplicateRowError
		if err := s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}); !errors.As(err, &dup) || string(dup.Key) != "m" {
			t.Fatalf("commit: %v", err)
		}
		checkAll(t, tb, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLoadDropped leaves nothing of a load that is not committed, whose table is
// dropped, or whose store is closed.
func TestLoadDropped(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s, err := Open(dir, testOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	begin := func() storage.Load {
		l, err := s.Load(ctx, "t", false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			if err := l.Add(ctx, []storage.RowMutation{wholeRow([]byte{byte(i)}, string(make([]byte, 2<<20)))}); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	l := begin()
	if err := l.Add(ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{set("f", "q", 1, "x")}}}); storage.CodeOf(err) != storage.CodeInvalidArgument {
		t.Errorf("part of a row: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checkAll(t, tb, nil)
	l = begin()
	if err := s.Admin().DropTable(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if err := s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeNotFound {
		t.Errorf("dropped table: %v", err)
	}
	mustCreate(t, s, storage.FamilySpec{Name: "f"})
	l = begin()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(ctx, nil); storage.CodeOf(err) != storage.CodeClosed {
		t.Errorf("closed store: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "loads")); len(files) > 0 {
		t.Errorf("%d files left", len(files))
	}
}

// handleFS counts the tables of loads that are open to be read.
type handleFS struct {
	vfs.FS
	now, most atomic.Int64
}

func (f *handleFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil || !strings.Contains(name, "loads") {
		return file, err
	}
	n := f.now.Add(1)
	for was := f.most.Load(); n > was && !f.most.CompareAndSwap(was, n); was = f.most.Load() {
	}
	return &handleFile{file, f}, nil
}

type handleFile struct {
	vfs.File
	fs *handleFS
}

func (f *handleFile) Close() error {
	f.fs.now.Add(-1)
	return f.File.Close()
}

// TestLoadHandles loads many runs that all overlap. The tables that are open at
// once are bounded, and of rows of one key the last one given is kept.
func TestLoadHandles(t *testing.T) {
	for _, processors := range []int{1, 7} {
		t.Run(strconv.Itoa(processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			loadRuns(t, processors)
		})
	}
}

func loadRuns(t *testing.T, processors int) {
	ctx := context.Background()
	fs := &handleFS{FS: vfs.NewMem()}
	s := openTest(t, testOptions(fs))
	tab := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	l, err := s.Load(ctx, "t", false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const runs = mergeFan*mergeFan + 5
	want := map[string]string{}
	rng := rand.New(rand.NewPCG(1, 2))
	for run := range runs {
		var rows []storage.RowMutation
		for range 6 {
			key, value := fmt.Sprintf("%03d", rng.IntN(300)), strconv.Itoa(run)
			want[key] = value
			rows = append(rows, wholeRow([]byte(key), value))
		}
		if err := l.Add(ctx, rows); err != nil {
			t.Fatal(err)
		}
		ld := l.(*load)
		ld.mu.Lock()
		err := ld.spill()
		ld.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if most := fs.most.Load(); most > int64(mergeFan*processors) {
		t.Errorf("%d tables of %d runs were open at once", most, runs)
	}
	if n := fs.now.Load(); n != 0 {
		t.Errorf("%d tables are still open", n)
	}
	for key, value := range want {
		if got := get(t, tab, key, nil); !strings.HasSuffix(got, "="+value) {
			t.Fatalf("%s: %s, not %s", key, got, value)
		}
	}
}
