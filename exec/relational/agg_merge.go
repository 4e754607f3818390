package relational

import (
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
)

// merge adds the groups of o, an aggregation of other rows.
func (t *aggTable) merge(o *aggTable) error {
	from := make([]uint32, o.n)
	for i := range from {
		from[i] = uint32(i)
	}
	ids := make([]uint32, o.n)
	if t.groups != nil {
		t.mergeGroups(o.groups, from, ids)
	}
	t.resize()
	for i := range t.states {
		// Values are put aside by both or by neither.
		if t.sorts[i] == nil && o.sorts[i] != nil {
			if err := t.putKeptAside(i); err != nil {
				return err
			}
		} else if t.sorts[i] != nil && o.sorts[i] == nil {
			if err := o.putKeptAside(i); err != nil {
				return err
			}
		}
		if err := t.states[i].Merge(o.states[i], from, ids); err != nil {
			return err
		}
		if o.sorts[i] != nil {
			if err := t.mergeSort(i, o, ids); err != nil {
				return err
			}
		}
	}
	o.hold.Release()
	return t.account()
}

// mergeSome adds the groups of o, whose values are not put aside, that are listed, ascending.
// o is read only.
func (t *aggTable) mergeSome(o *aggTable, from []uint32) error {
	ids := make([]uint32, len(from))
	t.mergeGroups(o.groups, from, ids)
	t.resize()
	for i := range t.states {
		if err := t.states[i].Merge(o.states[i], from, ids); err != nil {
			return err
		}
	}
	return t.account()
}

// mergeGroups finds or makes groups of o, which are listed in ascending order, and puts
// their numbers into ids.
func (t *aggTable) mergeGroups(o *vec.Groups, from, ids []uint32) {
	b := vec.NewBatch(t.spec.keys.Types)
	found := make([]uint32, vec.MaxRows)
	var sel []uint16
	for at := 0; at < len(from); {
		lo := int(from[at])
		n := 0
		for sel = sel[:0]; at+n < len(from) && int(from[at+n]) < lo+vec.MaxRows; n++ {
			sel = append(sel, uint16(int(from[at+n])-lo))
		}
		hi := int(from[at+n-1]) + 1
		for i, v := range b.Cols {
			v.Resize(hi - lo)
			vec.Share(v, o.Cols()[i], lo, hi)
		}
		vec.HashRows(b.Cols, sel, t.spec.hashes)
		t.groups.Find(b.Cols, sel, t.spec.hashes, found, true, nil)
		for k, s := range sel {
			ids[at+k] = found[s]
		}
		at += n
	}
	t.n = t.groups.Len()
}

// byPart lists the groups by their part, ascending in each.
func (t *aggTable) byPart() [][]uint32 {
	out := make([][]uint32, overflowParts)
	for i := range out {
		out[i] = make([]uint32, 0, t.n/overflowParts*5/4)
	}
	b := vec.NewBatch(t.spec.keys.Types)
	for lo := 0; lo < t.n; lo += vec.MaxRows {
		b.N = min(vec.MaxRows, t.n-lo)
		for i, v := range b.Cols {
			v.Resize(b.N)
			vec.Share(v, t.groups.Cols()[i], lo, lo+b.N)
		}
		vec.HashRows(b.Cols, spill.Selection(b), t.spec.hashes)
		for i, h := range t.spec.hashes[:b.N] {
			p := partOf(h, t.depth)
			out[p] = append(out[p], uint32(lo+i))
		}
	}
	return out
}
