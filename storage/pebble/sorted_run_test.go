package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// runStore opens the runs of tables before each read of what is written now.
type runStore struct{ *Store }

type runTable struct{ *table }

func (s runStore) Table(name string) storage.Table { return runTable{&table{s.Store, name}} }

func (t runTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	t.openRun(ctx)
	return t.table.Scan(ctx, req)
}

func (t runTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	t.openRun(ctx)
	return t.table.MultiGet(ctx, keys, req, dst)
}

// openRun flushes what is in memory and opens the table's run, if it can have one.
func (t runTable) openRun(ctx context.Context) {
	if t.s.enter(ctx, storage.OpScan, t.name) != nil {
		return
	}
	defer t.s.exit()
	if ts := (*t.s.dir.Load())[t.name]; ts != nil && ts.run.Load() == nil && t.s.flush(ctx) == nil {
		_ = t.s.openRun(ts)
	}
}

// TestStoreByRuns is what all stores are held to, with all that can be read by runs read so.
func TestStoreByRuns(t *testing.T) {
	seeds.Sometimes(t)
	storagetest.Run(t, func(t testing.TB) storage.Store {
		return runStore{openTest(t, testOptions(vfs.NewMem()))}
	})
}

// rowsBy reads a span by a cursor in the direction asked for.
func rowsBy(t *testing.T, c cursor, of *tableState, span storage.Span, reverse bool) (rows []string) {
	t.Helper()
	if c.bound(of, span) {
		first, next := c.First, c.Next
		if reverse {
			first, next = c.Last, c.Prev
		}
		for ok := first(); ok; ok = next() {
			v, err := c.ValueAndErr()
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, fmt.Sprintf("%s %x", c.Key()[prefixLen:], v))
		}
	}
	if err := errors.Join(c.Error(), c.end()); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestRunsShowTheSame writes, loads, truncates, drops, flushes and compacts at random, with
// snapshots held meanwhile: whoever is given a run is shown by it what Pebble's iterator shows.
func TestRunsShowTheSame(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	runs, ofSnapshots, seeds := 0, 0, uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			s := openTest(t, testOptions(vfs.NewMem()))
			names := []string{"a", "b", "c"}
			for _, name := range names {
				if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
					t.Fatal(err)
				}
			}
			key := func() []byte { return fmt.Appendf(nil, "%03d", r.IntN(200)) }
			var held []storage.Snapshot
			for step := range 300 {
				name := names[r.IntN(len(names))]
				ts := (*s.dir.Load())[name]
				var err error
				switch r.IntN(20) {
				case 0, 1:
					var rows []storage.RowMutation
					for range 1 + r.IntN(40) {
						m := set("f", "q", int64(step), fmt.Sprint(r.IntN(1000)))
						if r.IntN(4) == 0 {
							m = storage.Mutation{Op: storage.DeleteRow}
						}
						rows = append(rows, storage.RowMutation{Key: key(), Mutations: []storage.Mutation{m}})
					}
					err = s.Table(name).Mutate(ctx, rows, storage.WriteOptions{NoSync: true})
				case 2:
					lo, hi := key(), key()
					if bytes.Compare(lo, hi) > 0 {
						lo, hi = hi, lo
					}
					err = s.deleteSpan(ctx, storage.OpTruncate, name, storage.Span{Start: lo, End: hi})
				case 3:
					if r.IntN(4) == 0 {
						spec := ts.desc.Load().Spec
						err = errors.Join(s.Admin().DropTable(ctx, name), s.Admin().CreateTable(ctx, spec))
						held = nil // they are closed with the store
					}
				case 4, 5:
					if err = s.Admin().Truncate(ctx, name); err == nil {
						err = loadRows(ctx, s, name, r)
					}
				case 6:
					if len(held) < 4 {
						sn, serr := s.Snapshot(ctx)
						held, err = append(held, sn), serr
					} else {
						err = held[0].Close()
						held = held[1:]
					}
				case 7, 8, 9:
					err = s.flush(ctx)
				case 10, 11:
					err = s.db.Compact(ctx, []byte{0}, []byte{0xff}, true)
				case 12:
					s.dropStale()
					err = s.replaceRuns()
				}
				for _, ts := range *s.dir.Load() {
					if s.wantsRun(ts) && r.IntN(2) == 0 {
						err = errors.Join(err, s.openRun(ts))
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				views := []*view{nil}
				for _, sn := range held {
					views = append(views, sn.(*snapshot).view)
				}
				for _, name := range names {
					ts := (*s.dir.Load())[name]
					for _, v := range views {
						span := storage.Span{}
						if r.IntN(2) == 0 {
							span.Start = key()
						}
						if r.IntN(2) == 0 {
							span.End = key()
						}
						c, err := s.cursor(ctx, v, ts)
						if err != nil {
							t.Fatal(err)
						}
						it, err := s.iterator(ctx, v, ts)
						if err != nil {
							t.Fatal(err)
						}
						_, byRun := c.(*runCursor)
						reverse := r.IntN(2) == 0
						got, want := rowsBy(t, c, ts, span, reverse), rowsBy(t, it, ts, span, reverse)
						if fmt.Sprint(got) != fmt.Sprint(want) {
							t.Fatalf("step %d, table %s, by run %v, of now %v, reverse %v\ngot  %v\nwant %v", step, name, byRun, v == nil, reverse, got, want)
						}
						if byRun {
							runs++
						}
						if byRun && v != nil {
							ofSnapshots++
						}
					}
				}
			}
		})
	}
	if runs < int(seeds)*80 || ofSnapshots < int(seeds)*8 {
		t.Errorf("%d reads were by runs, %d of snapshots", runs, ofSnapshots)
	}
}

