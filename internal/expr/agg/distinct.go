package agg

import (
	"cmp"
	"math"
	"slices"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Distinct is the State of an aggregate with DISTINCT that was not given its values in
// order: it keeps each group's values once and hands them to the aggregate at the end,
// ascending. Who has no memory for them takes them out and sorts them instead.
type Distinct struct {
	inner func() (State, error)
	count bool // the aggregate counts: no value is handed on
	n     []int64
	by    int  // that many arguments are compared
	skip  int  // arguments that the aggregate does not take
	one   bool // there is one group, which is no column of table
	// table has the group, unless there is one, and the values compared.
	table  *vec.Groups
	types  []types.T
	rest   []*vec.Vec // the other arguments, a slot for each row of table
	groups int
	hashes []uint64
	ids    []uint32
	number *vec.Vec
	keys   []*vec.Vec
	// order lists the rows by group; from says where a group's begin. Made at the first
	// Final.
	order, from []int32
}

func newDistinct(args []types.T, by int, count bool, inner func() (State, error)) *Distinct {
	d := &Distinct{inner: inner, count: count, by: by, skip: by, one: true, number: vec.New(types.Of(types.Int8))}
	if by == 0 {
		d.by = len(args)
	}
	d.types = args[:d.by]
	d.table = vec.NewGroups(d.types)
	for _, t := range args[d.by:] {
		d.rest = append(d.rest, vec.New(t))
	}
	return d
}

// Resize makes the group a column where there are several.
func (d *Distinct) Resize(n int) {
	d.groups = max(n, d.groups)
	if d.count {
		d.n = extend(d.n, d.groups)
	}
	if d.one && n > 1 {
		old := d.table
		d.one = false
		d.table = vec.NewGroups(append([]types.T{d.number.Type}, d.types...))
		d.addAll(old.Cols(), old.Len(), nil, nil, true)
	}
}

func (d *Distinct) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	d.keys = d.keys[:0]
	if !d.one {
		d.number.Resize(int(sel[len(sel)-1]) + 1)
		for _, i := range sel {
			d.number.Ints[i] = int64(groups[i])
		}
		d.keys = append(d.keys, d.number)
	}
	d.keys = append(d.keys, args[:d.by]...)
	d.add(sel, args[d.by:])
	return nil
}

// add adds the selected slots of keys; rest are those of the other arguments.
func (d *Distinct) add(sel []uint16, rest []*vec.Vec) {
	if d.hashes == nil {
		d.hashes, d.ids = make([]uint64, vec.MaxRows), make([]uint32, vec.MaxRows)
	}
	vec.HashRows(d.keys, sel, d.hashes)
	before := d.table.Len()
	d.table.Find(d.keys, sel, d.hashes, d.ids, true, nil)
	if d.table.Len() == before {
		return
	}
	if d.count {
		val := d.table.Cols()[len(d.keys)-1]
		for at := before; at < d.table.Len(); at++ {
			if !val.Nulls.Get(at) {
				d.n[d.groupOf(at)]++
			}
		}
	}
	if len(d.rest) == 0 {
		return
	}
	next := uint32(before)
	for _, s := range sel { // new rows have numbers in the order they come
		if d.ids[s] != next {
			continue
		}
		next++
		for k, v := range d.rest {
			v.Extend(int(next))
			vec.CopySlot(v, int(next)-1, rest[k], int(s))
		}
	}
}

func (d *Distinct) groupOf(at int) uint32 {
	if d.one {
		return 0
	}
	return uint32(d.table.Cols()[0].Ints[at])
}

// noGroup is the number of no group.
const noGroup = math.MaxUint32

