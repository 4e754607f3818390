package vec

import (
	"github.com/saltsql/saltsql/internal/types"
)

// Groups numbers the distinct rows of some columns from 0, by open addressing:
//
//	hash --> slot {tag, number + 1} --> the row, in the columns
//
// Rows are equal as Compare says; two NULLs are. It is a table of a GROUP BY, of DISTINCT,
// of the rows a recursion has given.
type Groups struct {
	cols  []*Vec
	n     int
	slots []uint64 // tag in the upper half, number + 1 in the lower; 0 is free
	mask  uint32
	ints  bool // one column of integers
}

// NewGroups makes an empty table of rows of the types given.
func NewGroups(ts []types.T) *Groups {
	g := &Groups{cols: make([]*Vec, len(ts)), ints: len(ts) == 1 && ts[0].Phys() == types.PhysInt}
	for i, t := range ts {
		g.cols[i] = New(t)
	}
	return g
}

// Len is how many rows there are. They have numbers below math.MaxUint32.
func (g *Groups) Len() int { return g.n }

// Cols are the rows: slot i is row i.
func (g *Groups) Cols() []*Vec { return g.cols }

// Bytes is the memory held.
func (g *Groups) Bytes() int64 {
	n := 8 * int64(cap(g.slots))
	for _, c := range g.cols {
		n += c.Size()
	}
	return n
}

// GrowthBytes is about how much more memory another n rows take at most, but for their
// texts: the columns and the slots grow by doubling.
func (g *Groups) GrowthBytes(n int) int64 {
	if g.n+n > len(g.slots)/2 {
		return g.Bytes()
	}
	return 0
}

// HashRows puts the hashes of the selected slots of keys into hashes, as Find wants them.
func HashRows(keys []*Vec, sel []uint16, hashes []uint64) {
	for _, s := range sel {
		hashes[s] = 0x5a17
	}
	for _, k := range keys {
		Hash(k, sel, hashes)
	}
}

// Find puts the numbers of the selected slots of keys into ids, both by slot, and adds
// rows that are not there yet. With add false those are left: Find gives their slots, in
// missing's memory.
func (g *Groups) Find(keys []*Vec, sel []uint16, hashes []uint64, ids []uint32, add bool, missing []uint16) []uint16 {
	missing = missing[:0]
	if g.slots == nil {
		g.resize(16)
	}
	if g.ints && !keys[0].Nulls.Any() && !g.cols[0].Nulls.Any() {
		return g.findInts(keys[0].Ints, sel, hashes, ids, add, missing)
	}
	for _, s := range sel {
		tag := uint32(hashes[s] >> 32)
		i := tag & g.mask
		for ; ; i = (i + 1) & g.mask {
			e := g.slots[i]
			if e == 0 {
				if !add {
					missing = append(missing, s)
					break
				}
				ids[s] = g.insert(i, tag, keys, int(s))
				break
			}
			if uint32(e>>32) == tag && g.equal(uint32(e)-1, keys, int(s)) {
				ids[s] = uint32(e) - 1
				break
			}
		}
	}
	return missing
}

func (g *Groups) findInts(vals []int64, sel []uint16, hashes []uint64, ids []uint32, add bool, missing []uint16) []uint16 {
	col := g.cols[0]
	for _, s := range sel {
		v, tag := vals[s], uint32(hashes[s]>>32)
		i := tag & g.mask
		for ; ; i = (i + 1) & g.mask {
			e := g.slots[i]
			if e == 0 {
				if !add {
					missing = append(missing, s)
					break
				}
				id := uint32(g.n)
				col.Extend(g.n + 1)
				col.Ints[id] = v
				g.take(i, tag)
				ids[s] = id
				break
			}
			if id := uint32(e) - 1; uint32(e>>32) == tag && col.Ints[id] == v {
				ids[s] = id
				break
			}
		}
	}
	return missing
}

