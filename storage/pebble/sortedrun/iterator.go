package sortedrun

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
)

// Iterator goes over the rows of a run within bounds, in both directions. It is for one
// goroutine at a time. Key and Value are valid until it moves.
type Iterator struct {
	run   *Run
	files []fileIterator
	open  int              // how many of them
	at    int              // the file it stands in, or did last
	cur   sstable.Iterator // of files[at]; nil where it stands nowhere
	key   []byte
	value []byte
	err   error

	lower, upper []byte
	bounds       int // how often they were set
}

// fileIterator is one of a file, opened when it is reached.
type fileIterator struct {
	sstable.Iterator
	bounds int // which of the run's iterator it has
	// It compares the bounds that it gets with those it had, so these take turns.
	lower, upper [2][]byte
	turn         int
}

// An iterator holds a block of each file that it has open, and of its index.
const (
	// maxIdle is how many iterators wait for another reader at most.
	maxIdle = 4
	// maxOpen is how many files an iterator has open at most.
	maxOpen = 8
)

// Iterator gives one that stands nowhere: SetBounds is next. The caller holds the run until
// it has put it back.
func (r *Run) Iterator() *Iterator {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.idle); n > 0 {
		it := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return it
	}
	return &Iterator{run: r, files: make([]fileIterator, len(r.files))}
}

// PutBack ends the use of an iterator.
func (it *Iterator) PutBack() error {
	err := it.err
	it.cur, it.key, it.value, it.err = nil, nil, nil, nil
	r := it.run
	r.mu.Lock()
	keep := err == nil && len(r.idle) < maxIdle
	if keep {
		r.idle = append(r.idle, it)
	}
	r.mu.Unlock()
	if keep {
		return nil
	}
	return errors.Join(err, it.close())
}

func (it *Iterator) close() error {
	var err error
	for _, f := range it.files {
		if f.Iterator != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// SetBounds restricts the iterator to keys from lower to before upper, and copies them.
func (it *Iterator) SetBounds(lower, upper []byte) {
	it.cur, it.err = nil, nil
	if it.bounds > 0 && bytes.Equal(lower, it.lower) && bytes.Equal(upper, it.upper) {
		return
	}
	it.lower, it.upper = append(it.lower[:0], lower...), append(it.upper[:0], upper...)
	it.bounds++
}

// enter makes file i the current one.
func (it *Iterator) enter(i int) bool {
	f := &it.files[i]
	if f.Iterator == nil {
		if it.open == maxOpen && !it.leave() {
			return false
		}
		f.Iterator, it.err = it.run.files[i].reader.NewPointIter(context.Background(), sstable.IterOptions{
			Transforms: block.IterTransforms{HideObsoletePoints: true}, Env: sstable.NoReadEnv,
		})
		if it.err != nil {
			f.Iterator = nil
			return false
		}
		it.open++
	}
	if f.bounds != it.bounds {
		f.bounds = it.bounds
		f.turn ^= 1
		lower, upper := &f.lower[f.turn], &f.upper[f.turn]
		*lower, *upper = append((*lower)[:0], it.lower...), append((*upper)[:0], it.upper...)
		f.SetBounds(*lower, *upper)
	}
	it.at, it.cur = i, f.Iterator
	return true
}

// leave closes a file: the one that it stood in last, which a scan does not come back to.
func (it *Iterator) leave() bool {
	i := it.at
	if it.files[i].Iterator == nil {
		i = slices.IndexFunc(it.files, func(f fileIterator) bool { return f.Iterator != nil })
	}
	it.err = it.files[i].Close()
	it.files[i] = fileIterator{}
	it.open--
	return it.err == nil
}

// First moves to the first row within the bounds.
func (it *Iterator) First() bool { return it.SeekGE(it.lower) }

// SeekGE moves to the first row within the bounds whose key is not below key.
func (it *Iterator) SeekGE(key []byte) bool {
	if bytes.Compare(key, it.lower) < 0 {
		key = it.lower
	} else if bytes.Compare(key, it.upper) >= 0 { // a table's iterator is not to be moved there
		it.cur = nil
		return false
	}
	files := it.run.files
	i := it.at
	if it.cur == nil || !(bytes.Compare(files[i].Smallest.UserKey, key) <= 0 && bytes.Compare(key, files[i].Largest.UserKey) <= 0) {
		i = sort.Search(len(files), func(i int) bool { return bytes.Compare(files[i].Largest.UserKey, key) >= 0 })
	}
	return it.forward(i, key)
}

// forward moves to the first row of file i from key on, or of those after it.
func (it *Iterator) forward(i int, key []byte) bool {
	for files := it.run.files; i < len(files) && bytes.Compare(files[i].Smallest.UserKey, it.upper) < 0; i++ {
		if !it.enter(i) {
			break
		}
		for kv := it.cur.SeekGE(key, 0); kv != nil; kv = it.cur.Next() {
			if isSet(kv.Kind()) {
				return it.stand(kv.K.UserKey, kv.InPlaceValue())
			}
		}
		if it.err = it.cur.Error(); it.err != nil {
			break
		}
	}
	it.cur = nil
	return false
}

// Next moves to the next row. The iterator stands on one.
func (it *Iterator) Next() bool {
	for kv := it.cur.Next(); kv != nil; kv = it.cur.Next() {
		if isSet(kv.Kind()) {
			return it.stand(kv.K.UserKey, kv.InPlaceValue())
		}
	}
	if it.err = it.cur.Error(); it.err != nil {
		it.cur = nil
		return false
	}
	return it.forward(it.at+1, it.lower)
}

// Last moves to the last row within the bounds.
func (it *Iterator) Last() bool {
	files := it.run.files
	return it.backward(sort.Search(len(files), func(i int) bool { return bytes.Compare(files[i].Smallest.UserKey, it.upper) >= 0 }) - 1)
}

// backward moves to the last row of file i, or of those before it.
func (it *Iterator) backward(i int) bool {
	for files := it.run.files; i >= 0 && bytes.Compare(files[i].Largest.UserKey, it.lower) >= 0; i-- {
		if !it.enter(i) {
			break
		}
		for kv := it.cur.SeekLT(it.upper, 0); kv != nil; kv = it.cur.Prev() {
			if isSet(kv.Kind()) {
				return it.stand(kv.K.UserKey, kv.InPlaceValue())
			}
		}
		if it.err = it.cur.Error(); it.err != nil {
			break
		}
	}
	it.cur = nil
	return false
}

// Prev moves to the row before. The iterator stands on one.
func (it *Iterator) Prev() bool {
	for kv := it.cur.Prev(); kv != nil; kv = it.cur.Prev() {
		if isSet(kv.Kind()) {
			return it.stand(kv.K.UserKey, kv.InPlaceValue())
		}
	}
	if it.err = it.cur.Error(); it.err != nil {
		it.cur = nil
		return false
	}
	return it.backward(it.at - 1)
}

func (it *Iterator) stand(key, value []byte) bool {
	it.key, it.value = key, value
	return true
}

// isSet tells rows from deletions, which a file holds where an older file may have the key.
func isSet(kind pebble.InternalKeyKind) bool {
	return kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindSetWithDelete
}

// Key is the key of the row it stands on.
func (it *Iterator) Key() []byte { return it.key }

// Value is the value of the row it stands on.
func (it *Iterator) Value() []byte { return it.value }

// Error is what ended the last move, other than the bounds.
func (it *Iterator) Error() error { return it.err }
