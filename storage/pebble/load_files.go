package pebble

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

const (
	// loadTableBytes is from when on a table is ended.
	loadTableBytes = 32 << 20
	// loadBinBytes is the least size of a table that ends with its bin. A run of
	// a salted table then makes a table per bucket, and where buckets are filled
	// in order those of all runs are disjoint.
	loadBinBytes = 1 << 20
	bottomLevel  = 6
)

// loadTable is a sorted table in the folder of loads.
type loadTable struct {
	path   string
	lo, hi []byte // first and last key
	seq    int    // later runs have greater ones
}

// loadFiles are the files of one load.
type loadFiles struct {
	s      *Store
	prefix string // of file names

	mu    sync.Mutex
	count int
	runs  int
	paths []string // of all files made
	made  []loadTable
}

// take appends the tables made since it was last called.
func (f *loadFiles) take(dst []loadTable) []loadTable {
	f.mu.Lock()
	defer f.mu.Unlock()
	dst = append(dst, f.made...)
	f.made = nil
	return dst
}

// remove deletes what is left of the files: those that were ingested are gone.
func (f *loadFiles) remove() {
	for _, p := range f.paths {
		_ = f.s.loadFS.Remove(p)
	}
	f.paths = nil
}

func (f *loadFiles) create() (vfs.File, string, error) {
	fs := f.s.loadFS
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		if err := fs.MkdirAll(f.s.loadDir, folderPerm); err != nil {
			return nil, "", err
		}
	}
	f.count++
	path := fs.PathJoin(f.s.loadDir, fmt.Sprintf("%s%d.sst", f.prefix, f.count))
	file, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		f.paths = append(f.paths, path)
	}
	return file, path, err
}

// tableOut writes rows in key order into one table after another.
type tableOut struct {
	f    *loadFiles
	seq  int
	made []loadTable
	w    *sstable.Writer
	path string
	lo   []byte
	last []byte
	size int
}

func (o *tableOut) put(key, packed []byte) error {
	if o.size >= loadTableBytes {
		if err := o.cut(); err != nil {
			return err
		}
	}
	if o.w == nil {
		file, path, err := o.f.create()
		if err != nil {
			return err
		}
		wo := o.f.s.tuning.MakeWriterOptions(bottomLevel, o.f.s.db.TableFormat())
		o.w, o.path = sstable.NewWriter(objstorageprovider.NewFileWritable(file), wo), path
		o.lo = bytes.Clone(key)
	}
	o.last = append(o.last[:0], key...)
	o.size += len(key) + len(packed)
	return o.w.Set(key, packed)
}

// cut ends the table; its file is synced.
func (o *tableOut) cut() error {
	if o.w == nil {
		return nil
	}
	err := o.w.Close()
	o.w, o.size = nil, 0
	if err != nil {
		return err
	}
	o.made = append(o.made, loadTable{o.path, o.lo, bytes.Clone(o.last), o.seq})
	return nil
}

// finish ends the last table of a run, or of a part of one.
func (o *tableOut) finish() error {
	if err := o.cut(); err != nil {
		return err
	}
	o.f.mu.Lock()
	defer o.f.mu.Unlock()
	o.f.made = append(o.f.made, o.made...)
	return nil
}

// drop ends the table after an error.
func (o *tableOut) drop() {
	if o.w != nil {
		_ = o.w.Close()
		o.w = nil
	}
}

// writeRun sorts a run and writes its tables.
func (f *loadFiles) writeRun(r *loadRun, twice func(key []byte) error) error {
	f.runs++
	o := &tableOut{f: f, seq: f.runs}
	defer o.drop()
	for i := range r.bins {
		r.sortBin(&r.bins[i], 1)
		if err := r.eachOf(&r.bins[i], twice, o.put); err != nil {
			return err
		}
		if o.size >= loadBinBytes {
			if err := o.cut(); err != nil {
				return err
			}
		}
	}
	return o.finish()
}

// writeParts is writeRun with a goroutine for each processor.
func (f *loadFiles) writeParts(ctx context.Context, r *loadRun, twice func(key []byte) error) error {
	f.runs++
	n := runtime.GOMAXPROCS(0)
	// A bin by all of them if it is most of the rows, else one by each.
	var small []*loadBin
	for i := range r.bins {
		if b := &r.bins[i]; len(b.rows) > r.rows/n {
			r.sortBin(b, n)
		} else if b.unsorted {
			small = append(small, b)
		}
	}
	if err := inParallel(n, len(small), func(i int) error { r.sortBin(small[i], 1); return nil }); err != nil {
		return err
	}
	parts := r.parts(n)
	seq := f.runs
	return inParallel(n, len(parts), func(i int) error {
		o, n := &tableOut{f: f, seq: seq}, 0
		defer o.drop()
		put := func(key, packed []byte) error {
			if n++; n%loadCheckRows == 0 {
				if err := ctx.Err(); err != nil {
					return storage.CtxError(storage.OpLoad, "", err)
				}
			}
			return o.put(key, packed)
		}
		for _, b := range parts[i] {
			if err := r.eachOf(&b, twice, put); err != nil {
				return err
			}
			if o.size >= loadBinBytes {
				if err := o.cut(); err != nil {
					return err
				}
			}
		}
		return o.finish()
	})
}