// loadRows loads rows into a table that is empty, by files.
func loadRows(ctx context.Context, s *Store, name string, r *rand.Rand) error {
	var rows []storage.RowMutation
	for i := range 200 {
		if r.IntN(3) > 0 {
			rows = append(rows, wholeRow(fmt.Appendf(nil, "%03d", i), fmt.Sprint(r.IntN(1000))))
		}
	}
	return loadFile(ctx, s, name, rows)
}

// loadFile loads rows by a file, though they are few.
func loadFile(ctx context.Context, s *Store, name string, rows []storage.RowMutation) error {
	sl, err := s.Load(ctx, name, false)
	if err != nil {
		return err
	}
	l := sl.(*load)
	err = l.Add(ctx, rows)
	l.mu.Lock()
	err = errors.Join(err, l.writeAll(ctx))
	l.mu.Unlock()
	return errors.Join(err, s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{}), l.Close())
}

// readAllOf scans a table and says whether it was read by a run.
func readAllOf(t *testing.T, s *Store, name string, rows int) (byRun bool) {
	t.Helper()
	raw, err := s.Table(name).Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	_, byRun = raw.(*scanner).it.(*runCursor)
	var b storage.RowBatch
	n := 0
	for err = raw.Next(&b); err == nil; err = raw.Next(&b) {
		n += b.Len()
	}
	if cerr := raw.Close(); err != io.EOF || cerr != nil || n != rows {
		t.Fatal(n, err, cerr)
	}
	return byRun
}