// addAll adds n rows of columns, whose groups become what ids says, or are left out where
// that is noGroup. again: the rows' other arguments and their count are there already.
func (d *Distinct) addAll(cols []*vec.Vec, n int, rest []*vec.Vec, ids []uint32, again bool) {
	part := make([]*vec.Vec, 0, len(cols)+len(rest))
	for _, c := range append(cols[:len(cols):len(cols)], rest...) {
		part = append(part, vec.New(c.Type))
	}
	was := d.count
	d.count = d.count && !again
	defer func() { d.count = was }()
	kept := d.rest
	if again {
		d.rest = nil
		defer func() { d.rest = kept }()
	}
	sel, from := make([]uint16, 0, vec.MaxRows), make([]int64, vec.MaxRows)
	for lo := 0; lo < n; lo += vec.MaxRows {
		hi := min(lo+vec.MaxRows, n)
		for k, c := range append(cols[:len(cols):len(cols)], rest...) {
			part[k].Resize(hi - lo)
			vec.Share(part[k], c, lo, hi)
		}
		d.keys = d.keys[:0]
		vals := part[:len(cols)]
		if len(cols) > d.by {
			copy(from, vals[0].Ints)
			vals = vals[1:]
		}
		d.number.Resize(hi - lo)
		sel = sel[:0]
		for i, g := range from[:hi-lo] {
			if ids != nil {
				g = int64(ids[g])
			}
			if g != noGroup {
				d.number.Ints[i] = g
				sel = append(sel, uint16(i))
			}
		}
		if !d.one {
			d.keys = append(d.keys, d.number)
		}
		d.keys = append(d.keys, vals...)
		d.add(sel, part[len(cols):])
	}
}

// Merge adds the values of other.
func (d *Distinct) Merge(other State, from, to []uint32) error {
	o := other.(*Distinct)
	ids := make([]uint32, o.groups)
	for i := range ids {
		ids[i] = noGroup
	}
	for k, i := range from {
		ids[i] = to[k]
	}
	d.addAll(o.table.Cols(), o.table.Len(), o.rest, ids, false)
	return nil
}

// Take gives each value kept to fn, with its group, in any order, and forgets them all.
func (d *Distinct) Take(fn func(group uint32, args []*vec.Vec, i int) error) error {
	args := d.args()
	for at := range d.table.Len() {
		if err := fn(d.groupOf(at), args, at); err != nil {
			return err
		}
	}
	d.table, d.rest, d.n = nil, nil, nil
	return nil
}

// args are the columns of the arguments.
func (d *Distinct) args() []*vec.Vec {
	cols := d.table.Cols()
	if !d.one {
		cols = cols[1:]
	}
	return append(cols[:len(cols):len(cols)], d.rest...)
}

func (d *Distinct) Final(lo, hi int, out *vec.Vec) error {
	if d.count {
		out.Resize(hi - lo)
		copy(out.Ints, d.n[lo:hi])
		return nil
	}
	if d.from == nil {
		d.sortGroups()
	}
	cols := d.args()
	order := d.order[d.from[lo]:d.from[hi]]
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(d.groupOf(int(a)), d.groupOf(int(b))); c != 0 {
			return c
		}
		for _, col := range cols[:d.by] {
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
	args := make([]*vec.Vec, len(cols))
	for k, c := range cols {
		args[k] = vec.New(c.Type)
	}
	var sel [vec.MaxRows]uint16
	var groups [vec.MaxRows]uint32
	for len(order) > 0 {
		n, size := 0, 0
		for n < min(len(order), vec.MaxRows) && size < partBytes {
			for _, c := range cols {
				if c.Bytes != nil && !c.Nulls.Get(int(order[n])) {
					size += len(c.Bytes[order[n]])
				}
			}
			n++
		}
		part := order[:n]
		order = order[n:]
		for k, c := range cols {
			args[k].Resize(len(part))
			args[k].EmptyBuf()
			for i, at := range part {
				vec.CopySlot(args[k], i, c, int(at))
			}
		}
		for i, at := range part {
			sel[i], groups[i] = uint16(i), d.groupOf(int(at))-uint32(lo)
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
func (d *Distinct) sortGroups() {
	n := d.table.Len()
	d.from = make([]int32, d.groups+1)
	for at := range n {
		d.from[d.groupOf(at)+1]++
	}
	for g := range d.groups {
		d.from[g+1] += d.from[g]
	}
	at := slices.Clone(d.from)
	d.order = make([]int32, n)
	for slot := range n {
		g := d.groupOf(slot)
		d.order[at[g]] = int32(slot)
		at[g]++
	}
}

// Bytes includes what Final makes.
func (d *Distinct) Bytes() int64 {
	if d.table == nil {
		return 0
	}
	n := d.table.Bytes() + 8*int64(cap(d.n))
	if !d.count {
		n += 4*int64(d.table.Len()) + 8*int64(d.groups)
	}
	for _, c := range d.rest {
		n += c.Size()
	}
	return n
}
