package vec

import (
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
)

// spoiled are values that nobody has put into a slot.
var (
	spoiledBytes    = []byte{poison.Byte, poison.Byte, poison.Byte}
	spoiledInterval = types.IntervalValue{Months: -777, Days: -777, Micros: -777}
)

// spoil overwrites all slots, so that whoever reads one that was not set since
// Resize sees it. Arrays are left: nil would panic.
func (v *Vec) spoil() {
	for i := range v.Bools {
		v.Bools[i] = true
	}
	for i := range v.Ints {
		v.Ints[i] = -0x2424242424242425
	}
	for i := range v.Floats {
		v.Floats[i] = -7.77e77
	}
	for i := range v.Decimals {
		v.Decimals[i].SetInt64(-777777777)
	}
	for i := range v.Bytes {
		v.Bytes[i] = spoiledBytes
	}
	for i := range v.Intervals {
		v.Intervals[i] = spoiledInterval
	}
}
