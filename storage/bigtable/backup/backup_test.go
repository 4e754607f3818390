package backup_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/bigtable/backup"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

const cluster = "c1"

func open(t *testing.T, addr, instance string) *bigtable.Store {
	t.Helper()
	s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: instance, Emulator: addr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fill makes tables with rows, and gives the names of all but the last, "root".
func fill(t *testing.T, s storage.Store) (names []string) {
	t.Helper()
	for i, name := range []string{"a", "b", "c", "empty", "root"} {
		err := s.Admin().CreateTable(t.Context(), storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0", MaxVersions: 1}, {Name: "f", TTL: time.Hour * 24}}})
		if err != nil {
			t.Fatal(err)
		}
		var rows []storage.RowMutation
		for k := range []int{300, 1, 40, 0, 3}[i] {
			rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "%s-%04d", name, k), Mutations: []storage.Mutation{
				{Op: storage.SetCell, Family: "0", Qualifier: []byte{0, byte(k)}, Timestamp: int64(1000 * (k + 1)), Value: fmt.Appendf(nil, "value %d", k)},
				{Op: storage.SetCell, Family: "f", Qualifier: nil, Timestamp: time.Now().UnixMilli() * 1000, Value: nil},
			}})
		}
		if len(rows) > 0 {
			if err := s.Table(name).Mutate(t.Context(), rows, storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	return names[:len(names)-1]
}

// dump writes a store's tables and rows down.
func dump(t *testing.T, s storage.Store) string {
	t.Helper()
	specs, err := s.Admin().Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(specs, func(a, b storage.TableSpec) int { return strings.Compare(a.Name, b.Name) })
	var out strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&out, "%s %v\n", spec.Name, spec.Families)
		scan, err := s.Table(spec.Name).Scan(t.Context(), &storage.ScanRequest{Spans: []storage.Span{{}}})
		if err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		for {
			err := scan.Next(&b)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Len() {
				fmt.Fprintf(&out, "  %q", b.Key(i))
				cells := make([]string, b.NumCells(i)) // whose families come in no order
				for j := range cells {
					c := b.Cell(i, j)
					cells[j] = fmt.Sprintf(" %s:%q@%d=%q", c.Family, c.Qualifier, c.Timestamp, c.Value)
				}
				slices.Sort(cells)
				fmt.Fprintln(&out, strings.Join(cells, ""))
			}
		}
		if err := scan.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func quiet(int, int) {}

func mustMake(t *testing.T, s *bigtable.Store, tables []string) *backup.Set {
	t.Helper()
	set, err := backup.Make(t.Context(), s, cluster, tables, "root", time.Now().Add(24*time.Hour), quiet)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestRestore: a set has all tables; what is restored of it is what was there, whatever has
// become of the source since; and nothing that is there is written over.
func TestRestore(t *testing.T) {
	addr, _ := emulator.StartWithBackups(t)
	s := open(t, addr, "i")
	tables := fill(t, s)
	want := dump(t, s)
	var told []int
	set, err := backup.Make(t.Context(), s, cluster, tables, "root", time.Now().Add(24*time.Hour), func(done, of int) {
		if of != len(tables)+1 {
			t.Errorf("told of %d tables", of)
		}
		told = append(told, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !set.Whole() || len(told) != len(tables)+1 || told[len(told)-1] != len(tables)+1 {
		t.Fatalf("a set that is not whole, told of as %v: %+v", told, set)
	}
	if err := s.Admin().DropTable(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	to := open(t, addr, "other")
	mends := 0
	if err := backup.Restore(t.Context(), to, "i", cluster, set, func() error { mends++; return nil }, quiet); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, to); got != want || mends != 1 {
		t.Errorf("restored, and mended %d times:\n%s\nthere were:\n%s", mends, got, want)
	}
	for _, at := range []*bigtable.Store{to, s} {
		before := dump(t, at)
		err := backup.Restore(t.Context(), at, "i", cluster, set, func() error { return nil }, quiet)
		if err == nil || !strings.Contains(err.Error(), "already") || dump(t, at) != before {
			t.Errorf("restored over tables: %v", err)
		}
	}
}

// TestFailures fails each request about backups, before and after the service has done it: making
// leaves nothing, restoring goes on when it is run again.
func TestFailures(t *testing.T) {
	for n := 0; ; n++ {
		addr, service := emulator.StartWithBackups(t)
		s := open(t, addr, "i")
		tables := fill(t, s)
		want := dump(t, s)
		var at atomic.Int64
		failing := func(from string) {
			at.Store(int64(n))
			service.Fail = func(method string, _ bool) error {
				if method != from {
					return nil
				}
				if at.Add(-1) == -1 {
					return status.Error(codes.Unavailable, "made to fail")
				}
				return nil
			}
		}
		failing("CreateBackup")
		set, err := backup.Make(t.Context(), s, cluster, tables, "root", time.Now().Add(24*time.Hour), quiet)
		failedMake := at.Load() < 0
		service.Fail = nil
		if failedMake != (err != nil) {
			t.Fatalf("call %d: a failure was not told: %v", n, err)
		}
		if err != nil {
			sets, err := backup.List(t.Context(), s, cluster)
			if err != nil || len(sets) > 0 {
				t.Fatalf("call %d: left behind: %+v, %v", n, sets, err)
			}
			set = mustMake(t, s, tables)
		}
		to := open(t, addr, "other")
		mends := 0
		restore := func() error {
			return backup.Restore(t.Context(), to, "i", cluster, set, func() error { mends++; return nil }, quiet)
		}
		failing("RestoreTable")
		err = restore()
		failedRestore := at.Load() < 0
		service.Fail = nil
		if failedRestore != (err != nil) {
			t.Fatalf("call %d: a failure was not told: %v", n, err)
		}
		if err != nil {
			if err = restore(); err != nil {
				t.Fatalf("call %d: it does not go on: %v", n, err)
			}
		}
		if got := dump(t, to); got != want || mends != 1 {
			t.Fatalf("call %d: mended %d times, restored:\n%s\nthere were:\n%s", n, mends, got, want)
		}
		if !failedMake && !failedRestore {
			if n < 2*(len(tables)+1) {
				t.Errorf("%d calls failed", n)
			}
			return
		}
	}
}

// TestMendFails: what comes after the tables is done again too.
func TestMendFails(t *testing.T) {
	addr, _ := emulator.StartWithBackups(t)
	s := open(t, addr, "i")
	set := mustMake(t, s, fill(t, s))
	to := open(t, addr, "other")
	calls := 0
	mend := func() error {
		if calls++; calls == 1 {
			return fmt.Errorf("not now")
		}
		return nil
	}
	if err := backup.Restore(t.Context(), to, "i", cluster, set, mend, quiet); err == nil {
		t.Fatal("a failure was not told")
	}
	if err := backup.Restore(t.Context(), to, "i", cluster, set, mend, quiet); err != nil || calls != 2 {
		t.Fatalf("%v after %d calls", err, calls)
	}
	if dump(t, to) != dump(t, s) {
		t.Error("not the same")
	}
}

// TestPrune keeps the newest sets that are whole, and those that may be on their way.
func TestPrune(t *testing.T) {
	addr, _ := emulator.StartWithBackups(t)
	s := open(t, addr, "i")
	fill(t, s)
	put := func(id string) {
		t.Helper()
		if err := s.CreateBackup(t.Context(), "a", cluster, id, time.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(name string) { put(name + "-0001"); put(name + "-of-1") }
	put("nobody")
	whole("saltsql-20260101t000000")
	put("saltsql-20260102t000000-0001") // killed
	whole("saltsql-20260103t000000")
	put("saltsql-20260103t120000-of-1") // one table is gone
	whole("saltsql-20260104t000000")
	put("saltsql-20260105t000000-0001") // on its way
	if set, err := backup.Find(t.Context(), s, cluster, ""); err != nil || set.Name != "saltsql-20260104t000000" {
		t.Errorf("the newest is %+v, %v", set, err)
	}
	for _, name := range []string{"saltsql-20260105t000000", "saltsql-20260103t120000", "saltsql-20260106t000000"} {
		if set, err := backup.Find(t.Context(), s, cluster, name); err == nil {
			t.Errorf("%s is found: %+v", name, set)
		}
	}
	removed, err := backup.Prune(t.Context(), s, cluster, 2)
	if err != nil || removed != 2+1 {
		t.Errorf("%d removed, %v", removed, err)
	}
	sets, err := backup.List(t.Context(), s, cluster)
	var names []string
	for _, at := range sets {
		names = append(names, at.Name)
	}
	if want := []string{"saltsql-20260103t000000", "saltsql-20260104t000000", "saltsql-20260105t000000"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("left are %v, %v", names, err)
	}
	all, err := s.Backups(t.Context(), cluster)
	if err != nil || !slices.ContainsFunc(all, func(b bigtable.Backup) bool { return b.ID == "nobody" }) {
		t.Errorf("another's backup is gone: %v", err)
	}
}
