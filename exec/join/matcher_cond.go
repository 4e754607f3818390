package join

import (
	"github.com/saltsql/saltsql/internal/vec"
)

// evaluate computes what the candidates' conditions say.
func (m *matcher) evaluate(n int) error {
	b := &m.pair
	for _, c := range m.reads {
		b.Cols[c].Resize(n)
		m.take(b.Cols[c], 0, c, m.outers, m.inners)
	}
	b.N, b.Sel = n, nil
	env := m.cx.Env
	if m.filter != nil {
		passed, err := m.filter.Filter(env, b, m.passed)
		if err != nil {
			return err
		}
		m.passed = passed
		k := 0
		for i := range n {
			if k < len(passed) && int(passed[k]) == i {
				k++
			} else {
				m.value[i] = 0
			}
		}
		if b.Sel = passed; len(passed) == 0 {
			return nil
		}
	}
	if m.cond == nil {
		return nil
	}
	var v *vec.Vec
	return m.parts.Each(b, func(part *vec.Batch) (err error) {
		v, err = m.cond.EvalNarrow(env, part)
		return err
	}, func(part *vec.Batch) error {
		for i := range part.Rows() {
			switch s := part.Row(i); {
			case v.Nulls.Get(s):
				m.value[s] = seenUnknown
			case !v.Bools[s]:
				m.value[s] = 0
			}
		}
		return nil
	})
}

// take puts column c of pairs, left columns before right ones, into dst.
func (m *matcher) take(dst *vec.Vec, at, c int, outers, inners []int32) {
	outer := c < m.nOuter
	if !m.shape.outerLeft {
		if outer = c >= m.nInner; outer {
			c -= m.nInner
		}
	} else if !outer {
		c -= m.nOuter
	}
	switch {
	case !outer && m.inner != nil:
		vec.Take(dst, at, m.inner.Cols[c], inners)
	case !outer:
		vec.Take(dst, at, nil, inners)
	case m.b != nil:
		vec.Take(dst, at, m.b.Cols[c:c+1], outers)
	default:
		vec.Take(dst, at, nil, outers)
	}
}

// listInner lists inner rows at their end; false if there are none left.
func (m *matcher) listInner() bool {
	if m.shape.inner == endNothing || m.innerSeen == nil || m.innerAt == m.inner.Len {
		return false
	}
	m.listO, m.listI, m.listAt = m.listO[:0], m.listI[:0], 0
	for ; m.innerAt < m.inner.Len && len(m.listO) < vec.MaxRows; m.innerAt++ {
		if m.shape.inner.gives(m.innerSeen[m.innerAt]) {
			m.listO, m.listI = append(m.listO, -1), append(m.listI, int32(m.innerAt))
		}
	}
	return true
}
