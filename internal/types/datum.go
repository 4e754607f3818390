package types

import "github.com/cockroachdb/apd/v3"

// IntervalValue is a Postgres interval: its three parts do not mix.
type IntervalValue struct {
	Months, Days int32
	Micros       int64
}

// ArrayValue is an array or a record. Arrays of more than one dimension hold
// their elements in row-major order.
type ArrayValue struct {
	Elem  T      // arrays: the element type; records: unused
	Shape *Shape // records: what their fields are
	Dims  []int32
	// Low is how far the lower bound of each dimension is from 1; -1 for vectors.
	Low   int32
	Elems []Datum
}

// Datum is one value: NULL, or the field its type's Phys names. A Datum does
// not know its type; it travels beside one.
type Datum struct {
	Null     bool
	Bool     bool
	Int      int64
	Float    float64
	Decimal  *apd.Decimal
	Bytes    []byte
	Interval IntervalValue
	Array    *ArrayValue
}

// NullDatum is NULL of any type.
var NullDatum = Datum{Null: true}

// NewBool makes a boolean.
func NewBool(v bool) Datum { return Datum{Bool: v} }

// NewInt makes a value of a PhysInt type.
func NewInt(v int64) Datum { return Datum{Int: v} }

// NewFloat makes a value of a PhysFloat type.
func NewFloat(v float64) Datum { return Datum{Float: v} }

// NewBytes makes a value of a PhysBytes type.
func NewBytes(v []byte) Datum { return Datum{Bytes: v} }

// NewText makes a text value.
func NewText(v string) Datum { return Datum{Bytes: []byte(v)} }

// NewDecimal makes a numeric.
func NewDecimal(v *apd.Decimal) Datum { return Datum{Decimal: v} }

// Clone gives a copy of d, a value of type t, that shares no memory with it.
func (d Datum) Clone(t T) Datum {
	if d.Null {
		return d
	}
	switch t.Phys() {
	case PhysBytes:
		d.Bytes = append([]byte{}, d.Bytes...)
	case PhysDecimal:
		d.Decimal = new(apd.Decimal).Set(d.Decimal)
	case PhysArray:
		a := *d.Array
		a.Dims = append([]int32(nil), a.Dims...)
		a.Elems = make([]Datum, len(d.Array.Elems))
		for i, e := range d.Array.Elems {
			a.Elems[i] = e.Clone(a.elemType(t, i))
		}
		d.Array = &a
	}
	return d
}
