package join

import (
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
)

// probeOperator gives the rows of the probe side as its operator gives them.
type probeOperator struct{ j *hashJoin }

func (p *probeOperator) next() (*vec.Batch, []*vec.Vec, error) {
	k := p.j.probeKeys
	b, err := k.NextPart(p.j.cx.Env, p.j.probe.Next)
	if err != nil {
		return nil, nil, err
	}
	k.hash(k.Vals, spill.Selection(b))
	return b, k.Vals, nil
}

// probeStage says which of a probe row's candidates are looked at.
type probeStage uint8

const (
	rowBegins probeStage = iota
	equalRows            // all keys are equal
	nullRows             // build rows with a NULL in an Unknown key
	otherRows            // the others, for a probe row with such a NULL
	rowIsDone
)

// outer gives the next probe rows, with their first candidates looked up.
func (j *hashJoin) outer() (*vec.Batch, error) {
	b, vals, err := j.probing.next()
	if err != nil {
		return nil, err
	}
	j.vals, j.stage = vals, rowBegins
	j.chains.find(j.probeKeys.hashes, vals, spill.Selection(b))
	if j.nullTable != nil {
		j.sureVals = j.sureVals[:0]
		for _, k := range j.sureKeys {
			j.sureVals = append(j.sureVals, vals[k])
		}
	}
	return b, nil
}

func (j *hashJoin) fill() error {
	if j.nullTable != nil {
		return j.fillUnknown()
	}
	j.chains.fill(j.m)
	return nil
}

// fillUnknown is fill where keys are Unknown.
func (j *hashJoin) fillUnknown() error {
	m := j.m
	one := m.existsOnly()
	for ; j.chains.at < len(m.sel); j.chains.at++ {
		slot := m.sel[j.chains.at]
		if j.stage == rowBegins {
			j.beginRow(slot)
		}
		for j.stage != rowIsDone {
			if j.once[j.stage] || j.chains.row < 0 || m.decided(slot) || j.stage != equalRows && m.seen[slot] != 0 && m.innerSeen == nil {
				j.once[j.stage] = j.once[j.stage] || j.stage != equalRows && j.sameForAll()
				j.nextStage(slot)
				continue
			}
			if m.room() == 0 {
				m.upto = j.chains.at
				return nil
			}
			row := j.chains.row
			if j.stage == equalRows {
				m.add(slot, row)
				j.chains.row = j.chains.table.next[row]
				if one {
					j.stage = rowIsDone
				}
				continue
			}
			if j.stage == nullRows {
				j.chains.row = j.nullTable.next[row]
			} else {
				j.chains.row = j.sureTable.next[row]
			}
			if j.steps++; j.steps%(64<<10) == 0 {
				if err := j.cx.Canceled(); err != nil {
					return err
				}
			}
			if j.notFalse(slot, row) {
				m.addMaybe(slot, row)
				if one {
					j.stage = rowIsDone
				}
			}
		}
		j.stage = rowBegins
	}
	m.upto = j.chains.at
	return nil
}

// sameForAll says that one key's NULLs are all there is to know: what they make unknown of
// kept rows is the same for all probe rows.
func (j *hashJoin) sameForAll() bool {
	return len(j.keyAt) == 1 && j.m.innerSeen != nil && j.m.filter == nil && j.m.cond == nil
}

func (j *hashJoin) beginRow(slot uint16) {
	switch h := j.probeKeys.hashes[slot]; {
	case h&hashAll != 0:
		j.stage, j.chains.row = equalRows, j.chains.heads[slot]
		if j.m.chainSeen(j.chains.row) {
			j.chains.row = -1
		}
	case h&hashSure != 0:
		j.stage, j.chains.row = nullRows, j.nullTable.find(h, j.sureVals, int(slot))
	default:
		j.stage = rowIsDone
	}
}

func (j *hashJoin) nextStage(slot uint16) {
	null := j.probeKeys.hashes[slot]&hashAll == 0
	switch {
	case j.stage == equalRows:
		j.stage, j.chains.row = nullRows, j.nullTable.find(j.probeKeys.sure[slot], j.sureVals, int(slot))
	case j.stage == nullRows && null:
		j.stage, j.chains.row = otherRows, j.allByHash().find(j.probeKeys.sure[slot], j.sureVals, int(slot))
	default:
		j.stage = rowIsDone
	}
}

// notFalse says of rows whose other keys are equal that no Unknown key differs.
func (j *hashJoin) notFalse(slot uint16, row int32) bool {
	for i, unknown := range j.buildKeys.unknown {
		if !unknown {
			continue
		}
		v, at := j.kept.Block(j.keyAt[i], int(row))
		if !v.Nulls.Get(at) && !j.vals[i].Nulls.Get(int(slot)) && !vec.Equal(v, at, j.vals[i], int(slot)) {
			return false
		}
	}
	return true
}
