package pebble

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

func set(family, qual string, ms int64, value string) storage.Mutation {
	return storage.Mutation{Op: storage.SetCell, Family: family, Qualifier: []byte(qual), Timestamp: ms * 1000, Value: []byte(value)}
}

func mustCreate(t testing.TB, s *Store, families ...storage.FamilySpec) storage.Table {
	t.Helper()
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: families}); err != nil {
		t.Fatal(err)
	}
	return s.Table("t")
}

func mustPut(t testing.TB, tb storage.Table, opts storage.WriteOptions, key string, muts ...storage.Mutation) {
	t.Helper()
	if err := tb.Mutate(context.Background(), []storage.RowMutation{{Key: []byte(key), Mutations: muts}}, opts); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, tb storage.Table, key string, req *storage.ScanRequest) string {
	t.Helper()
	var b storage.RowBatch
	if _, err := tb.MultiGet(context.Background(), [][]byte{[]byte(key)}, req, &b); err != nil {
		t.Fatal(err)
	}
	if b.Len() == 0 {
		return "-"
	}
	var out []string
	for j := range b.NumCells(0) {
		c := b.Cell(0, j)
		out = append(out, fmt.Sprintf("%s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp/1000, c.Value))
	}
	return strings.Join(out, " ")
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	opts := testOptions(nil)
	var tablets []storage.Tablet
	for round := range 3 {
		s, err := Open(dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			spec := storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f", MaxVersions: 2}}, Splits: [][]byte{[]byte("m")}}
			if err := s.Admin().CreateTable(context.Background(), spec); err != nil {
				t.Fatal(err)
			}
			mustPut(t, s.Table("t"), storage.WriteOptions{}, "k", set("f", "a", 1, "x"))
			if err := s.Admin().AlterTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "b"}}}); err != nil {
				t.Fatal(err)
			}
			mustPut(t, s.Table("t"), storage.WriteOptions{}, "k", set("b", "a", 1, "y"))
		}
		if got := get(t, s.Table("t"), "k", nil); got != "f:a@1=x b:a@1=y" {
			t.Fatalf("round %d: %s", round, got)
		}
		if tablets, err = s.Table("t").Tablets(context.Background(), storage.Span{}); err != nil || len(tablets) != 2 {
			t.Fatalf("%v %v", tablets, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// a dropped table's id is not used again
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().DropTable(context.Background(), "t"); err != nil {
		t.Fatal(err)
	}
	tb := mustCreate(t, s, storage.FamilySpec{Name: "z"})
	if got := get(t, tb, "k", nil); got != "-" || (*s.dir.Load())["t"].id != 2 {
		t.Fatalf("%s, id %d", got, (*s.dir.Load())["t"].id)
	}
}

func TestFolderInUse(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, testOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = Open(dir, testOptions(nil))
	var se *storage.Error
	if !errors.As(err, &se) || se.Code != storage.CodeUnavailable || !strings.Contains(se.Msg, dir) || !strings.Contains(se.Hint, dir) {
		t.Fatalf("%v", err)
	}
	if got := mustCreate(t, s, storage.FamilySpec{Name: "f"}); got == nil {
		t.Fatal("the first store broke")
	}
}

func TestForeignFolder(t *testing.T) {
	fs := vfs.NewMem()
	db, err := pebble.Open("data", &pebble.Options{FS: fs, Logger: logger{log: testOptions(nil).Logger}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Set([]byte("k"), []byte("v"), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the lock is let go
		if _, err := Open("data", testOptions(fs)); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Fatalf("%v", err)
		}
	}
	if _, err := Open("/dev/null/x", testOptions(nil)); err == nil || !strings.Contains(err.Error(), "/dev/null/x") {
		t.Fatalf("%v", err)
	}
}

func TestCorruptRow(t *testing.T) {
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	ctx := context.Background()
	if err := s.db.Set([]byte("\x00\x00\x00\x01k"), []byte("nonsense"), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	_, err := tb.MultiGet(ctx, [][]byte{[]byte("k")}, nil, &storage.RowBatch{})
	errs := []error{err, tb.Mutate(ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{set("f", "a", 1, "x")}}}, storage.WriteOptions{})}
	_, err = tb.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("k"), Then: []storage.Mutation{set("f", "a", 1, "x")}})
	errs = append(errs, err)
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	errs = append(errs, sc.Next(&storage.RowBatch{}))
	sc.Close()
	for i, err := range errs {
		if storage.CodeOf(err) != storage.CodeCorruption {
			t.Errorf("%d: %v", i, err)
		}
	}
	mustPut(t, tb, storage.WriteOptions{}, "k", storage.Mutation{Op: storage.DeleteRow}, set("f", "a", 1, "mended"))
}

