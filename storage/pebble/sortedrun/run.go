package sortedrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Folder opens files of a database's folder.
type Folder struct {
	fs      vfs.FS
	dir     string
	options sstable.ReaderOptions
}

// NewFolder gives the folder of a database that was opened with o, whose block cache its
// readers share: what both read is in it twice. Close it after all of its runs.
func NewFolder(dir string, o *pebble.Options) *Folder {
	f := &Folder{fs: o.FS, dir: dir, options: o.MakeReaderOptions()}
	f.options.CacheOpts.CacheHandle = o.Cache.NewHandle()
	return f
}

// Close gives back the share of the cache.
func (f *Folder) Close() { f.options.CacheOpts.CacheHandle.Close() }

// Run is a sorted run of open files. It is closed when all who hold it have released it.
type Run struct {
	files []file
	refs  atomic.Int32

	mu   sync.Mutex
	idle []*Iterator // used last at the end
}

type file struct {
	pebble.SSTableInfo
	reader *sstable.Reader
	folder *Folder
}

// ErrNotSorted says that files are no sorted run, or hold what only Pebble can read.
var ErrNotSorted = errors.New("the files are no sorted run")

// Open opens the files of levels, as pebble.DB.SSTables lists them, that overlap keys from lo
// to before hi, if they are max at most. The caller holds the run and releases it. The error is
// ErrNotSorted where they are no sorted run, and another where one cannot be opened, as when it
// has been deleted meanwhile.
func (f *Folder) Open(levels [][]pebble.SSTableInfo, lo, hi []byte, max int) (*Run, error) {
	r := &Run{}
	r.refs.Store(1)
	for _, level := range levels {
		for _, info := range level {
			if bytes.Compare(info.Largest.UserKey, lo) >= 0 && bytes.Compare(info.Smallest.UserKey, hi) < 0 {
				r.files = append(r.files, file{SSTableInfo: info, folder: f})
			}
		}
	}
	if len(r.files) > max {
		return nil, ErrNotSorted
	}
	slices.SortFunc(r.files, func(a, b file) int { return bytes.Compare(a.Smallest.UserKey, b.Smallest.UserKey) })
	for i := range r.files {
		if i > 0 && bytes.Compare(r.files[i-1].Largest.UserKey, r.files[i].Smallest.UserKey) >= 0 {
			return nil, ErrNotSorted
		}
	}
	for i := range r.files {
		if err := r.files[i].open(); err != nil {
			return nil, errors.Join(err, r.Release())
		}
	}
	return r, nil
}

func (f *file) open() error {
	if f.Virtual || f.BackingType != pebble.BackingTypeLocal {
		return ErrNotSorted
	}
	folder := f.folder
	name := folder.fs.PathJoin(folder.dir, fmt.Sprintf("%06d.sst", uint64(f.BackingSSTNum)))
	opened, err := folder.fs.Open(name)
	if err != nil {
		return err
	}
	readable, err := objstorageprovider.NewFileReadable(opened, folder.fs, objstorageprovider.NewReadaheadConfig(), name)
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	options := folder.options
	options.CacheOpts.FileNum = f.BackingSSTNum
	f.reader, err = sstable.NewReader(context.Background(), readable, options)
	if err != nil { // the reader has closed the file
		f.reader = nil
		return err
	}
	format, err := f.reader.TableFormat()
	if err != nil {
		return err
	}
	const merged = sstable.AttributeRangeDels | sstable.AttributeRangeKeySets | sstable.AttributeRangeKeyUnsets |
		sstable.AttributeRangeKeyDels | sstable.AttributeBlobValues
	if format < sstable.TableFormatPebblev4 || f.reader.Attributes&merged != 0 {
		return ErrNotSorted
	}
	return nil
}

// Files is how many files the run holds open.
func (r *Run) Files() int { return len(r.files) }

// Numbers are those of the files of levels.
func Numbers(levels [][]pebble.SSTableInfo) map[uint64]bool {
	numbers := map[uint64]bool{}
	for _, level := range levels {
		for i := range level {
			numbers[uint64(level[i].BackingSSTNum)] = true
		}
	}
	return numbers
}

// In says whether all files of the run are among those with these numbers.
func (r *Run) In(numbers map[uint64]bool) bool {
	for i := range r.files {
		if !numbers[uint64(r.files[i].BackingSSTNum)] {
			return false
		}
	}
	return true
}

// Hold keeps the run open until Release; false where nobody held it any more.
func (r *Run) Hold() bool {
	for {
		n := r.refs.Load()
		if n == 0 {
			return false
		}
		if r.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release ends the use of a run by one who held it. The last closes the files and takes
// their blocks out of the cache.
func (r *Run) Release() error {
	if r.refs.Add(-1) > 0 {
		return nil
	}
	var err error
	for _, it := range r.idle {
		err = errors.Join(err, it.close())
	}
	r.idle = nil
	for i := range r.files {
		if f := &r.files[i]; f.reader != nil {
			err = errors.Join(err, f.reader.Close())
			f.folder.options.CacheOpts.CacheHandle.EvictFile(f.BackingSSTNum)
		}
	}
	return err
}
