package join

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// matcher joins outer rows with inner ones that are kept: what all joins share. Who
// uses it says which pairs are candidates.
//
//	outer batch --> candidates (outer slot, inner row) --> Filter, Cond --> rows listed --> dense batches
//	                of some rows after another              what is seen of each row
//
// Rows are listed in the order of the outer ones. For kinds that give outer rows only,
// the outer batch itself is given, with fewer of its rows selected.
type matcher struct {
	shape        joinShape
	nOuter       int // columns of the outer side
	nInner       int
	filter, cond *eval.Prog
	reads        []int // columns of a pair that these read
	cx           *op.Context
	src          candidates
	inner        *spill.KeptRows
	innerSeen    []uint8 // per inner row; nil where nobody asks

	// The present outer batch.
	b     *vec.Batch
	sel   []uint16 // its rows
	at    int      // of sel: before it all rows are done
	upto  int      // of sel: before it all candidates are listed
	seen  []uint8  // per slot
	wide  int      // bytes of texts in a row, at most
	given []uint16 // slots given, where only outer rows are

	matched bool // candidates are known to match

	// Where the inner rows come in several chunks, outer rows are done with the last
	// only: saved is what was seen of them before, by position.
	chunked bool
	last    bool
	saved   []uint8
	savedAt int

	pair   vec.Batch // of candidates
	outers []int32   // their slots
	inners []int32   // their rows
	maybe  []bool    // what is known of a candidate is that it is not false; empty: of none
	value  []uint8
	passed []uint16
	parts  op.Parts

	listO, listI []int32 // rows to give: a slot and an inner row, or -1
	listAt       int
	ended        bool // no outer rows are left
	// flush, where set, gives inner rows whose end has come, once those that are there
	// are at theirs; false if there are no more.
	flush   func() (bool, error)
	innerAt int // inner rows before it are done

	out      *vec.Batch
	slots    int // of out's columns
	outBytes int
	owned    int // rows of out whose texts of the outer side are its own
	want     int // rows that are enough for a batch, once an outer batch is done
	mark     *vec.Vec
	outerOut vec.Batch
}

// candidates gives a matcher outer rows and the inner rows that may match them.
type candidates interface {
	// outer gives the next batch of outer rows, or io.EOF.
	outer() (*vec.Batch, error)
	// fill adds candidates of the batch's rows, in the order of these, until the
	// matcher has no room, and sets its upto.
	fill() error
}

// mostWanted is how full a batch must be not to be filled with rows of more outer
// batches. The first ones are given sooner: perhaps few rows are wanted.
const mostWanted = 512

func newMatcher(m *plan.Match, kind plan.JoinKind, left, right []types.T, outerLeft bool) (*matcher, error) {
	j := &matcher{shape: newJoinShape(kind, outerLeft), nOuter: len(left), nInner: len(right)}
	if !outerLeft {
		j.nOuter, j.nInner = j.nInner, j.nOuter
	}
	var err error
	if m.Filter != nil {
		if j.filter, err = eval.Compile(m.Filter); err != nil {
			return nil, err
		}
	}
	if m.Cond != nil {
		if j.cond, err = eval.Compile(m.Cond); err != nil {
			return nil, err
		}
	}
	both := append(append([]types.T(nil), left...), right...)
	j.pair.Cols = vec.NewBatch(both).Cols
	read := make([]bool, len(both))
	for _, e := range []expr.Expr{m.Filter, m.Cond} {
		if e == nil {
			continue
		}
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Col); ok && !read[c.Index] {
				read[c.Index] = true
				j.reads = append(j.reads, c.Index)
			}
			return true
		})
	}
	if j.onlyOuter() {
		j.outerOut.Cols = make([]*vec.Vec, j.nOuter, j.nOuter+1)
		if j.shape.outer == endMark {
			j.mark = vec.New(types.Of(types.Bool))
			j.outerOut.Cols = append(j.outerOut.Cols, j.mark)
		}
		return j, nil
	}
	switch {
	case kind.GivesRight():
		j.out = vec.NewBatch(both)
	case kind == plan.Mark:
		j.out = vec.NewBatch(append(append([]types.T(nil), left...), types.Of(types.Bool)))
		j.mark = j.out.Cols[len(left)]
	default:
		j.out = vec.NewBatch(left)
	}
	return j, nil
}

