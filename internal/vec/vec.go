package vec

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
)

// MaxRows is the most rows a batch carries; equal to storage.MaxBatchRows.
const MaxRows = 1024

// Vec is one column of a batch. Only the slice that Type.Phys() names is used,
// and it is as long as Resize made it. A NULL's slot holds any value of its type.
type Vec struct {
	Type      types.T
	Nulls     Bitmap
	Bools     []bool
	Ints      []int64
	Floats    []float64
	Decimals  []apd.Decimal
	Bytes     [][]byte
	Intervals []types.IntervalValue
	Arrays    []*types.ArrayValue
	// Buf is memory for byte values that v owns: a producer empties it when it
	// makes new values. See Tail and Keep.
	Buf []byte
	// Most is how many bytes Own may come to before the producer should make fewer
	// values at a time; 0 is any number.
	Most int64
	// Share is what the producer has booked for Own.
	Share memory.Share

	n    int
	held int64 // bytes of values that do not lie in Buf
}

// New makes an empty column of type t.
func New(t types.T) *Vec { return &Vec{Type: t} }

// Len is the number of slots.
func (v *Vec) Len() int { return v.n }

// Resize makes v n slots long with no NULLs. They hold anything: Extend keeps
// values.
func (v *Vec) Resize(n int) {
	v.Nulls.Reset(n)
	v.setLen(n)
	if poison.On {
		v.spoil()
	}
}

func (v *Vec) setLen(n int) {
	v.n = n
	switch v.Type.Phys() {
	case types.PhysBool:
		v.Bools = grow(v.Bools, n)
	case types.PhysInt:
		v.Ints = grow(v.Ints, n)
	case types.PhysFloat:
		v.Floats = grow(v.Floats, n)
	case types.PhysDecimal:
		v.Decimals = grow(v.Decimals, n)
	case types.PhysBytes:
		v.Bytes = grow(v.Bytes, n)
	case types.PhysInterval:
		v.Intervals = grow(v.Intervals, n)
	case types.PhysArray:
		v.Arrays = grow(v.Arrays, n)
	}
}

func grow[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	t := make([]E, n, max(n, 2*cap(s)))
	copy(t, s[:cap(s)])
	return t
}

// Null says whether slot i is NULL.
func (v *Vec) Null(i int) bool { return v.Nulls.Get(i) }

// Datum gives slot i. Bytes and decimals are not copied.
func (v *Vec) Datum(i int) types.Datum {
	if v.Nulls.Get(i) {
		return types.NullDatum
	}
	return v.value(i)
}

// value gives slot i, which is not NULL.
func (v *Vec) value(i int) types.Datum {
	switch v.Type.Phys() {
	case types.PhysBool:
		return types.Datum{Bool: v.Bools[i]}
	case types.PhysInt:
		return types.Datum{Int: v.Ints[i]}
	case types.PhysFloat:
		return types.Datum{Float: v.Floats[i]}
	case types.PhysDecimal:
		return types.Datum{Decimal: &v.Decimals[i]}
	case types.PhysInterval:
		return types.Datum{Interval: v.Intervals[i]}
	case types.PhysArray:
		return types.Datum{Array: v.Arrays[i]}
	}
	return types.Datum{Bytes: v.Bytes[i]}
}

// Set puts d into slot i. Bytes are not copied; decimals are.
func (v *Vec) Set(i int, d types.Datum) {
	if d.Null {
		v.Nulls.Set(i)
		return
	}
	v.Nulls.Clear(i)
	switch v.Type.Phys() {
	case types.PhysBool:
		v.Bools[i] = d.Bool
	case types.PhysInt:
		v.Ints[i] = d.Int
	case types.PhysFloat:
		v.Floats[i] = d.Float
	case types.PhysDecimal:
		v.Decimals[i].Set(d.Decimal)
	case types.PhysBytes:
		v.Bytes[i] = d.Bytes
	case types.PhysInterval:
		v.Intervals[i] = d.Interval
	case types.PhysArray:
		v.Arrays[i] = d.Array
	}
}

// EmptySize is about the memory of a column without slots.
const EmptySize = 352

// Size is the memory in bytes that v holds, about.
func (v *Vec) Size() int64 {
	n := cap(v.Bools) + 8*cap(v.Ints) + 8*cap(v.Floats) + 40*cap(v.Decimals) + 24*cap(v.Bytes) +
		16*cap(v.Intervals) + 8*cap(v.Arrays) + 8*cap(v.Nulls.words)
	return int64(n) + v.Own()
}

// Batch is up to MaxRows rows. Rows are the slots Sel lists, ascending, or
// 0..N-1 where Sel is nil. Every column has at least N slots.
type Batch struct {
	Cols []*Vec
	N    int
	Sel  []uint16
}

// NewBatch makes an empty batch with columns of the given types.
func NewBatch(ts []types.T) *Batch {
	b := &Batch{Cols: make([]*Vec, len(ts))}
	for i, t := range ts {
		b.Cols[i] = New(t)
	}
	return b
}

// Rows is the number of rows selected.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// Row gives the slot of the i-th selected row.
func (b *Batch) Row(i int) int {
	if b.Sel != nil {
		return int(b.Sel[i])
	}
	return i
}

// Extend makes v n slots long, n not below Len, and keeps what it holds, NULLs
// included. New slots are not NULL and hold anything.
func (v *Vec) Extend(n int) {
	v.Nulls.extend(n)
	v.setLen(n)
}
