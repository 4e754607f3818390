package spill

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Rows that an operator keeps (to sort, group or spill) are bytes, which cost
// the collector nothing and go to a file as they are:
//
//	per column:  00 if NULL, else 01 and the value
//	bool  1 byte · int, float  8 bytes · interval  16 bytes
//	text, bytea  length, bytes · numeric  form and sign, exponent, coefficient
//	array, record  each element as the fields of its Datum; of a record its shape's
//	               number, for the plan that made it holds the shape
func AppendRow(dst []byte, cols []*vec.Vec, slot int) []byte {
	for _, v := range cols {
		if v.Nulls.Get(slot) {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		switch v.Type.Phys() {
		case types.PhysBool:
			dst = appendBool(dst, v.Bools[slot])
		case types.PhysInt:
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v.Ints[slot]))
		case types.PhysFloat:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Floats[slot]))
		case types.PhysDecimal:
			dst = appendDecimal(dst, &v.Decimals[slot])
		case types.PhysInterval:
			dst = appendInterval(dst, v.Intervals[slot])
		case types.PhysArray:
			dst = appendArray(dst, v.Arrays[slot])
		default:
			dst = appendBlob(dst, v.Bytes[slot])
		}
	}
	return dst
}

// DecodeRow puts a row that AppendRow made into slot, which is not NULL yet,
// and gives what follows it. Byte values alias src.
func DecodeRow(src []byte, cols []*vec.Vec, slot int) []byte {
	for _, v := range cols {
		null := src[0] == 0
		src = src[1:]
		if null {
			v.Nulls.Set(slot)
			continue
		}
		switch v.Type.Phys() {
		case types.PhysBool:
			v.Bools[slot], src = src[0] != 0, src[1:]
		case types.PhysInt:
			v.Ints[slot], src = int64(binary.LittleEndian.Uint64(src)), src[8:]
		case types.PhysFloat:
			v.Floats[slot], src = math.Float64frombits(binary.LittleEndian.Uint64(src)), src[8:]
		case types.PhysDecimal:
			src = decodeDecimal(src, &v.Decimals[slot])
		case types.PhysInterval:
			v.Intervals[slot], src = decodeInterval(src)
		case types.PhysArray:
			v.Arrays[slot], src = decodeArray(src)
		default:
			v.Bytes[slot], src = decodeBlob(src)
		}
	}
	return src
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendBlob(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func decodeBlob(src []byte) (b, rest []byte) {
	n, w := binary.Uvarint(src)
	end := w + int(n)
	return src[w:end:end], src[end:]
}

func appendDecimal(dst []byte, d *apd.Decimal) []byte {
	head := byte(d.Form) << 2
	if d.Negative {
		head |= 1
	}
	small := d.Coeff.IsUint64()
	if !small {
		head |= 2
	}
	dst = binary.AppendVarint(append(dst, head), int64(d.Exponent))
	if small {
		return binary.AppendUvarint(dst, d.Coeff.Uint64())
	}
	return appendBlob(dst, d.Coeff.Bytes())
}

func decodeDecimal(src []byte, d *apd.Decimal) []byte {
	head := src[0]
	exp, w := binary.Varint(src[1:])
	src = src[1+w:]
	d.Form, d.Negative, d.Exponent = apd.Form(head>>2), head&1 != 0, int32(exp)
	if head&2 == 0 {
		u, w := binary.Uvarint(src)
		d.Coeff.SetUint64(u)
		return src[w:]
	}
	b, rest := decodeBlob(src)
	d.Coeff.SetBytes(b)
	return rest
}

func appendInterval(dst []byte, v types.IntervalValue) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(v.Months))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(v.Days))
	return binary.LittleEndian.AppendUint64(dst, uint64(v.Micros))
}

func decodeInterval(src []byte) (types.IntervalValue, []byte) {
	le := binary.LittleEndian
	return types.IntervalValue{Months: int32(le.Uint32(src)), Days: int32(le.Uint32(src[4:])), Micros: int64(le.Uint64(src[8:]))}, src[16:]
}