func TestTTLAndSweep(t *testing.T) {
	opts := testOptions(vfs.NewMem())
	var clock atomic.Int64
	clock.Store(100_000)
	opts.Now = func() time.Time { return time.UnixMilli(clock.Load()) }
	s := openTest(t, opts)
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f", TTL: 10 * time.Second, MaxVersions: 2}, storage.FamilySpec{Name: "g"})
	mustPut(t, tb, storage.WriteOptions{}, "k", set("f", "a", 91_000, "1"), set("f", "a", 95_000, "2"), set("f", "b", 91_000, "3"), set("g", "c", 1, "4"))
	mustPut(t, tb, storage.WriteOptions{}, "l", set("f", "a", 95_000, "5"))
	stored := func() (n int) {
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{0, 0, 0, 1}, UpperBound: []byte{0, 0, 0, 2}})
		if err != nil {
			t.Fatal(err)
		}
		defer it.Close()
		for ok := it.First(); ok; ok = it.Next() {
			c := rowpack.Open(it.Value())
			for c.Next() {
				n++
			}
		}
		return n
	}
	check := func(at int64, k, l string, cells int) {
		t.Helper()
		clock.Store(at)
		two := &storage.ScanRequest{Versions: 2}
		for range 2 {
			if got := get(t, tb, "k", two); got != k {
				t.Fatalf("at %d: k is %s, want %s", at, got, k)
			}
			if got := get(t, tb, "l", two); got != l {
				t.Fatalf("at %d: l is %s, want %s", at, got, l)
			}
			if _, err := s.sweepAll(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n := stored(); n != cells {
				t.Fatalf("at %d: %d cells stored, want %d", at, n, cells)
			}
		}
	}
	check(100_000, "f:a@95000=2 f:a@91000=1 f:b@91000=3 g:c@1=4", "f:a@95000=5", 5)
	check(102_000, "f:a@95000=2 g:c@1=4", "f:a@95000=5", 3)
	clock.Store(106_000)
	for _, tt := range []struct {
		cond storage.Cond
		want bool
	}{
		{storage.Cond{Op: storage.CellPresent, Family: "f", Qualifier: []byte("a")}, false},
		{storage.Cond{Op: storage.RowPresent}, true},
	} {
		if got, err := tb.CheckAndMutate(context.Background(), &storage.CondMutation{Key: []byte("k"), Cond: tt.cond}); err != nil || got != tt.want {
			t.Fatalf("%+v: %v %v", tt.cond, got, err)
		}
	}
	check(106_000, "g:c@1=4", "-", 1)
}

func TestSweeperRuns(t *testing.T) {
	opts := testOptions(vfs.NewMem())
	opts.SweepInterval = time.Millisecond
	s := openTest(t, opts)
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f", TTL: time.Hour}, storage.FamilySpec{Name: "g"})
	mustPut(t, tb, storage.WriteOptions{}, "k", set("f", "a", time.Now().UnixMilli(), "x"), set("g", "a", 1, "y"))
	// the writer drops an expired cell at once, so lower the TTL afterwards
	if err := s.Admin().AlterTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f", TTL: time.Millisecond}}}); err != nil {
		t.Fatal(err)
	}
	for range 60_000 {
		raw, closer, err := s.db.Get([]byte("\x00\x00\x00\x01k"))
		if err != nil {
			t.Fatal(err)
		}
		l, err := rowpack.ReadLayout(raw)
		closer.Close()
		if err != nil {
			t.Fatal(err)
		}
		if l.Count == 1 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the expired cell stays")
}

