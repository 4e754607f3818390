package scan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// stage is a step of a scan's filter: the columns that it needs beside those before it are
// decoded for the rows that these left, and the others only for rows that pass all.
//
//	a < 5 AND b LIKE 'x%'    a of all rows --> a < 5 --> b of those --> b LIKE … --> the rest
type stage struct {
	part rowcodec.Part
	cond *eval.Prog
}

// fewStaged is from how many rows on stages are worth their calls.
const fewStaged = 32

// makeStages takes the filter apart in its own order; none where nothing would be decoded
// later than the filter's first condition.
func (m *RowMaker) makeStages(filter expr.Expr) error {
	conds := []expr.Expr{filter}
	if and, ok := filter.(*expr.And); ok {
		conds = and.Args
	}
	known := make([]bool, len(m.decoded))
	var parts []rowcodec.Part
	var groups [][]expr.Expr
	for _, c := range conds {
		var slots []int
		for _, at := range expr.Cols(c) {
			if s := slices.Index(m.decoded, m.out.Cols[at]); s >= 0 && !known[s] {
				slots = append(slots, s)
			}
		}
		if last := len(groups) - 1; last >= 0 && len(slots) == 0 {
			groups[last] = append(groups[last], c)
			continue
		}
		part, ok := m.dec.Part(slots)
		if !ok {
			return nil
		}
		for _, s := range part.Slots() {
			known[s] = true
		}
		parts, groups = append(parts, part), append(groups, []expr.Expr{c})
	}
	var left []int
	for s := range known {
		if !known[s] {
			left = append(left, s)
		}
	}
	var ok bool
	if m.rest, ok = m.dec.Part(left); !ok || len(groups) == 1 && len(left) == 0 {
		return nil
	}
	for i, g := range groups {
		cond := g[0]
		if len(g) > 1 {
			cond = &expr.And{Args: g}
		}
		p, err := eval.Compile(cond)
		if err != nil {
			return err
		}
		m.stages = append(m.stages, stage{parts[i], p})
	}
	return nil
}

// decodeStaged is Decode by stages.
func (m *RowMaker) decodeStaged(rb *storage.RowBatch, env *expr.Env) (*vec.Batch, error) {
	m.dec.Reset()
	n := rb.Len()
	m.out.N, m.out.Sel = n, nil
	sel := spill.EverySlot[:n]
	for i := range m.stages {
		st := &m.stages[i]
		err := m.dec.DecodePart(rb, &st.part, sel, m.decoded)
		if err != nil {
			return nil, err
		}
		if sel, err = st.cond.Filter(env, &m.out, m.sel); err != nil {
			return nil, err
		}
		m.sel = sel
		if len(sel) == 0 {
			return nil, nil
		}
		if m.out.Sel = sel; len(sel) == n {
			m.out.Sel = nil
		}
	}
	if err := m.dec.DecodePart(rb, &m.rest, sel, m.decoded); err != nil {
		return nil, err
	}
	return &m.out, nil
}