// An array keeps its type beside it: it is small numbers.
func appendArray(dst []byte, a *types.ArrayValue) []byte {
	dst = appendType(dst, a.Elem)
	dst = binary.AppendUvarint(dst, a.Shape.ID())
	dst = binary.AppendUvarint(dst, uint64(len(a.Dims)))
	for _, n := range a.Dims {
		dst = binary.AppendVarint(dst, int64(n))
	}
	dst = binary.AppendVarint(dst, int64(a.Low))
	dst = binary.AppendUvarint(dst, uint64(len(a.Elems)))
	for i := range a.Elems {
		dst = appendDatum(dst, &a.Elems[i])
	}
	return dst
}

func decodeArray(src []byte) (*types.ArrayValue, []byte) {
	a := &types.ArrayValue{}
	a.Elem, src = decodeType(src)
	id, w := binary.Uvarint(src)
	a.Shape, src = types.ShapeByID(id), src[w:]
	n, src := decodeCount(src)
	for range n {
		d, w := binary.Varint(src)
		src = src[w:]
		a.Dims = append(a.Dims, int32(d))
	}
	low, w := binary.Varint(src)
	a.Low, src = int32(low), src[w:]
	n, src = decodeCount(src)
	a.Elems = make([]types.Datum, n)
	for i := range a.Elems {
		src = decodeDatum(src, &a.Elems[i])
	}
	return a, src
}

func decodeCount(src []byte) (int, []byte) {
	n, w := binary.Uvarint(src)
	return int(n), src[w:]
}

func appendType(dst []byte, t types.T) []byte {
	return binary.AppendUvarint(binary.AppendVarint(append(dst, byte(t.Kind), byte(t.Elem)), int64(t.Typmod())), t.Shape().ID())
}

func decodeType(src []byte) (types.T, []byte) {
	m, w := binary.Varint(src[2:])
	t := types.T{Kind: types.Kind(src[0]), Elem: types.Kind(src[1])}
	id, n := binary.Uvarint(src[2+w:])
	if s := types.ShapeByID(id); s != nil {
		t = types.RecordOf(s)
	}
	return t.WithTypmod(int32(m)), src[2+w+n:]
}

// appendDatum writes a value without its type: a mask of the fields that are
// set, and those.
func appendDatum(dst []byte, d *types.Datum) []byte {
	at := len(dst)
	dst = append(dst, 0)
	mark := func(bit byte) { dst[at] |= bit }
	if d.Null {
		mark(1)
		return dst
	}
	if d.Bool {
		mark(2)
	}
	if d.Int != 0 {
		mark(4)
		dst = binary.AppendVarint(dst, d.Int)
	}
	if math.Float64bits(d.Float) != 0 {
		mark(8)
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.Float))
	}
	if d.Decimal != nil {
		mark(16)
		dst = appendDecimal(dst, d.Decimal)
	}
	if d.Bytes != nil {
		mark(32)
		dst = appendBlob(dst, d.Bytes)
	}
	if d.Interval != (types.IntervalValue{}) {
		mark(64)
		dst = appendInterval(dst, d.Interval)
	}
	if d.Array != nil {
		mark(128)
		dst = appendArray(dst, d.Array)
	}
	return dst
}

func decodeDatum(src []byte, d *types.Datum) []byte {
	mask := src[0]
	src = src[1:]
	d.Null, d.Bool = mask&1 != 0, mask&2 != 0
	if mask&4 != 0 {
		v, w := binary.Varint(src)
		d.Int, src = v, src[w:]
	}
	if mask&8 != 0 {
		d.Float, src = math.Float64frombits(binary.LittleEndian.Uint64(src)), src[8:]
	}
	if mask&16 != 0 {
		d.Decimal = new(apd.Decimal)
		src = decodeDecimal(src, d.Decimal)
	}
	if mask&32 != 0 {
		d.Bytes, src = decodeBlob(src)
		d.Bytes = bytes.Clone(d.Bytes) // arrays are shared and outlive src
	}
	if mask&64 != 0 {
		d.Interval, src = decodeInterval(src)
	}
	if mask&128 != 0 {
		d.Array, src = decodeArray(src)
	}
	return src
}
