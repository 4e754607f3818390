package vec

import "github.com/saltsql/saltsql/internal/types"

// A column of more rows than a batch has is a list of blocks of MaxRows slots each, of
// which the last may have fewer. Row r lies in slot r % MaxRows of block r / MaxRows.
const (
	blockShift = 10
	blockMask  = MaxRows - 1
)

// Take puts rows of a column of blocks into dst from slot at on, which has room for
// them and no NULLs there yet. A negative row is NULL. Texts and arrays are shared.
func Take(dst *Vec, at int, blocks []*Vec, rows []int32) {
	takeNulls(dst, at, blocks, rows)
	switch dst.Type.Phys() {
	case types.PhysInt:
		to := dst.Ints[at : at+len(rows)]
		if len(blocks) == 1 {
			from := blocks[0].Ints
			for k, r := range rows {
				if r >= 0 {
					to[k] = from[r]
				}
			}
			return
		}
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Ints[r&blockMask]
			}
		}
	case types.PhysBytes:
		to := dst.Bytes[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Bytes[r&blockMask]
			}
		}
	case types.PhysFloat:
		to := dst.Floats[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Floats[r&blockMask]
			}
		}
	case types.PhysBool:
		to := dst.Bools[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Bools[r&blockMask]
			}
		}
	case types.PhysDecimal:
		to := dst.Decimals[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				if b := blocks[r>>blockShift]; !b.Nulls.Get(int(r & blockMask)) {
					to[k].Set(&b.Decimals[r&blockMask])
				}
			}
		}
	case types.PhysInterval:
		to := dst.Intervals[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Intervals[r&blockMask]
			}
		}
	case types.PhysArray:
		to := dst.Arrays[at : at+len(rows)]
		for k, r := range rows {
			if r >= 0 {
				to[k] = blocks[r>>blockShift].Arrays[r&blockMask]
			}
		}
	}
}

func takeNulls(dst *Vec, at int, blocks []*Vec, rows []int32) {
	if len(blocks) == 1 && !blocks[0].Nulls.Any() || len(blocks) == 0 {
		for k, r := range rows {
			if r < 0 {
				dst.Nulls.Set(at + k)
			}
		}
		return
	}
	for k, r := range rows {
		if r < 0 || blocks[r>>blockShift].Nulls.Get(int(r&blockMask)) {
			dst.Nulls.Set(at + k)
		}
	}
}

// CopySlots puts the slots sel of src into dst from slot at on, which has room for them
// and no NULLs there yet, copying bytes into dst's own memory.
func CopySlots(dst *Vec, at int, src *Vec, sel []uint16) {
	nulls := src.Nulls.Any()
	if nulls {
		for k, s := range sel {
			if src.Nulls.Get(int(s)) {
				dst.Nulls.Set(at + k)
			}
		}
	}
	switch dst.Type.Phys() {
	case types.PhysInt:
		to := dst.Ints[at : at+len(sel)]
		for k, s := range sel {
			to[k] = src.Ints[s]
		}
	case types.PhysFloat:
		to := dst.Floats[at : at+len(sel)]
		for k, s := range sel {
			to[k] = src.Floats[s]
		}
	case types.PhysBytes:
		for k, s := range sel {
			if !nulls || !src.Nulls.Get(int(s)) {
				dst.SetBytes(at+k, src.Bytes[s])
			}
		}
	case types.PhysArray:
		for k, s := range sel {
			if !nulls || !src.Nulls.Get(int(s)) {
				d := src.value(int(s))
				dst.Arrays[at+k] = d.Array
				dst.Hold(d.Behind())
			}
		}
	default:
		for k, s := range sel {
			if !nulls || !src.Nulls.Get(int(s)) {
				dst.Set(at+k, src.value(int(s)))
			}
		}
	}
}
