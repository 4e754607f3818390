package rowcodec

import (
	"encoding/binary"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// decodeValues is DecodeRow's part behind the key for a batch of columns. Their order
// is that of Project, with the marker cell or without it.
func (d *RowDecoder) decodeValues(rows *storage.RowBatch, i, slot int, out []*vec.Vec) error {
	w := rows.Columns()
	refs := rows.Values()[i*w+w-len(d.targets) : (i+1)*w]
	for k := range d.targets {
		t, ref := &d.targets[k], refs[k]
		if ref.Lo > ref.Hi {
			if err := absentCell(t.elems, slot, out); err != nil {
				return err
			}
			continue
		}
		value := rows.Slice(ref.Lo, ref.Hi)
		var err error
		if t.packed {
			err = d.readPackedCell(t, value, slot, out)
		} else {
			err = readCell(t.elems, value, slot, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Part is some of a decoder's columns, which are decoded together: see DecodePart.
type Part struct {
	key     bool // those of the key that are wanted are among them: all are decoded together
	targets []int
	slots   []int // of the vectors
}

// Slots lists the vectors of a part.
func (p *Part) Slots() []int { return p.slots }

// Part gives the part of the columns that go into vectors slots, and with one of the key's all
// of these. False where rows are decoded only whole.
func (d *RowDecoder) Part(slots []int) (p Part, ok bool) {
	if d.Whole() || len(d.targets) == 0 {
		return p, false
	}
	keys := len(d.types)
	for k := range d.targets {
		t := &d.targets[k]
		if t.packed || len(t.elems) != 1 {
			return p, false
		}
		keys = min(keys, t.elems[0].slot)
		if slices.Contains(slots, t.elems[0].slot) {
			p.targets = append(p.targets, k)
			p.slots = append(p.slots, t.elems[0].slot)
		}
	}
	for _, s := range slots {
		p.key = p.key || s < keys
	}
	if p.key {
		for s := range keys {
			p.slots = append(p.slots, s)
		}
	}
	return p, true
}

// DecodePart makes the vectors of a part as long as the batch, one of columns
// (RowBatch.Columns), has rows, and decodes those that sel lists into slots of the same
// numbers. Reset is called before the first part of a batch. Byte values may alias rows.
// Corrupt bytes are XX001.
func (d *RowDecoder) DecodePart(rows *storage.RowBatch, p *Part, sel []uint16, out []*vec.Vec) error {
	for _, s := range p.slots {
		out[s].Resize(rows.Len())
	}
	err := d.decodePart(rows, p, sel, out)
	for _, i := range sel {
		if err == nil {
			break
		}
		// Again by rows: which one is it.
		if e := d.decodePart(rows, p, []uint16{i}, out); e != nil {
			return inRow(e, rows.Key(int(i)))
		}
	}
	return err
}

func (d *RowDecoder) decodePart(rows *storage.RowBatch, p *Part, sel []uint16, out []*vec.Vec) error {
	if p.key {
		for _, i := range sel {
			if err := d.key.Decode(rows.Key(int(i)), int(i), out); err != nil {
				return err
			}
		}
	}
	w := rows.Columns()
	for _, k := range p.targets {
		el := &d.targets[k].elems[0]
		if err := el.r.readColumn(rows, rows.Values()[w-len(d.targets)+k:], w, sel, out[el.slot]); err != nil {
			return err
		}
	}
	return nil
}

// decodeColumns decodes rows lo to hi-1 of a batch of columns, a column at a time. Where
// no cell is wanted, any batch will do.
func (d *RowDecoder) decodeColumns(rows *storage.RowBatch, lo, hi int, out []*vec.Vec) error {
	if lo == hi {
		return nil
	}
	if d.key.wants() {
		for i := lo; i < hi; i++ {
			if err := d.key.Decode(rows.Key(i), i-lo, out); err != nil {
				return err
			}
		}
	}
	w := rows.Columns()
	for k := range d.targets {
		t := &d.targets[k]
		refs := rows.Values()[lo*w+w-len(d.targets)+k : hi*w]
		if !t.packed {
			for e := range t.elems {
				el := &t.elems[e]
				if err := el.r.readColumn(rows, refs, w, everySlot[:hi-lo], out[el.slot]); err != nil {
					return err
				}
			}
			continue
		}
		for i := range hi - lo {
			if ref := refs[i*w]; ref.Lo > ref.Hi {
				if err := absentCell(t.elems, i, out); err != nil {
					return err
				}
			} else if err := d.readPackedCell(t, rows.Slice(ref.Lo, ref.Hi), i, out); err != nil {
				return err
			}
		}
	}
	return nil
}

var everySlot = func() (s [vec.MaxRows]uint16) {
	for i := range s {
		s[i] = uint16(i)
	}
	return s
}()

// readColumn puts every w-th of refs into the slots of v that sel lists. The types that many
// columns have get loops without a test of the type.
func (r *valueReader) readColumn(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	switch {
	case r.adopted || r.missing != nil:
	case r.col.Type == Integer && r.phys == types.PhysInt:
		return r.readInts32(rows, refs, w, sel, v)
	case r.col.Type == BigInt && r.phys == types.PhysInt:
		return r.readInts64(rows, refs, w, sel, v)
	case r.col.Type == Double && r.phys == types.PhysFloat:
		return r.readDoubles(rows, refs, w, sel, v)
	case r.col.Type == Decimal && r.phys == types.PhysDecimal:
		return r.readDecimals(rows, refs, w, sel, v)
	case r.col.Type == Date && r.col.SQL.Kind == types.Date && r.phys == types.PhysInt:
		return r.readDates(rows, refs, w, sel, v)
	case (r.col.Type == Varchar || r.col.Type == Varbinary) && r.phys == types.PhysBytes:
		out := v.Bytes
		for _, i := range sel {
			if ref := refs[int(i)*w]; ref.Lo <= ref.Hi {
				out[i] = rows.Slice(ref.Lo, ref.Hi)
			} else {
				v.Nulls.Set(int(i))
			}
		}
		return nil
	}
	for _, s := range sel {
		i := int(s)
		var err error
		switch ref := refs[i*w]; {
		case ref.Lo > ref.Hi:
			err = r.absent(i, v)
		case ref.Lo == ref.Hi && r.emptyNull:
			v.Nulls.Set(i)
		default:
			err = r.read(rows.Slice(ref.Lo, ref.Hi), i, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *valueReader) readInts32(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	out := v.Ints
	for _, i := range sel {
		ref := refs[int(i)*w]
		if ref.Lo > ref.Hi {
			v.Nulls.Set(int(i))
			continue
		}
		b := rows.Slice(ref.Lo, ref.Hi)
		if len(b) != 4 {
			return r.corrupt(b, "the length is wrong")
		}
		out[i] = int64(int32(binary.BigEndian.Uint32(b) ^ 1<<31))
	}
	return nil
}

func (r *valueReader) readInts64(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	out := v.Ints
	for _, i := range sel {
		ref := refs[int(i)*w]
		if ref.Lo > ref.Hi {
			v.Nulls.Set(int(i))
			continue
		}
		b := rows.Slice(ref.Lo, ref.Hi)
		if len(b) != 8 {
			return r.corrupt(b, "the length is wrong")
		}
		out[i] = int64(binary.BigEndian.Uint64(b) ^ 1<<63)
	}
	return nil
}

func (r *valueReader) readDoubles(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	out := v.Floats
	for _, i := range sel {
		ref := refs[int(i)*w]
		if ref.Lo > ref.Hi {
			v.Nulls.Set(int(i))
			continue
		}
		b := rows.Slice(ref.Lo, ref.Hi)
		if len(b) != 8 {
			return r.corrupt(b, "the length is wrong")
		}
		out[i] = floatOf64(binary.BigEndian.Uint64(b))
	}
	return nil
}

func (r *valueReader) readDecimals(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	out := v.Decimals
	for _, i := range sel {
		ref := refs[int(i)*w]
		if ref.Lo > ref.Hi {
			v.Nulls.Set(int(i))
			continue
		}
		b := rows.Slice(ref.Lo, ref.Hi)
		if !decimal.Decode(b, 0, r.scale, &out[i]) {
			return r.corrupt(b, "not base-100 digits")
		}
	}
	return nil
}

// readDates reads days that are stored as ms.
func (r *valueReader) readDates(rows *storage.RowBatch, refs []storage.ValueRef, w int, sel []uint16, v *vec.Vec) error {
	out := v.Ints
	for _, i := range sel {
		ref := refs[int(i)*w]
		if ref.Lo > ref.Hi {
			v.Nulls.Set(int(i))
			continue
		}
		b := rows.Slice(ref.Lo, ref.Hi)
		if len(b) != 8 {
			return r.corrupt(b, "the length is wrong")
		}
		ms := int64(binary.BigEndian.Uint64(b) ^ 1<<63)
		if ms == posInfinity || ms == negInfinity {
			out[i] = ms
		} else {
			out[i] = floorDiv(ms, msPerDay)
		}
	}
	return nil
}