// TestRunsOpen holds what is read by runs: a table that was loaded, after some
// reading; one that is written once its scans have paid for a flush; and none that is written.
func TestRunsOpen(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	var rows []storage.RowMutation
	const few = 40
	for i := range few + leastRunSeeks*rowsPerSeek {
		rows = append(rows, wholeRow(fmt.Appendf(nil, "%06d", i), "v"))
	}
	if err := loadFile(ctx, s, "t", rows[:few]); err != nil {
		t.Fatal(err)
	}
	state := (*s.dir.Load())["t"]
	opened := func(rows int) bool {
		t.Helper()
		for range 20 {
			if readAllOf(t, s, "t", rows) {
				return true
			}
			time.Sleep(5 * time.Millisecond)
		}
		return false
	}
	if opened(few) {
		t.Error("a small table has a run")
	}
	if err := loadFile(ctx, s, "t", rows[few:]); err != nil {
		t.Fatal(err)
	}
	if !opened(len(rows)) {
		t.Fatal("a table that was loaded has no run after it was scanned")
	}
	if m := s.db.Metrics(); m.TableIters != 0 {
		t.Errorf("%d iterators of Pebble's are open", m.TableIters)
	}
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
		t.Fatal(err)
	}
	if !opened(len(rows)) {
		t.Error("no run after a compaction")
	}
	sn, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := tb.Mutate(ctx, rows[:1], storage.WriteOptions{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	if state.run.Load() != nil || len(s.runs.tables) != 0 {
		t.Error("the run outlived a write")
	}
	if opened(len(rows)) {
		t.Error("a table that has rows in memory has a run")
	}
	for range 2 { // it is flushed where it is not written between two looks
		state.forgetSeeks()
		state.seeks.Store(2 * seeksPerLook)
		readAllOf(t, s, "t", len(rows))
		time.Sleep(20 * time.Millisecond)
	}
	for i := 0; i < 200 && s.mem.unflushed() > 0; i++ {
		time.Sleep(5 * time.Millisecond)
	}
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
		t.Fatal(err)
	}
	if !opened(len(rows)) {
		t.Error("a table whose reads have paid for a flush has no run")
	}
	if r := s.runs.hold(state, sn.(*snapshot).view); r != nil {
		t.Error("a snapshot from before a write is given the run of after it")
	}
	if err := sn.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRunsAreFew holds that no more files are open than may be, and that the runs used last stay.
func TestRunsAreFew(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, testOptions(vfs.NewMem()))
	s.runs.most = 6 // two tables of two or three
	r := rand.New(rand.NewPCG(1, 1))
	var tables [3]*tableState
	for i, name := range []string{"a", "b", "c"} {
		if err := errors.Join(
			s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}),
			loadRows(ctx, s, name, r)); err != nil {
			t.Fatal(err)
		}
		tables[i] = (*s.dir.Load())[name]
		if i == 2 {
			if err := s.openRun(tables[i]); err != nil || tables[i].run.Load() != nil || s.wantsRun(tables[i]) {
				t.Fatal("a run in use was closed for another", err)
			}
			s.runs.clock.Add(idleAfter)
			s.runs.hold(tables[0], nil).Release()
		}
		if err := s.openRun(tables[i]); err != nil || tables[i].run.Load() == nil {
			t.Fatal(err)
		}
		if held := s.runs.hold(tables[0], nil); held == nil {
			t.Fatal("the run used last was closed")
		} else if err := held.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if n, files := s.Runs(); tables[1].run.Load() != nil || n != 2 || files != tables[0].run.Load().Files()+tables[2].run.Load().Files() {
		t.Error("not the run used least was closed")
	}
	s.runs.most = 0
	if err := errors.Join(s.runs.drop(tables[0]), s.openRun(tables[0])); err != nil || tables[0].run.Load() != nil {
		t.Error("a run of more files than may be open")
	}
	if s.wantsRun(tables[0]) {
		t.Error("what was refused is tried again")
	}
}

// TestRunAfterOpening: what the log holds of a table is in files once the store is open, so that
// few seeks open a run.
func TestRunAfterOpening(t *testing.T) {
	fs := vfs.NewMem()
	s := openTest(t, testOptions(fs))
	ctx := context.Background()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := s.Table("t").Mutate(ctx, []storage.RowMutation{benchRow(i)}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, testOptions(fs))
	tb, state := s.Table("t"), (*s.dir.Load())["t"]
	var b storage.RowBatch
	for end := time.Now().Add(10 * time.Second); state.run.Load() == nil; {
		if time.Now().After(end) {
			t.Fatalf("no run after %d seeks", state.seeks.Load())
		}
		b.Reset()
		if _, err := tb.MultiGet(ctx, [][]byte{benchKey(8), benchKey(16)}, nil, &b); err != nil || b.Len() != 2 {
			t.Fatal(b.Len(), err)
		}
	}
	if n := state.seeks.Load(); n > seeksPerLook {
		t.Errorf("%d seeks", n)
	}
}