// open starts a run.
func (m *matcher) open(cx *op.Context, src candidates) {
	m.cx, m.src, m.want, m.chunked, m.matched, m.saved = cx, src, 1, false, false, nil
	m.start(nil)
}

// start begins with other inner rows, and the outer ones that the source gives for
// these. Without what is seen of inner rows they have no end.
func (m *matcher) start(inner *spill.KeptRows) {
	m.inner, m.b, m.ended, m.innerAt, m.savedAt, m.flush = inner, nil, false, 0, 0, nil
	m.listO, m.listI, m.listAt = m.listO[:0], m.listI[:0], 0
	m.given, m.innerSeen = m.given[:0], nil
	if inner != nil && m.marksInner() {
		m.innerSeen = make([]uint8, inner.Len)
	}
}

func (m *matcher) close() {
	m.start(nil)
	m.cx, m.src, m.saved = nil, nil, nil
}

// next gives joined rows; io.EOF when the source's outer rows are done, and the inner
// rows with them.
func (m *matcher) next() (*vec.Batch, error) {
	m.clearOut()
	for {
		if m.listAt < len(m.listO) && m.give() {
			return m.out, nil
		}
		if m.flush != nil {
			if m.listInner() {
				continue
			}
			more, err := m.flush()
			if err != nil {
				return nil, err
			}
			if !more {
				m.flush = nil
			}
			continue
		}
		if m.b != nil && m.at < len(m.sel) {
			if err := m.step(); err != nil {
				return nil, err
			}
			continue
		}
		if m.b != nil {
			if b := m.endBatch(); b != nil {
				return b, nil
			}
			continue
		}
		if !m.ended {
			b, err := m.src.outer()
			switch {
			case err == io.EOF:
				m.ended = true
			case err != nil:
				return nil, err
			default:
				m.begin(b)
			}
			continue
		}
		if m.listInner() {
			continue
		}
		if m.out != nil && m.out.N > 0 {
			return m.out, nil
		}
		return nil, io.EOF
	}
}

// begin takes a batch of outer rows.
func (m *matcher) begin(b *vec.Batch) {
	m.b, m.sel, m.at, m.upto = b, spill.Selection(b), 0, 0
	m.seen = atLeast(m.seen, b.N)
	if m.saved != nil {
		for i, s := range m.sel {
			m.seen[s] = m.saved[m.savedAt+i]
		}
	} else {
		clear(m.seen[:b.N])
	}
	if m.shape.pairs {
		m.wide = spill.WidestRow(b.Cols, m.sel)
	}
	if m.onlyOuter() {
		m.given = m.given[:0]
		if m.mark != nil {
			m.mark.Resize(b.N)
		}
	}
}

// endBatch is called when all rows of the batch are done. It gives what is to be given
// before the next one is asked for.
func (m *matcher) endBatch() *vec.Batch {
	b := m.b
	if m.saved != nil {
		for i, s := range m.sel {
			m.saved[m.savedAt+i] = m.seen[s]
		}
		m.savedAt += len(m.sel)
	}
	if m.onlyOuter() {
		m.b = nil
		if len(m.given) == 0 {
			return nil
		}
		copy(m.outerOut.Cols[:m.nOuter], b.Cols)
		m.outerOut.N, m.outerOut.Sel = b.N, m.given
		return &m.outerOut
	}
	m.b = nil
	if m.out.N >= m.want {
		m.want = min(2*m.want, mostWanted)
		return m.out
	}
	m.own()
	return nil
}

