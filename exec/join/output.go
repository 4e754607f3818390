package join

import (
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// clearOut begins a batch of joined rows.
func (m *matcher) clearOut() {
	if m.out == nil {
		return
	}
	for _, v := range m.out.Cols {
		v.Resize(m.slots)
		v.EmptyBuf()
	}
	m.out.N, m.out.Sel, m.outBytes, m.owned = 0, nil, 0, 0
}

// makeRoom makes the batch's columns n slots long, at least: joins of few rows hold little.
func (m *matcher) makeRoom(n int) {
	if n <= m.slots {
		return
	}
	m.slots = min(max(n, 2*m.slots, 8), vec.MaxRows)
	for _, v := range m.out.Cols {
		v.Extend(m.slots)
	}
}

// give moves rows that are listed into the batch; true when it is full. Their texts
// stay where they are: the outer ones' until the next outer batch is asked for.
func (m *matcher) give() bool {
	n := min(len(m.listO)-m.listAt, vec.MaxRows-m.out.N)
	full := false
	if n, full = m.narrow(n); n == 0 {
		return true
	}
	outers, inners := m.listO[m.listAt:m.listAt+n], m.listI[m.listAt:m.listAt+n]
	at := m.out.N
	m.makeRoom(at + n)
	cols := m.out.Cols
	if m.mark != nil {
		cols = cols[:len(cols)-1]
		for i, r := range inners {
			setMark(m.mark, at+i, m.innerSeen[r])
		}
	}
	for c, v := range cols {
		m.take(v, at, c, outers, inners)
	}
	m.out.N += n
	m.listAt += n
	return full || m.out.N == vec.MaxRows
}

// narrow says how many of the next n rows listed the batch has room for, by the size of
// their texts; full that it has room for no more.
func (m *matcher) narrow(n int) (int, bool) {
	wide := 0
	if m.b != nil {
		wide = m.wide
	}
	if m.inner != nil {
		wide += m.inner.Widest
	}
	if m.outBytes+n*wide <= spill.MostWide {
		m.outBytes += n * wide
		return n, false
	}
	for i := range n {
		if m.outBytes >= spill.MostWide && m.out.N+i > 0 {
			return i, true
		}
		if o := m.listO[m.listAt+i]; o >= 0 {
			m.outBytes += spill.RowWidth(m.b.Cols, int(o))
		}
		if r := m.listI[m.listAt+i]; r >= 0 {
			m.outBytes += m.inner.Width(int(r))
		}
	}
	return n, m.outBytes >= spill.MostWide
}

// own copies the texts that the batch of joined rows has of the outer batch, which end when
// the next one is asked for.
func (m *matcher) own() {
	from, to := m.owned, m.out.N
	m.owned = to
	if from == to {
		return
	}
	first := 0
	if !m.shape.outerLeft {
		first = m.nInner
	}
	for i := range m.nOuter {
		c := first + i
		if c >= len(m.out.Cols) {
			return // only left columns are given
		}
		v := m.out.Cols[c]
		if v.Type.Phys() != types.PhysBytes {
			continue
		}
		for s := from; s < to; s++ {
			if !v.Nulls.Get(s) {
				v.SetBytes(s, v.Bytes[s])
			}
		}
	}
}
