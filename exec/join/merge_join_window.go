package join

import (
	"slices"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
)

// The window of a merge join: right rows from those of the present run on, and some that are
// passed.

// manyPassed is from how many rows on those that are passed are forgotten before the window
// grows; tests lower it.
var manyPassed = 2 * vec.MaxRows

// renew begins a window.
func (j *mergeJoin) renew() {
	if j.plain {
		j.rows.Reset()
	} else {
		j.rows = spill.NewKeptRows(j.rows.Types) // rows given may still point into the one before
	}
	j.keys.reset()
	j.seen = j.seen[:0]
	j.hold.Release()
	j.lo, j.hi = 0, 0
	j.watch()
}

// watch has the matcher look at the window.
func (j *mergeJoin) watch() {
	j.m.inner, j.m.innerSeen = j.rows, nil
	if j.m.marksInner() {
		j.m.innerSeen = j.seen
	}
}

// keep moves what is left of the right batch into the window; false where there is no
// memory for it.
func (j *mergeJoin) keep() bool {
	k := j.rightKeys
	j.rows.AddRows(k.b.Cols, k.sel[k.at:])
	j.keys.add(&k.list, k.at)
	if j.m.marksInner() {
		for range k.sel[k.at:] {
			j.seen = append(j.seen, 0)
		}
		j.m.innerSeen = j.seen
	}
	k.at = len(k.sel)
	n := j.bytes()
	return j.hold.To(n) || n <= spill.LeastKept(j.cx) && j.hold.MustTo(n) == nil
}

// mustKeep is keep for rows without which nothing goes on.
func (j *mergeJoin) mustKeep() error {
	if j.keep() {
		return nil
	}
	return j.hold.MustTo(j.bytes())
}

func (j *mergeJoin) bytes() int64 {
	return j.rows.Bytes() + j.keys.size() + int64(cap(j.seen))
}

// pass begins a window with the rows that are not passed, and forgets the others and a run in
// a file; false where rows are to be given first.
func (j *mergeJoin) pass() bool {
	m := j.m
	if len(m.outers) > 0 {
		return false // they are pairs of rows of this window
	}
	marks := m.marksInner()
	if j.lo == j.rows.Len && !marks {
		j.dropFile()
		j.renew()
		return true
	}
	rows, seen := j.rows, j.seen
	j.rows, j.seen = spill.NewKeptRows(rows.Types), nil
	rows.EachFrom(j.lo, func(cols []*vec.Vec, sel []uint16) error {
		j.rows.AddRows(cols, sel)
		return nil
	})
	j.keys.forget(j.lo)
	if marks {
		j.seen = slices.Clone(seen[j.lo:])
		for r := j.lo; r < len(seen); r++ {
			seen[r] = seenTrue // they end with the new window
		}
		m.inner, m.innerSeen, m.innerAt, m.flush = rows, seen, 0, j.flushed
	} else {
		j.watch()
	}
	j.lo, j.hi = 0, 0
	return !marks
}

// flushed is called when all rows that are passed are at their end.
func (j *mergeJoin) flushed() (bool, error) {
	if j.file != nil {
		more, err := j.file.end(j.m)
		if more || err != nil {
			return more, err
		}
		j.dropFile()
	}
	j.watch()
	j.m.innerAt = 0
	return false, j.cx.Canceled()
}
