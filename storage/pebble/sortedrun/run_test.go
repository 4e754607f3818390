package sortedrun_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage/pebble/sortedrun"
)

// db is a database with the folder of its files.
type db struct {
	*pebble.DB
	folder *sortedrun.Folder
	fs     vfs.FS
}

func open(t *testing.T, block int) *db {
	t.Helper()
	o := &pebble.Options{Cache: pebble.NewCache(1 << 20), FS: vfs.NewMem(), FormatMajorVersion: pebble.FormatValueSeparation,
		DisableAutomaticCompactions: true, Logger: quiet{}}
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].IndexBlockSize = block, block
	}
	o.TargetFileSizes[0] = 2 << 10
	d, err := pebble.Open("db", o)
	if err != nil {
		t.Fatal(err)
	}
	o.EnsureDefaults()
	folder := sortedrun.NewFolder("db", o)
	t.Cleanup(func() {
		folder.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		o.Cache.Unref()
	})
	return &db{d, folder, o.FS}
}

type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func (d *db) run(t *testing.T, lo, hi []byte) (*sortedrun.Run, error) {
	t.Helper()
	levels, err := d.SSTables(pebble.WithKeyRangeFilter(lo, hi))
	if err != nil {
		t.Fatal(err)
	}
	return d.folder.Open(levels, lo, hi, 1000)
}

