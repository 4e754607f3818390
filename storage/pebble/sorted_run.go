package pebble

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/sortedrun"
)

// tableRun are the files that hold all rows of a table. As long as nobody writes it, its rows
// are read from them below Pebble's iterator:
//
//	writes of the table  ── 7 ended ── flush begins ── ends ── files listed ───── 8 begins
//	views that it is for        ├──────────────────────────────────────────────────┤
//
// A table's writes are counted as they begin and as they end. Where all have ended before
// a flush began, no memtable holds a row of the table, and if the files that do are a sorted
// run, there is nothing else to read: by views that were opened after the last write had ended,
// until the next one begins.
type tableRun struct {
	*sortedrun.Run
	writes uint64 // of the table, that it holds
	since  uint64 // writes of the store that had ended in the first view that it is for
	used   atomic.Int64
}

// sortedRuns are the runs that a store keeps open.
type sortedRuns struct {
	folder *sortedrun.Folder // nil where there are none
	most   int               // files open for all of them
	clock  atomic.Int64

	mu     sync.Mutex
	tables []*tableState // that have one
}

const (
	// maxRunFiles is how many files a store keeps open for runs.
	maxRunFiles = 256
	// idleAfter is after how many uses of others a run may be closed for another's sake: to open
	// one costs as much as some hundred seeks.
	idleAfter = 1 << 16
	// leastRunSeeks is after how many seeks, or as much reading, a table's run is opened.
	leastRunSeeks = 256
	// rowsPerSeek is how many rows have to be read by Pebble's iterator until that has cost
	// as much more than by a run as a seek does in one layer.
	rowsPerSeek = 4
)

// open is called once the database is.
func (rs *sortedRuns) open(dir string, o *pebble.Options) {
	// Elsewhere a file that is open cannot be deleted.
	if runtime.GOOS != "windows" && !o.ReadOnly {
		rs.folder, rs.most = sortedrun.NewFolder(dir, o), maxRunFiles
	}
}

func (rs *sortedRuns) close() error {
	if rs.folder == nil {
		return nil
	}
	var err error
	for len(rs.tables) > 0 {
		err = errors.Join(err, rs.drop(rs.tables[0]))
	}
	rs.folder.Close()
	return err
}

// hold gives a table's run where it shows what v holds, or, where v is nil, what is written
// now. It is released by who gets it.
func (rs *sortedRuns) hold(t *tableState, v *view) *tableRun {
	r := t.run.Load()
	if r == nil || r.writes != t.begun.Load() || v != nil && v.at < r.since || !r.Hold() {
		return nil
	}
	r.used.Store(rs.clock.Add(1))
	return r
}

// drop closes a table's run, if it has one, once nobody reads it.
func (rs *sortedRuns) drop(t *tableState) error {
	rs.mu.Lock()
	r := t.run.Swap(nil)
	if i := slices.Index(rs.tables, t); i >= 0 {
		rs.tables = slices.Delete(rs.tables, i, i+1)
	}
	rs.mu.Unlock()
	if r == nil {
		return nil
	}
	return r.Release()
}

// add gives a table its run. Others that have not been used for long are closed where there are
// too many files; false where that is not enough.
func (rs *sortedRuns) add(t *tableState, r *tableRun) (bool, error) {
	for {
		rs.mu.Lock()
		files, oldest, used := r.Files(), (*tableState)(nil), rs.clock.Load()-idleAfter
		for _, o := range rs.tables {
			run := o.run.Load()
			files += run.Files()
			if n := run.used.Load(); n <= used {
				oldest, used = o, n
			}
		}
		has := t.run.Load() != nil // another has opened it meanwhile
		if !has && files <= rs.most {
			break
		}
		rs.mu.Unlock()
		if has || oldest == nil {
			return has, r.Release()
		}
		if err := rs.drop(oldest); err != nil {
			return false, errors.Join(err, r.Release())
		}
	}
	defer rs.mu.Unlock()
	r.used.Store(rs.clock.Add(1))
	t.run.Store(r)
	rs.tables = append(rs.tables, t)
	return true, nil
}

