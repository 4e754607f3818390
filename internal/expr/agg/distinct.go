package agg

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// distinct keeps each group's values once and hands them to the aggregate at the
// end, ascending or as they came.
type distinct struct {
	inner  func() (State, error)
	by     int        // that many columns are compared; the aggregate takes the rest, or all
	kept   bool       // as they came
	skip   int        // columns that the aggregate does not take
	cols   []*vec.Vec // the values kept, one slot each
	group  []uint32   // of each slot
	byHash map[uint64][]int32
	chains int64 // slots in byHash's lists, by capacity
	groups int
	hashes []uint64
	// order lists the slots by group, and within it as they go to the aggregate; from
	// says where a group's begin. Made at the first Final.
	order, from []int32
}

func newDistinct(args []types.T, by int, ordered bool, inner func() (State, error)) *distinct {
	d := &distinct{inner: inner, by: by, skip: by, kept: ordered, byHash: map[uint64][]int32{}}
	if by == 0 {
		d.by = len(args)
	}
	for _, t := range args {
		d.cols = append(d.cols, vec.New(t))
	}
	return d
}

func (d *distinct) Resize(n int) { d.groups = max(n, d.groups) }

func (d *distinct) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	if cap(d.hashes) < vec.MaxRows {
		d.hashes = make([]uint64, vec.MaxRows)
	}
	for _, i := range sel {
		d.hashes[i] = uint64(groups[i])
	}
	for _, a := range args[:d.by] {
		vec.Hash(a, sel, d.hashes)
	}
	for _, i := range sel {
		d.add(d.hashes[i], groups[i], args, int(i))
	}
	return nil
}

func (d *distinct) add(hash uint64, g uint32, args []*vec.Vec, i int) {
next:
	for _, at := range d.byHash[hash] {
		if d.group[at] != g {
			continue
		}
		for k, a := range args[:d.by] {
			if !vec.Equal(a, i, d.cols[k], int(at)) {
				continue next
			}
		}
		return
	}
	n := len(d.group)
	for k, a := range args {
		c := d.cols[k]
		c.Extend(n + 1)
		vec.CopySlot(c, n, a, i)
	}
	d.group = append(d.group, g)
	chain := d.byHash[hash]
	d.chains -= int64(cap(chain))
	chain = append(chain, int32(n))
	d.chains += int64(cap(chain))
	d.byHash[hash] = chain
}

func (d *distinct) Merge(other State, groups []uint32) error {
	o := other.(*distinct)
	for at, g := range o.group {
		ng := groups[g]
		hash := uint64(ng)
		for _, c := range o.cols[:d.by] {
			hash = types.Hash(c.Type, c.Datum(at), hash)
		}
		d.add(hash, ng, o.cols, at)
	}
	return nil
}

func (d *distinct) Final(lo, hi int, out *vec.Vec) error {
	if d.from == nil {
		d.sortGroups()
	}
	order := d.order[d.from[lo]:d.from[hi]]
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(d.group[a], d.group[b]); c != 0 {
			return c
		}
		if d.kept {
			return cmp.Compare(a, b)
		}
		for _, col := range d.cols[:d.by] {
			if c := vec.Compare(col, int(a), col, int(b)); c != 0 {
				return c
			}
		}
		return 0
	})
	st, err := d.inner()
	if err != nil {
		return err
	}
	st.Resize(hi - lo)
	args := make([]*vec.Vec, len(d.cols))
	for k, c := range d.cols {
		args[k] = vec.New(c.Type)
	}
	var sel [vec.MaxRows]uint16
	var groups [vec.MaxRows]uint32
	for len(order) > 0 {
		n, size := 0, 0
		for n < min(len(order), vec.MaxRows) && size < partBytes {
			for _, c := range d.cols {
				if c.Bytes != nil {
					size += len(c.Bytes[order[n]])
				}
			}
			n++
		}
		part := order[:n]
		order = order[n:]
		for k, c := range d.cols {
			args[k].Resize(len(part))
			args[k].EmptyBuf()
			for i, at := range part {
				vec.CopySlot(args[k], i, c, int(at))
			}
		}
		for i, at := range part {
			sel[i], groups[i] = uint16(i), d.group[at]-uint32(lo)
		}
		if err := st.Update(groups[:len(part)], sel[:len(part)], args[d.skip:]); err != nil {
			return err
		}
	}
	return st.Final(0, hi-lo, out)
}

// partBytes is about how many bytes of texts go to the aggregate at a time.
const partBytes = 1 << 20

// sortGroups counts the groups' values and lists them one group after another.
func (d *distinct) sortGroups() {
	d.from = make([]int32, d.groups+1)
	for _, g := range d.group {
		d.from[g+1]++
	}
	for g := range d.groups {
		d.from[g+1] += d.from[g]
	}
	at := slices.Clone(d.from)
	d.order = make([]int32, len(d.group))
	for slot, g := range d.group {
		d.order[at[g]] = int32(slot)
		at[g]++
	}
}

// Bytes includes what Final makes.
func (d *distinct) Bytes() int64 {
	n := int64(8*cap(d.group)) + int64(len(d.byHash))*48 + 4*d.chains + 12*int64(d.groups)
	for _, c := range d.cols {
		n += c.Size()
	}
	return n
}
