package join

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// mergeKeys computes the keys of one side's rows, a batch at a time.
type mergeKeys struct {
	*op.RowExprs
	bytes *spill.Keys // nil: the keys are numbers
	desc  bool        // of a number
	equal []bool      // per key: two NULLs are equal
	b     *vec.Batch
	sel   []uint16
	list  keyList // of sel's rows
	at    int     // of sel: who uses it has gone so far
}

func newMergeKeys(n *plan.MergeJoin, left bool) (*mergeKeys, error) {
	k := &mergeKeys{desc: n.Desc[0]}
	var es []expr.Expr
	var order []plan.SortKey
	for i, key := range n.Keys {
		e := key.Right
		if left {
			e = key.Left
		}
		es = append(es, e)
		order = append(order, plan.SortKey{Expr: e, Desc: n.Desc[i], NullsFirst: n.Desc[i]})
		k.equal = append(k.equal, key.NullsEqual)
	}
	var err error
	if k.RowExprs, err = op.NewRowExprs(es); err != nil {
		return nil, err
	}
	if key := n.Keys[0]; len(n.Keys) == 1 && !key.NullsEqual && key.Left.Type().Phys() == types.PhysInt && key.Right.Type().Phys() == types.PhysInt {
		return k, nil
	}
	if k.bytes, err = spill.NewSortKeys(order); err != nil {
		return nil, err
	}
	k.bytes.Vals = k.Vals
	return k, nil
}

// take takes a batch whose keys are computed.
func (k *mergeKeys) take(b *vec.Batch) {
	k.b, k.sel, k.at = b, spill.Selection(b), 0
	k.list.reset()
	if k.bytes == nil {
		k.list.takeNumbers(k.Vals[0], k.sel, k.desc)
		return
	}
	for _, s := range k.sel {
		none := false
		for i, v := range k.Vals {
			none = none || !k.equal[i] && v.Nulls.Get(int(s))
		}
		k.list.bytes = k.bytes.Append(k.list.bytes, int(s))
		k.list.ends, k.list.none = append(k.list.ends, len(k.list.bytes)), append(k.list.none, none)
	}
}

// keyList are the keys of rows, in their order: numbers where there is one key of integers,
// else bytes.
type keyList struct {
	nums  []int64 // of DESC all bits are inverted
	bytes []byte
	ends  []int  // of each row's bytes
	none  []bool // a key is NULL and equal to none
}

// takeNumbers lists the keys of a batch. NULLs, which come last or, of DESC, first, are as the
// greatest number.
func (l *keyList) takeNumbers(v *vec.Vec, sel []uint16, desc bool) {
	flip := int64(0)
	if desc {
		flip = -1
	}
	nulls := v.Nulls.Any()
	for _, s := range sel {
		n, none := v.Ints[s], nulls && v.Nulls.Get(int(s))
		if none {
			n = math.MaxInt64
		}
		l.nums, l.none = append(l.nums, n^flip), append(l.none, none)
	}
}

func (l *keyList) reset() {
	l.nums, l.bytes, l.ends, l.none = l.nums[:0], l.bytes[:0], l.ends[:0], l.none[:0]
}

// add adds the keys of another list from a row on.
func (l *keyList) add(o *keyList, from int) {
	l.none = append(l.none, o.none[from:]...)
	if o.ends == nil {
		l.nums = append(l.nums, o.nums[from:]...)
		return
	}
	start, shift := 0, len(l.bytes)
	if from > 0 {
		start = o.ends[from-1]
	}
	l.bytes = append(l.bytes, o.bytes[start:]...)
	for _, end := range o.ends[from:] {
		l.ends = append(l.ends, end-start+shift)
	}
}

// addRow adds one key of another list.
func (l *keyList) addRow(o *keyList, row int) {
	l.none = append(l.none, o.none[row])
	if o.ends == nil {
		l.nums = append(l.nums, o.nums[row])
		return
	}
	l.bytes = append(l.bytes, o.row(row)...)
	l.ends = append(l.ends, len(l.bytes))
}

// forget forgets the first n keys.
func (l *keyList) forget(n int) {
	l.none = slices.Delete(l.none, 0, n)
	if l.ends == nil {
		l.nums = slices.Delete(l.nums, 0, n)
		return
	}
	from := l.ends[n-1]
	l.bytes, l.ends = slices.Delete(l.bytes, 0, from), slices.Delete(l.ends, 0, n)
	for i := range l.ends {
		l.ends[i] -= from
	}
}

// compare compares the key of row a, which is not none, with one of another list.
func (l *keyList) compare(a int, o *keyList, b int) int {
	if l.ends != nil {
		return bytes.Compare(l.row(a), o.row(b))
	}
	x, y := l.nums[a], o.nums[b]
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case !o.none[b]:
		return 0
	}
	return cmp.Compare(0, y) // a NULL, beside the greatest number or, inverted, the least
}

func (l *keyList) row(i int) []byte {
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.bytes[from:l.ends[i]]
}

// size is the memory that they take, in bytes.
func (l *keyList) size() int64 {
	return 8*int64(cap(l.nums)+cap(l.ends)) + int64(cap(l.bytes)+cap(l.none))
}
