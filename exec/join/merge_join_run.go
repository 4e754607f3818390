package join

import (
	"io"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// fileRun is a run of a merge join that does not fit into memory. It is read once for
// each left row of its key, a piece at a time.
type fileRun struct {
	file    *spill.RowFile
	rows    *spill.FileRows
	key     keyList // one
	seen    []uint8 // per row; nil where nobody asks
	hold    memory.Share
	reading bool // for a left row
	at      int  // rows before it were read, for this left row or at their end
	ending  bool
}

// inFile says that the left row's run is in a file.
func (j *mergeJoin) inFile() bool { return j.file != nil && !j.leftKeys.list.none[j.at] }

// spillRun moves the left row's run, which the window ends with, to a file, with all that
// follows.
func (j *mergeJoin) spillRun() error {
	made, err := spill.NewFile(j.cx)
	if err != nil {
		return err
	}
	f := &fileRun{file: &spill.RowFile{File: made}, rows: spill.NewFileRows(j.rows.Types), hold: memory.Of(j.cx.Memory, false)}
	f.key.addRow(&j.keys, j.lo)
	j.file = f
	if err := j.rows.EachFrom(j.lo, f.file.Add); err != nil {
		return err
	}
	for r := j.lo; r < len(j.seen); r++ {
		j.seen[r] = seenTrue // they end with the file
	}
	k := j.rightKeys
	for same := true; same && !j.rightDone; {
		from := k.at
		for k.at < len(k.sel) && same {
			if same = j.keys.compare(j.lo, &k.list, k.at) == 0; same {
				k.at++
			}
		}
		if k.at > from {
			if err := f.file.Add(k.b.Cols, k.sel[from:k.at]); err != nil {
				return err
			}
		}
		if k.at == len(k.sel) {
			if err := j.nextRight(); err != nil {
				return err
			}
		}
	}
	j.lo, j.hi = j.rows.Len, j.rows.Len
	j.cx.AddWork(j.n, &plan.Actual{SpillBytes: f.file.Bytes})
	if j.m.marksInner() {
		if err := f.hold.MustTo(int64(f.file.Rows)); err != nil {
			return err
		}
		f.seen = make([]uint8, f.file.Rows)
	}
	return nil
}

// fillFromFile adds pairs of a left row and a piece of the run; done when there are no
// more.
func (j *mergeJoin) fillFromFile(slot uint16) (done bool, err error) {
	m, f := j.m, j.file
	if len(m.outers) > 0 {
		return false, nil // they are pairs of rows that are kept
	}
	if !f.reading {
		if err := f.rows.Open(f.file); err != nil {
			return false, err
		}
		f.reading, f.at = true, 0
	}
	if f.at > 0 && (m.decided(slot) || m.existsOnly()) {
		err = io.EOF
	} else {
		err = f.piece(m)
	}
	if err == io.EOF {
		f.reading = false
		j.watch()
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for r := range m.inner.Len {
		m.add(slot, int32(r))
	}
	return false, nil
}

// piece has the matcher look at the next rows; io.EOF if there are none.
func (f *fileRun) piece(m *matcher) error {
	part, err := f.rows.Next(vec.MaxRows)
	if err != nil {
		return err
	}
	m.inner = spill.NewKeptRows(f.rows.Ts) // rows given may still point into the one before
	m.inner.Add(part)
	m.innerSeen = nil
	if f.seen != nil {
		m.innerSeen = f.seen[f.at : f.at+m.inner.Len]
	}
	f.at += m.inner.Len
	return nil
}

// end gives the matcher the next rows at their end; false if there are none.
func (f *fileRun) end(m *matcher) (bool, error) {
	if !f.ending {
		if err := f.rows.Open(f.file); err != nil {
			return false, err
		}
		f.ending, f.at = true, 0
	}
	err := f.piece(m)
	if err == io.EOF {
		return false, nil
	}
	m.innerAt = 0
	return err == nil, err
}

func (j *mergeJoin) dropFile() {
	if j.file != nil {
		j.file.file.Drop()
		j.file.hold.Release()
		j.file = nil
	}
}