// Versions are cut at read time when a family comes to keep fewer.
func TestFewerVersions(t *testing.T) {
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f", MaxVersions: 3})
	mustPut(t, tb, storage.WriteOptions{}, "k", set("f", "a", 1, "1"), set("f", "a", 2, "2"), set("f", "a", 3, "3"))
	if err := s.Admin().AlterTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f", MaxVersions: 2}}}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, tb, "k", &storage.ScanRequest{Versions: 9}); got != "f:a@3=3 f:a@2=2" {
		t.Fatal(got)
	}
}

// After a crash every acknowledged row is there, whole.
func TestCrash(t *testing.T) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	s := openTest(t, testOptions(fs))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	acked := 0
	for ; acked < 300; acked++ {
		v := fmt.Sprint(acked)
		mustPut(t, tb, storage.WriteOptions{}, fmt.Sprintf("k%04d", acked), set("f", "a", 1, v), set("f", "b", 1, v))
		if acked%3 == 0 {
			mustPut(t, tb, storage.WriteOptions{NoSync: true}, fmt.Sprintf("n%04d", acked), set("f", "a", 1, v), set("f", "b", 1, v))
		}
		if r.IntN(50) != 0 {
			continue
		}
		crashed, err := Open("data", testOptions(fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})))
		if err != nil {
			t.Fatal(err)
		}
		for i := range acked + 1 {
			if got, want := get(t, crashed.Table("t"), fmt.Sprintf("k%04d", i), nil), fmt.Sprintf("f:a@1=%d f:b@1=%d", i, i); got != want {
				t.Fatalf("row %d of %d after a crash: %s", i, acked+1, got)
			}
			if got := get(t, crashed.Table("t"), fmt.Sprintf("n%04d", i), nil); got != "-" && got != fmt.Sprintf("f:a@1=%d f:b@1=%d", i, i) {
				t.Fatalf("half a row: %s", got)
			}
		}
		if err := crashed.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Rows of a call that goes to Pebble in several batches.
func TestChunks(t *testing.T) {
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	value := strings.Repeat("v", 1<<20)
	var rows []storage.RowMutation
	for i := range 20 {
		rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "k%02d", i%10), Mutations: []storage.Mutation{set("f", fmt.Sprint(i), 1, value)}})
	}
	if err := tb.Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var b storage.RowBatch
	for i := range 10 {
		b.Reset()
		if _, err := tb.MultiGet(context.Background(), [][]byte{fmt.Appendf(nil, "k%02d", i)}, nil, &b); err != nil || b.NumCells(0) != 2 {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	// a failure in the second batch says which rows are not written
	rows = rows[:0]
	for i := range 20 {
		rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "z%02d", i), Mutations: []storage.Mutation{set("f", "q", 1, value)}})
	}
	rows[15].Mutations[0].Family = "none"
	err := tb.Mutate(context.Background(), rows, storage.WriteOptions{})
	var p *storage.PartialError
	if !errors.As(err, &p) || storage.CodeOf(err) != storage.CodeNotFound || p.Written == 0 || p.Written+len(p.Rows) != 20 || p.Rows[0].Index != p.Written {
		t.Fatalf("%v", err)
	}
	for i := range 20 {
		want := i < p.Written
		if got := get(t, tb, fmt.Sprintf("z%02d", i), &storage.ScanRequest{KeysOnly: true}) != "-"; got != want {
			t.Fatalf("row %d is there: %v", i, got)
		}
	}
}
