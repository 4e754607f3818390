package join

import (
	"errors"
	"io"
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeJoin walks two sides that are sorted by their keys. Right rows lie in a window, batch
// by batch, whose rows of one key are a run: what the left rows of that key match.
//
//	left      1  2  2  5  5  7
//	right     1  1  3  5 | 5  6      the run of 5
//	       passed over '   '-- the next batch: in the window once it is reached
//
// What is passed is forgotten; a run that does not fit into memory is in a file
// (merge_join_run.go).
type mergeJoin struct {
	n           *plan.MergeJoin
	left, right op.Operator
	m           *matcher
	leftKeys    *mergeKeys
	rightKeys   *mergeKeys // of the batch whose rows from rightKeys.at on are not in the window
	cx          *op.Context
	hold        memory.Share
	opened      bool

	rows   *spill.KeptRows // the window
	keys   keyList         // of its rows
	seen   []uint8         // likewise, where somebody asks
	lo, hi int             // the run; rows before it are passed
	file   *fileRun        // in the run's place
	plain  bool            // no value of a window is pointed to by rows given

	rightDone bool
	done      bool // no more left rows are wanted
	at        int  // left row being joined
	placed    bool // its run is known
	row, last int  // of the run, those to be looked at for it
}

func NewMergeJoin(n *plan.MergeJoin, left, right op.Operator) (op.Operator, error) {
	for _, k := range n.Keys {
		if k.Unknown {
			return nil, sqlerr.Internal(nil, "merge join with a key that is unknown where NULL")
		}
	}
	if len(n.Keys) == 0 || len(n.Desc) != len(n.Keys) {
		return nil, sqlerr.Internal(nil, "merge join by %d keys, %d directions", len(n.Keys), len(n.Desc))
	}
	j := &mergeJoin{n: n, left: left, right: right, rows: spill.NewKeptRows(op.TypesOf(n.Right))}
	j.plain = !slices.ContainsFunc(j.rows.Types, func(t types.T) bool {
		return t.Phys() != types.PhysInt && t.Phys() != types.PhysFloat && t.Phys() != types.PhysBool
	})
	var err error
	if j.leftKeys, err = newMergeKeys(n, true); err != nil {
		return nil, err
	}
	if j.rightKeys, err = newMergeKeys(n, false); err != nil {
		return nil, err
	}
	j.m, err = newMatcher(&n.Match, n.Kind, op.TypesOf(n.Left), op.TypesOf(n.Right), true)
	return j, err
}

func (j *mergeJoin) Open(cx *op.Context) error {
	j.cx, j.opened, j.rightDone, j.done = cx, false, false, false
	j.hold = memory.Of(cx.Memory, true)
	j.leftKeys.Reset()
	j.rightKeys.Reset()
	j.m.open(cx, j)
	j.renew()
	if err := j.left.Open(cx); err != nil {
		return err
	}
	return j.right.Open(cx)
}

func (j *mergeJoin) Next() (*vec.Batch, error) {
	if !j.opened {
		j.opened = true
		if err := j.nextRight(); err != nil {
			return nil, err
		}
	}
	for {
		b, err := j.m.next()
		if err != io.EOF {
			return b, err
		}
		more, err := j.rightEnd()
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, io.EOF
		}
	}
}

// nextRight goes to the next right batch.
func (j *mergeJoin) nextRight() error {
	b, err := j.rightKeys.NextPart(j.cx.Env, j.right.Next)
	if err == io.EOF {
		j.rightDone = true
		return j.right.Close() // its scans are not needed any more
	}
	if err != nil {
		return err
	}
	j.rightKeys.take(b)
	return j.cx.Canceled()
}

func (j *mergeJoin) outer() (*vec.Batch, error) {
	if j.done {
		return nil, io.EOF
	}
	b, err := j.leftKeys.NextPart(j.cx.Env, j.left.Next)
	if err != nil {
		return nil, err
	}
	j.leftKeys.take(b)
	j.at, j.placed = 0, false
	return b, nil
}

func (j *mergeJoin) fill() error {
	m := j.m
	for ; j.at < len(m.sel); j.at++ {
		slot := m.sel[j.at]
		if !j.placed {
			ok, err := j.place()
			if !ok || err != nil {
				m.upto = j.at
				return err
			}
			j.placed = true
		}
		if j.inFile() {
			if done, err := j.fillFromFile(slot); !done || err != nil {
				m.upto = j.at
				return err
			}
		}
		if j.row > j.lo && m.decided(slot) {
			j.row = j.last
		}
		for ; j.row < j.last; j.row++ {
			if m.room() == 0 {
				m.upto = j.at
				return nil
			}
			m.add(slot, int32(j.row))
		}
		j.placed = false
	}
	m.upto = j.at
	return nil
}