// Runs says how many tables are read from their files directly, since nobody writes them, and
// how many files are open for them.
func (s *Store) Runs() (tables, files int) {
	s.runs.mu.Lock()
	defer s.runs.mu.Unlock()
	for _, t := range s.runs.tables {
		files += t.run.Load().Files()
	}
	return len(s.runs.tables), files
}

// beginWrite is called before Pebble is given a write of some tables, and endWrite when it has
// shown or refused it.
func (s *Store) beginWrite(tables []*tableState) (merges uint64) {
	s.views.begin()
	for _, t := range tables {
		t.begun.Add(1)
		if t.run.Load() != nil {
			_ = s.runs.drop(t) // nothing that was read from it depends on it
		}
	}
	return s.unpublished.begin() // last: readers wait for it from here on
}

func (s *Store) endWrite(tables []*tableState, merges uint64) {
	s.unpublished.end(merges)
	s.views.end()
	for _, t := range tables {
		t.ended.Add(1)
	}
}

// quietTables gives the tables of which no write is under way, and how many writes they had.
func (s *Store) quietTables() map[*tableState]uint64 {
	tables := map[*tableState]uint64{}
	for _, t := range *s.dir.Load() {
		if n := t.ended.Load(); n == t.begun.Load() {
			tables[t] = n
		}
	}
	return tables
}

// inFilesUpTo notes that of the table's first writes no memtable holds a row any more.
func (t *tableState) inFilesUpTo(writes uint64) {
	for n := t.flushed.Load(); n < writes && !t.flushed.CompareAndSwap(n, writes); n = t.flushed.Load() {
	}
}

// inFiles says that no memtable holds a row of the table, and after how many writes of it.
func (t *tableState) inFiles() (writes uint64, ok bool) {
	writes = t.ended.Load()
	return writes, writes == t.begun.Load() && writes == t.flushed.Load()
}

// wantsRun says that a run of the table can be opened, as far as is known.
func (s *Store) wantsRun(t *tableState) bool {
	if s.runs.folder == nil || t.run.Load() != nil || t.refused.Load() == s.views.layout.Load()+1 {
		return false
	}
	_, ok := t.inFiles()
	return ok
}

// openRun opens the run of a table whose rows are in files, if they are one.
func (s *Store) openRun(t *tableState) error {
	writes, ok := t.inFiles()
	if !ok || t.run.Load() != nil {
		return nil
	}
	since, layout := s.views.ended.Load(), s.views.layout.Load()
	lo, hi := t.bounds(nil, nil, storage.Span{})
	levels, err := s.db.SSTables(pebble.WithKeyRangeFilter(lo, hi))
	if err != nil {
		return err
	}
	run, err := s.runs.folder.Open(levels, lo, hi, s.runs.most)
	if err != nil {
		t.refused.Store(layout + 1)
		if errors.Is(err, sortedrun.ErrNotSorted) || errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			return nil
		}
		return err
	}
	added, err := s.runs.add(t, &tableRun{Run: run, writes: writes, since: since})
	if !added {
		t.refused.Store(layout + 1)
	}
	if t.begun.Load() != writes { // it may not have been seen by the write
		err = errors.Join(err, s.runs.drop(t))
	}
	return err
}

// replaceRuns opens the runs anew whose files others have replaced.
func (s *Store) replaceRuns() error {
	s.runs.mu.Lock()
	tables := slices.Clone(s.runs.tables)
	s.runs.mu.Unlock()
	if len(tables) == 0 {
		return nil
	}
	levels, err := s.db.SSTables()
	if err != nil {
		return err
	}
	live := sortedrun.Numbers(levels)
	for _, t := range tables {
		if r := t.run.Load(); r != nil && !r.In(live) {
			err = errors.Join(err, s.runs.drop(t), s.openRun(t))
		}
	}
	return err
}