// TestRun compares runs with Pebble's iterator on databases of random writes, deletes, flushes
// and compactions, with snapshots that keep older versions in the files: all moves within
// random bounds, and moves in both directions.
func TestRun(t *testing.T) {
	const keys = 600
	compared, most, seeds := 0, 0, uint64(60)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			d := open(t, []int{64, 512, 32 << 10}[seed%3])
			key := func() []byte { return fmt.Appendf(nil, "t%03d", r.IntN(keys)) }
			var snaps []*pebble.Snapshot
			defer func() {
				for _, s := range snaps {
					s.Close()
				}
			}()
			for step := range 12 {
				for range r.IntN(800) {
					var err error
					if r.IntN(4) == 0 {
						err = d.Delete(key(), pebble.NoSync)
					} else {
						err = d.Set(key(), fmt.Appendf(nil, "%d:%0*d", step, r.IntN(60), r.IntN(1000)), pebble.NoSync)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if r.IntN(3) == 0 {
					snaps = append(snaps, d.NewSnapshot())
				}
				if err := d.Flush(); err != nil {
					t.Fatal(err)
				}
				if r.IntN(2) == 0 {
					if err := d.Compact(context.Background(), []byte("a"), []byte("z"), false); err != nil {
						t.Fatal(err)
					}
				}
				lo, hi := []byte("t"), []byte("u")
				run, err := d.run(t, lo, hi)
				if errors.Is(err, sortedrun.ErrNotSorted) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				compared++
				most = max(most, run.Files())
				compare(t, r, d, run, key)
				if err := run.Release(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if compared < 3*int(seeds) || most < 10 { // more than may be open
		t.Errorf("only %d runs were compared, of %d files at most", compared, most)
	}
}

func compare(t *testing.T, r *rand.Rand, d *db, run *sortedrun.Run, key func() []byte) {
	t.Helper()
	want, err := d.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	var got *sortedrun.Iterator
	for range 8 {
		if got == nil || r.IntN(3) == 0 {
			if got != nil {
				if err := got.PutBack(); err != nil {
					t.Fatal(err)
				}
			}
			got = run.Iterator()
		}
		lo, hi := key(), key()
		if bytes.Compare(lo, hi) > 0 {
			lo, hi = hi, lo
		}
		if r.IntN(3) == 0 {
			lo, hi = []byte("t"), []byte("u")
		}
		want.SetBounds(lo, hi)
		got.SetBounds(lo, hi)
		moves := []string{}
		valid := false
		for range 40 {
			var a, b bool
			move := r.IntN(10)
			switch {
			case move == 0:
				moves, a, b = append(moves, "First"), want.First(), got.First()
			case move == 1:
				moves, a, b = append(moves, "Last"), want.Last(), got.Last()
			case move == 2 || !valid:
				k := key()
				moves, a, b = append(moves, "SeekGE "+string(k)), want.SeekGE(k), got.SeekGE(k)
			case move < 5:
				moves, a, b = append(moves, "Prev"), want.Prev(), got.Prev()
			default:
				moves, a, b = append(moves, "Next"), want.Next(), got.Next()
			}
			if err := errors.Join(want.Error(), got.Error()); err != nil {
				t.Fatal(err)
			}
			if a != b || a && (!bytes.Equal(want.Key(), got.Key()) || !bytes.Equal(want.Value(), got.Value())) {
				t.Fatalf("from %s to %s: %v\nPebble %v %s %s\nrun    %v %s %s", lo, hi, moves, a, want.Key(), want.Value(), b, got.Key(), got.Value())
			}
			valid = a
		}
	}
	if err := got.PutBack(); err != nil {
		t.Fatal(err)
	}
}

// TestNotSorted holds what is no run: files that overlap, and those in which a range is deleted.
func TestNotSorted(t *testing.T) {
	d := open(t, 512)
	set := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			if err := d.Set([]byte(k), []byte("v"), pebble.NoSync); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, files int, want error) {
		t.Helper()
		run, err := d.run(t, []byte("a"), []byte("m"))
		if !errors.Is(err, want) || err == nil && (run.Files() != files) {
			t.Fatalf("%s: %v, %v", what, run, err)
		}
		if err == nil {
			if err := run.Release(); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("nothing", 0, nil)
	set("a", "c")
	check("one file", 1, nil)
	set("d", "f")
	check("two", 2, nil)
	set("n", "p")
	set("o")
	check("others overlap", 2, nil)
	set("b")
	check("overlapping", 0, sortedrun.ErrNotSorted)
	if err := d.Compact(context.Background(), []byte("a"), []byte("z"), false); err != nil {
		t.Fatal(err)
	}
	check("compacted", 1, nil)
	snap := d.NewSnapshot()
	defer snap.Close()
	if err := d.DeleteRange([]byte("a"), []byte("c"), pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	set("h")
	if err := d.Compact(context.Background(), []byte("a"), []byte("z"), false); err != nil {
		t.Fatal(err)
	}
	check("a range deleted", 0, sortedrun.ErrNotSorted)
}

// TestDeletedFiles holds that a run is read to its end though its files are deleted, and that
// a file which is gone is told.
func TestDeletedFiles(t *testing.T) {
	d := open(t, 512)
	for i := range 1000 {
		if err := d.Set(fmt.Appendf(nil, "a%04d", i), make([]byte, 50), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Flush(); err != nil {
		t.Fatal(err)
	}
	levels, err := d.SSTables()
	if err != nil {
		t.Fatal(err)
	}
	run, err := d.folder.Open(levels, []byte("a"), []byte("b"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.folder.Open(levels, []byte("a"), []byte("b"), run.Files()-1); !errors.Is(err, sortedrun.ErrNotSorted) {
		t.Fatalf("of more files than may be open: %v", err)
	}
	if !run.In(sortedrun.Numbers(levels)) || run.In(nil) {
		t.Fatal("the run's files are not told")
	}
	it := run.Iterator()
	it.SetBounds([]byte("a"), []byte("b"))
	ok := it.First()
	names, err := d.fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if bytes.HasSuffix([]byte(name), []byte(".sst")) {
			if err := d.fs.Remove("db/" + name); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows := 0
	for ; ok; ok = it.Next() {
		rows++
	}
	if it.Error() != nil || rows != 1000 {
		t.Fatal(rows, it.Error())
	}
	if !run.Hold() {
		t.Fatal("an open run could not be held")
	}
	if err := errors.Join(it.PutBack(), run.Release(), run.Release()); err != nil {
		t.Fatal(err)
	}
	if run.Hold() {
		t.Fatal("a closed run was held")
	}
	if _, err := d.folder.Open(levels, []byte("a"), []byte("b"), 1000); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a file that is gone: %v", err)
	}
}
