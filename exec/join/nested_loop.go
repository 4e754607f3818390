package join

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// nestedLoop compares each left row with every right row. The right rows are kept in
// memory or, where they do not fit, in a file that is read once for each batch of left
// rows (nested_loop_spill.go).
type nestedLoop struct {
	n           *plan.NestedLoop
	left, right op.Operator
	m           *matcher
	cx          *op.Context
	hold        memory.Share
	kept        *spill.KeptRows
	spill       *loopSpill // nil: the right rows are in memory
	built       bool
	done        bool
	keeper      *op.Keeper // where the right side is the same for several runs
	whole       bool       // it has been kept for a run to come

	at  int   // left row being compared
	row int32 // with this one next
}

func NewNestedLoop(n *plan.NestedLoop, left, right op.Operator) (op.Operator, error) {
	if len(n.Keys) > 0 {
		return nil, sqlerr.Internal(nil, "nested loop with keys")
	}
	m, err := newMatcher(&n.Match, n.Kind, op.TypesOf(n.Left), op.TypesOf(n.Right), true)
	if err != nil {
		return nil, err
	}
	return &nestedLoop{n: n, left: left, right: right, m: m, kept: spill.NewKeptRows(op.TypesOf(n.Right))}, nil
}

func (l *nestedLoop) Open(cx *op.Context) error {
	l.cx, l.built, l.done = cx, false, false
	l.m.open(cx, l)
	if l.whole {
		return nil
	}
	l.keeper = cx.Keeper(l.n.KeptBy)
	l.hold = memory.Of(cx.Memory, true)
	return l.right.Open(cx)
}

func (l *nestedLoop) Next() (*vec.Batch, error) {
	if !l.built {
		if err := l.consume(); err != nil {
			return nil, err
		}
		l.built = true
	}
	for !l.done {
		b, err := l.m.next()
		if err != io.EOF {
			return b, err
		}
		if l.spill == nil {
			break
		}
		more, err := l.spill.rightEnd()
		if err != nil {
			return nil, err
		}
		l.done = !more
	}
	l.done = true
	return nil, io.EOF
}

// consume reads the right side, unless it is there from a run before, and opens the left.
func (l *nestedLoop) consume() error {
	if !l.whole {
		if err := l.readRight(); err != nil {
			return err
		}
	}
	if l.spill == nil && l.kept.Len == 0 && l.m.shape.givesNothing() {
		l.done = true
		return nil
	}
	if err := l.left.Open(l.cx); err != nil {
		return err
	}
	if l.spill != nil {
		return l.spill.begin()
	}
	l.m.start(l.kept)
	return nil
}

// readRight reads the right side.
func (l *nestedLoop) readRight() error {
	for {
		b, err := l.right.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := l.keep(b); err != nil {
			return err
		}
		if err := l.cx.Canceled(); err != nil {
			return err
		}
	}
	if err := l.right.Close(); err != nil { // its scans are not needed any more
		return err
	}
	if l.spill == nil {
		l.whole = l.keeper.Keep(l.drop)
	}
	return nil
}

// keep keeps rows of the right side.
func (l *nestedLoop) keep(b *vec.Batch) error {
	if l.spill != nil {
		return l.spill.file.Add(b.Cols, spill.Selection(b))
	}
	l.kept.Add(b)
	n := l.kept.Bytes()
	if l.m.marksInner() {
		n += int64(l.kept.Len)
	}
	if l.hold.To(n) || n <= spill.LeastKept(l.cx) && l.hold.MustTo(n) == nil {
		return nil
	}
	var err error
	if l.spill, err = newLoopSpill(l); err != nil {
		return err
	}
	return l.spill.take(l.kept)
}

func (l *nestedLoop) outer() (*vec.Batch, error) {
	l.at, l.row = 0, 0
	return l.left.Next()
}

func (l *nestedLoop) fill() error {
	l.addPairs()
	l.m.upto = l.at
	return nil
}

// addPairs goes on from the last pair.
func (l *nestedLoop) addPairs() {
	m := l.m
	last := int32(m.inner.Len)
	if m.existsOnly() {
		last = min(last, 1)
	}
	room := m.room()
	for ; l.at < len(m.sel); l.at++ {
		slot := m.sel[l.at]
		row := l.row
		if row > 0 {
			if l.row = 0; m.decided(slot) {
				continue
			}
		}
		for ; row < last; row++ {
			if room == 0 {
				l.row = row
				return
			}
			m.add(slot, row)
			room--
		}
	}
}

func (l *nestedLoop) Close() error {
	l.m.close()
	if l.spill != nil {
		l.spill.close()
		l.spill = nil
	}
	if !l.whole {
		l.drop()
	}
	l.cx = nil
	return errors.Join(l.left.Close(), l.right.Close())
}

// drop forgets the right side.
func (l *nestedLoop) drop() {
	l.whole, l.keeper = false, nil
	l.kept.Drop()
	l.hold.Release()
}