// Follow is Find of rows that come in the order of their groups: a row belongs to the
// group numbered last, or begins a new one. It needs no hashes, and no other rows may be
// looked for in the table. starts is memory for slots.
func (g *Groups) Follow(keys []*Vec, sel []uint16, ids []uint32, starts []uint16) []uint16 {
	starts = starts[:0]
	if len(sel) == 0 {
		return starts
	}
	next := uint32(g.n) // the number of the next group
	if g.n == 0 || !g.equal(next-1, keys, int(sel[0])) {
		starts = append(starts, sel[0])
		next++
	}
	ids[sel[0]] = next - 1
	if g.ints && !keys[0].Nulls.Any() {
		vals := keys[0].Ints
		last := vals[sel[0]]
		for _, s := range sel[1:] {
			if v := vals[s]; v != last {
				last = v
				starts = append(starts, s)
				next++
			}
			ids[s] = next - 1
		}
	} else {
		for k, s := range sel[1:] {
			if !sameRow(keys, int(sel[k]), int(s)) {
				starts = append(starts, s)
				next++
			}
			ids[s] = next - 1
		}
	}
	for i, c := range g.cols {
		c.Extend(int(next))
		CopySlots(c, g.n, keys[i], starts)
	}
	g.n = int(next)
	return starts
}

// sameRow says that slots i and j of keys are equal.
func sameRow(keys []*Vec, i, j int) bool {
	for _, k := range keys {
		if !Equal(k, i, k, j) {
			return false
		}
	}
	return true
}

func (g *Groups) equal(id uint32, keys []*Vec, s int) bool {
	for i, c := range g.cols {
		if !Equal(c, int(id), keys[i], s) {
			return false
		}
	}
	return true
}

func (g *Groups) insert(i, tag uint32, keys []*Vec, s int) uint32 {
	id := uint32(g.n)
	for k, c := range g.cols {
		c.Extend(g.n + 1)
		CopySlot(c, g.n, keys[k], s)
		if c.Type.Phys() == types.PhysArray && !c.Nulls.Get(g.n) {
			d := c.value(g.n)
			c.Hold(d.Behind())
		}
	}
	g.take(i, tag)
	return id
}

// take makes slot i that of the next number.
func (g *Groups) take(i, tag uint32) {
	g.n++
	g.slots[i] = uint64(tag)<<32 | uint64(g.n)
	if g.n > len(g.slots)/2 {
		g.resize(2 * len(g.slots))
	}
}

func (g *Groups) resize(n int) {
	old := g.slots
	g.slots, g.mask = make([]uint64, n), uint32(n-1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := uint32(e>>32) & g.mask
		for g.slots[i] != 0 {
			i = (i + 1) & g.mask
		}
		g.slots[i] = e
	}
}

// Reset forgets all rows and keeps the memory.
func (g *Groups) Reset() {
	clear(g.slots)
	g.n = 0
	for _, c := range g.cols {
		c.Resize(0)
		c.EmptyBuf()
	}
}

// Share puts slots lo to hi-1 of src into dst's first slots, which must have been made by
// Resize. Bytes and arrays are shared with src.
func Share(dst, src *Vec, lo, hi int) {
	if src.Nulls.Any() {
		for i := lo; i < hi; i++ {
			if src.Nulls.Get(i) {
				dst.Nulls.Set(i - lo)
			}
		}
	}
	switch dst.Type.Phys() {
	case types.PhysBool:
		copy(dst.Bools, src.Bools[lo:hi])
	case types.PhysInt:
		copy(dst.Ints, src.Ints[lo:hi])
	case types.PhysFloat:
		copy(dst.Floats, src.Floats[lo:hi])
	case types.PhysBytes:
		copy(dst.Bytes, src.Bytes[lo:hi])
	case types.PhysInterval:
		copy(dst.Intervals, src.Intervals[lo:hi])
	case types.PhysArray:
		copy(dst.Arrays, src.Arrays[lo:hi])
	case types.PhysDecimal:
		for i := lo; i < hi; i++ {
			if !src.Nulls.Get(i) {
				dst.Decimals[i-lo].Set(&src.Decimals[i])
			}
		}
	}
}