// parts cuts a sorted run into about n pieces, never between rows of one key.
func (r *loadRun) parts(n int) [][]loadBin {
	var parts [][]loadBin
	var part []loadBin
	want, left := max(r.rows/n, 1), max(r.rows/n, 1)
	for i := range r.bins {
		rows := r.bins[i].rows
		for len(rows) > 0 {
			k := min(left, len(rows))
			for k < len(rows) && r.compare(&rows[k-1], &rows[k]) == 0 {
				k++
			}
			part = append(part, loadBin{rows: rows[:k]})
			rows = rows[k:]
			if left -= k; left <= 0 {
				parts, part, left = append(parts, part), nil, want
			}
		}
	}
	if len(part) > 0 {
		parts = append(parts, part)
	}
	return parts
}

// inParallel calls do for 0 to n-1 on some goroutines and gives the first error.
func inParallel(goroutines, n int, do func(i int) error) error {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		errs = make([]error, min(goroutines, n))
	)
	for g := range errs {
		wg.Go(func() {
			errs[g] = guard.Run(func() error {
				for {
					i := int(next.Add(1)) - 1
					if i >= n {
						return nil
					}
					if err := do(i); err != nil {
						return err
					}
				}
			})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeFan is how many runs a goroutine merges at once: each has one table open.
const mergeFan = 16

// disjoint gives the paths of tables that hold all rows and do not overlap: those that
// overlap are merged, by a goroutine for each processor.
func (f *loadFiles) disjoint(ctx context.Context, tables []loadTable, twice func(key []byte) error) ([]string, error) {
	slices.SortFunc(tables, func(a, b loadTable) int { return bytes.Compare(a.lo, b.lo) })
	var groups [][]loadTable
	for len(tables) > 0 {
		n, hi := 1, tables[0].hi
		for n < len(tables) && bytes.Compare(tables[n].lo, hi) <= 0 {
			if bytes.Compare(tables[n].hi, hi) > 0 {
				hi = tables[n].hi
			}
			n++
		}
		groups = append(groups, tables[:n])
		tables = tables[n:]
	}
	n := runtime.GOMAXPROCS(0)
	err := inParallel(n, len(groups), func(i int) (err error) {
		if len(groups[i]) > 1 {
			groups[i], err = f.mergeGroup(ctx, groups[i], max(n/len(groups), 1), twice)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, group := range groups {
		for i := range group {
			paths = append(paths, group[i].path)
		}
	}
	return paths, nil
}

// mergeGroup merges the runs of tables until they are one, by so many goroutines. The tables
// of a run are disjoint and in order. Only neighbours are merged: of a row's versions the
// latest run's counts.
func (f *loadFiles) mergeGroup(ctx context.Context, tables []loadTable, goroutines int, twice func(key []byte) error) ([]loadTable, error) {
	bySeq := map[int][]loadTable{}
	for _, t := range tables {
		bySeq[t.seq] = append(bySeq[t.seq], t)
	}
	var runs [][]loadTable
	for _, seq := range slices.Sorted(maps.Keys(bySeq)) {
		runs = append(runs, bySeq[seq])
	}
	for len(runs) > 1 {
		var merged [][]loadTable
		for in := range slices.Chunk(runs, mergeFan) {
			if len(in) == 1 {
				merged = append(merged, in[0])
				continue
			}
			cuts := cutKeys(in, goroutines)
			pieces := make([][]loadTable, len(cuts)-1)
			err := inParallel(goroutines, len(pieces), func(i int) (err error) {
				pieces[i], err = f.merge(ctx, in, cuts[i], cuts[i+1], twice)
				return err
			})
			if err != nil {
				return nil, err
			}
			merged = append(merged, slices.Concat(pieces...))
			for _, run := range in {
				for i := range run {
					_ = f.s.loadFS.Remove(run[i].path)
				}
			}
		}
		runs = merged
	}
	return runs[0], nil
}

// cutKeys gives keys that cut what runs hold into up to n pieces, with nil, the first and the
// last bound, around them: first keys of tables, which are of about one size.
func cutKeys(runs [][]loadTable, n int) [][]byte {
	var firsts [][]byte
	for _, run := range runs {
		for i := range run {
			firsts = append(firsts, run[i].lo)
		}
	}
	slices.SortFunc(firsts, bytes.Compare)
	firsts = slices.CompactFunc(firsts, bytes.Equal)
	cuts := [][]byte{nil}
	for i := 1; i < n; i++ {
		k := firsts[i*len(firsts)/n]
		if last := cuts[len(cuts)-1]; bytes.Compare(k, last) > 0 && bytes.Compare(k, firsts[0]) > 0 {
			cuts = append(cuts, k)
		}
	}
	return append(cuts, nil)
}
