package join

import (
	"bytes"
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeJoin walks two sides that are sorted by their keys. The right rows of one key are
// a run, which is kept for the left rows of that key.
//
//	left   1  2  2  5  5  7
//	right  1  1  3  5 | 5  6      run: the right rows of 5
//	             '-- passed over: at their end at once
//
// Runs lie in memory one after another, until they are many; one that does not fit is in
// a file (merge_join_run.go).
type mergeJoin struct {
	n           *plan.MergeJoin
	left, right op.Operator
	m           *matcher
	leftKeys    *mergeKeys
	rightKeys   *mergeKeys
	cx          *op.Context
	hold        memory.Share
	opened      bool

	rows   *spill.KeptRows
	seen   []uint8 // per row kept, where somebody asks
	run    answer  // the run's rows
	runKey []byte
	begun  bool // there is a run, perhaps an empty one
	file   *fileRun

	rightDone bool
	done      bool // no more left rows are wanted
	at        int  // left row being joined
	placed    bool // its run is known
	row       int32
}

const (
	// From when on runs that are over are forgotten.
	manyRunRows  = 4 << 10
	manyRunBytes = 1 << 20
)

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
	j.cx, j.opened, j.begun, j.rightDone, j.done = cx, false, false, false, false
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

// renew begins to keep right rows anew.
func (j *mergeJoin) renew() {
	j.rows = spill.NewKeptRows(j.rows.Types) // rows given may still point into the one before
	j.seen = j.seen[:0]
	j.hold.Release()
	j.run, j.row = answer{}, 0
	j.watch()
}

// watch has the matcher look at the rows kept.
func (j *mergeJoin) watch() {
	j.m.inner, j.m.innerSeen = j.rows, nil
	if j.m.marksInner() {
		j.m.innerSeen = j.seen
	}
}

// nextRight goes to the first row of the next right batch.
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
	j.rightKeys.look()
	return j.cx.Canceled()
}

// pass goes over right rows for which cond holds, keeping them with keep; false where no
// more can be kept.
func (j *mergeJoin) pass(cond func() bool, keep bool) (bool, error) {
	k := j.rightKeys
	for !j.rightDone && cond() {
		from := k.at
		for k.at++; k.at < len(k.sel); k.at++ {
			if k.look(); !cond() {
				break
			}
		}
		fits := true
		if keep {
			fits = j.keep(k.sel[from:k.at])
		}
		if k.at == len(k.sel) {
			if err := j.nextRight(); err != nil {
				return false, err
			}
		}
		if !fits {
			return false, nil
		}
	}
	return true, nil
}

// keep keeps rows of the right batch; false where there is no memory for more.
func (j *mergeJoin) keep(sel []uint16) bool {
	j.rows.AddRows(j.rightKeys.b.Cols, sel)
	n := j.rows.Bytes()
	if j.m.marksInner() {
		for range sel {
			j.seen = append(j.seen, 0)
		}
		j.m.innerSeen = j.seen
		n += int64(cap(j.seen))
	}
	return j.hold.To(n) || n <= spill.LeastKept(j.cx) && j.hold.MustTo(n) == nil
}

// many says that runs that are over take much memory.
func (j *mergeJoin) many() bool {
	return j.rows.Len >= manyRunRows || j.rows.Bytes() >= manyRunBytes
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
	one := m.existsOnly()
	for ; j.at < len(m.sel); j.at++ {
		slot := m.sel[j.at]
		if !j.placed {
			ok, err := j.place()
			if err != nil {
				return err
			}
			if !ok {
				m.upto = j.at
				return nil
			}
			j.placed = true
		}
		last := j.run.hi
		if j.leftKeys.null {
			last = j.row
		} else if j.file != nil && j.file.is(j.leftKeys.key) {
			if done, err := j.fillFromFile(slot); !done || err != nil {
				m.upto = j.at
				return err
			}
			last = j.row
		} else if !j.begun || !bytes.Equal(j.leftKeys.key, j.runKey) {
			last = j.row
		} else if one {
			last = min(last, j.run.lo+1)
		}
		if j.row > j.run.lo && m.decided(slot) {
			last = j.row
		}
		for ; j.row < last; j.row++ {
			if m.room() == 0 {
				m.upto = j.at
				return nil
			}
			m.add(slot, j.row)
		}
		j.placed = false
	}
	m.upto = j.at
	return nil
}

// place finds the run for the next left row; false where rows must be given first.
func (j *mergeJoin) place() (bool, error) {
	k := j.leftKeys
	k.at = j.at
	k.look()
	j.row = j.run.lo
	if k.null || j.begun && bytes.Compare(k.key, j.runKey) <= 0 {
		return true, nil
	}
	// The runs there are, if any, are over.
	if j.file != nil || j.many() {
		if len(j.m.outers) > 0 {
			return false, nil // they are pairs of rows that are kept
		}
		if !j.retire() {
			return false, nil
		}
	}
	marks := j.m.marksInner()
	right := j.rightKeys
	ok, err := j.pass(func() bool { return bytes.Compare(right.key, k.key) < 0 }, marks)
	if err != nil {
		return false, err
	}
	if marks && (!ok || j.many()) {
		if len(j.m.outers) == 0 {
			j.retire()
		}
		return false, nil
	}
	if err := j.begin(k.key); err != nil {
		return false, err
	}
	if j.rightDone && j.run.lo == j.run.hi && j.file == nil && !marks && j.m.shape.givesNothing() {
		j.done = true // this left row matches none, nor do those behind it
	}
	return true, nil
}

// begin keeps the run of a key, at which the right side stands, or behind it.
func (j *mergeJoin) begin(key []byte) error {
	j.runKey = append(j.runKey[:0], key...)
	j.begun = true
	j.run = answer{int32(j.rows.Len), int32(j.rows.Len)}
	right := j.rightKeys
	same := func() bool { return bytes.Equal(right.key, j.runKey) }
	fits, err := j.pass(same, true)
	j.run.hi = int32(j.rows.Len)
	j.row = j.run.lo
	if err != nil || fits {
		return err
	}
	return j.spillRun(same)
}

// retire forgets runs that are over; false where their rows are to be given at their end
// first.
func (j *mergeJoin) retire() bool {
	j.begun = false
	if j.m.marksInner() {
		j.m.innerAt, j.m.flush = 0, j.flushed
		return false
	}
	j.dropFile()
	j.renew()
	return true
}

// flushed is called when all rows kept are at their end.
func (j *mergeJoin) flushed() (bool, error) {
	if j.file != nil {
		more, err := j.file.end(j.m)
		if more || err != nil {
			return more, err
		}
		j.dropFile()
	}
	j.renew()
	j.m.innerAt = 0
	return false, j.cx.Canceled()
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
	for fits := true; fits && !j.rightDone && !j.many(); {
		fits = j.keep(j.rightKeys.sel[j.rightKeys.at:])
		if err := j.nextRight(); err != nil {
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