// room is how many more candidates can be added.
func (m *matcher) room() int { return vec.MaxRows - len(m.outers) }

// add adds a candidate.
func (m *matcher) add(slot uint16, row int32) {
	m.outers, m.inners = append(m.outers, int32(slot)), append(m.inners, row)
}

// addMaybe adds a candidate of which nothing is false, and something is unknown.
func (m *matcher) addMaybe(slot uint16, row int32) {
	for len(m.maybe) < len(m.outers) {
		m.maybe = append(m.maybe, false)
	}
	m.add(slot, row)
	m.maybe = append(m.maybe, true)
}

// decided says that more candidates of an outer row make no difference.
func (m *matcher) decided(slot uint16) bool {
	return !m.shape.pairs && m.shape.outer.decided(m.seen[slot])
}

// chainSeen says that row and the inner rows of the same key are known to match, and that
// this is all there is to know.
func (m *matcher) chainSeen(row int32) bool {
	return row >= 0 && m.innerSeen != nil && !m.shape.pairs && m.filter == nil && m.cond == nil && m.innerSeen[row]&seenTrue != 0
}

// step sees to some candidates, and to the rows that have no more.
func (m *matcher) step() error {
	if err := m.look(); err != nil {
		return err
	}
	m.listO, m.listI, m.listAt = m.listO[:0], m.listI[:0], 0
	if m.pairsAlone() {
		m.listO, m.outers = m.outers, m.listO
		m.listI, m.inners = m.inners, m.listI
		m.at = m.upto
		return nil
	}
	for i, v := range m.value[:len(m.outers)] {
		if v == 0 {
			continue
		}
		slot, row := m.outers[i], m.inners[i]
		for m.at < len(m.sel) && int32(m.sel[m.at]) < slot {
			m.endRow()
		}
		if v == seenTrue {
			if m.shape.single && m.twice(slot, row) {
				return sqlerr.New(sqlerr.CardinalityViolation, "more than one row returned by a subquery used as an expression")
			}
			if m.shape.pairs {
				m.listO, m.listI = append(m.listO, slot), append(m.listI, row)
			}
		}
		m.seen[slot] |= v
		if m.innerSeen != nil {
			m.innerSeen[row] |= v
		}
	}
	for m.at < m.upto {
		m.endRow()
	}
	return nil
}

// look finds some candidates and what their conditions say.
func (m *matcher) look() error {
	m.outers, m.inners, m.maybe = m.outers[:0], m.inners[:0], m.maybe[:0]
	if err := m.src.fill(); err != nil {
		return err
	}
	if err := m.cx.Canceled(); err != nil {
		return err
	}
	n := len(m.outers)
	m.value = atLeast(m.value, n)
	value := m.value[:n]
	for i := range value {
		value[i] = seenTrue
	}
	for i, maybe := range m.maybe {
		if maybe {
			value[i] = seenUnknown
		}
	}
	if n == 0 || m.matched || m.filter == nil && m.cond == nil {
		return nil
	}
	return m.evaluate(n)
}

func (m *matcher) twice(slot, row int32) bool {
	if m.shape.outerLeft {
		return m.seen[slot]&seenTrue != 0
	}
	return m.innerSeen[row]&seenTrue != 0
}

// endRow is called when all candidates of the row at at have been seen.
func (m *matcher) endRow() {
	slot := m.sel[m.at]
	m.at++
	if m.chunked && !m.last || !m.shape.outer.gives(m.seen[slot]) {
		return
	}
	if !m.onlyOuter() {
		m.listO, m.listI = append(m.listO, int32(slot)), append(m.listI, -1)
		return
	}
	m.given = append(m.given, slot)
	if m.mark != nil {
		setMark(m.mark, int(slot), m.seen[slot])
	}
}

func setMark(v *vec.Vec, slot int, seen uint8) {
	v.Bools[slot] = seen&seenTrue != 0
	if seen == seenUnknown {
		v.Nulls.Set(slot)
	}
}