// place finds the run of the next left row; false where rows must be given first.
func (j *mergeJoin) place() (bool, error) {
	left := &j.leftKeys.list
	if left.none[j.at] {
		j.row, j.last = j.lo, j.lo
		return true, nil
	}
	if j.file != nil && left.compare(j.at, &j.file.key, 0) != 0 && !j.pass() {
		return false, nil
	}
	if j.file == nil && (j.lo == j.hi || left.compare(j.at, &j.keys, j.lo) != 0) {
		j.lo = j.hi
		if ok, err := j.seek(); !ok || err != nil {
			return false, err
		}
		if ok, err := j.findEnd(); !ok || err != nil {
			return false, err
		}
	}
	j.row, j.last = j.lo, j.hi
	if j.m.existsOnly() {
		j.last = min(j.hi, j.lo+1)
	}
	return true, nil
}

// seek has the run begin with the first right row whose key is not less than the left row's;
// false where rows must be given first.
func (j *mergeJoin) seek() (bool, error) {
	left, right := &j.leftKeys.list, j.rightKeys
	for {
		for j.lo < j.rows.Len && left.compare(j.at, &j.keys, j.lo) > 0 {
			j.lo++
		}
		if j.hi = j.lo; j.lo < j.rows.Len {
			return true, nil
		}
		if j.rightDone {
			// This left row matches none, nor do those behind it.
			j.done = !j.m.marksInner() && j.m.shape.givesNothing()
			return true, nil
		}
		if j.rows.Len > 0 && !j.pass() {
			return false, nil
		}
		for !j.m.marksInner() && right.at < len(right.sel) && left.compare(j.at, &right.list, right.at) > 0 {
			right.at++
		}
		if right.at < len(right.sel) {
			if err := j.mustKeep(); err != nil {
				return false, err
			}
		} else if err := j.nextRight(); err != nil {
			return false, err
		}
	}
}

// findEnd finds the end of the run at which the window stands, if it is the left row's; false
// where rows must be given first.
func (j *mergeJoin) findEnd() (bool, error) {
	left, right := &j.leftKeys.list, j.rightKeys
	for {
		for j.hi < j.rows.Len && left.compare(j.at, &j.keys, j.hi) == 0 {
			j.hi++
		}
		if j.hi < j.rows.Len || j.hi == j.lo {
			return true, nil
		}
		if right.at == len(right.sel) && !j.rightDone {
			if err := j.nextRight(); err != nil {
				return false, err
			}
		}
		switch {
		case j.rightDone || left.compare(j.at, &right.list, right.at) != 0:
			return true, nil
		case j.lo >= manyPassed:
			if j.hi = j.lo; !j.pass() {
				return false, nil
			}
		case j.keep():
		case left.compare(j.at, &j.keys, j.rows.Len-1) == 0:
			return true, j.spillRun()
		default:
			if err := j.hold.MustTo(j.bytes()); err != nil {
				return false, err
			}
		}
	}
}

// rightEnd begins with right rows at their end, once all left rows are done; false if
// there are no more.
func (j *mergeJoin) rightEnd() (bool, error) {
	m := j.m
	if m.shape.inner == endNothing {
		return false, nil
	}
	if j.rows.Len > 0 && j.file == nil {
		j.renew() // they were given
	}
	m.start(nil)
	m.ended = true
	if j.file != nil {
		more, err := j.file.end(m)
		if more || err != nil {
			return more, err
		}
		j.dropFile()
		j.renew()
	}
	if right := j.rightKeys; !j.rightDone && right.at == len(right.sel) {
		if err := j.nextRight(); err != nil {
			return false, err
		}
	}
	if !j.rightDone {
		if err := j.mustKeep(); err != nil {
			return false, err
		}
	}
	j.watch()
	m.innerAt = 0
	return j.rows.Len > 0, j.cx.Canceled()
}

func (j *mergeJoin) Close() error {
	j.m.close()
	j.dropFile()
	j.rows.Drop()
	if j.cx != nil {
		j.hold.Release()
		j.cx = nil
	}
	return errors.Join(j.left.Close(), j.right.Close())
}
