package rowcodec

import (
	"encoding/binary"

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
				if err := el.r.readColumn(rows, refs, w, hi-lo, out[el.slot]); err != nil {
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

// readColumn puts every w-th of refs, n values, into the first slots of v. The types
// that many columns have get loops without a test of the type.
func (r *valueReader) readColumn(rows *storage.RowBatch, refs []storage.ValueRef, w, n int, v *vec.Vec) error {
	switch {
	case r.adopted || r.missing != nil:
	case r.col.Type == Integer && r.phys == types.PhysInt:
		return r.readInts32(rows, refs, w, v.Ints[:n], &v.Nulls)
	case r.col.Type == BigInt && r.phys == types.PhysInt:
		return r.readInts64(rows, refs, w, v.Ints[:n], &v.Nulls)
	case r.col.Type == Double && r.phys == types.PhysFloat:
		return r.readDoubles(rows, refs, w, v.Floats[:n], &v.Nulls)
	case (r.col.Type == Varchar || r.col.Type == Varbinary) && r.phys == types.PhysBytes:
		for i := range v.Bytes[:n] {
			if ref := refs[i*w]; ref.Lo <= ref.Hi {
				v.Bytes[i] = rows.Slice(ref.Lo, ref.Hi)
			} else {
				v.Nulls.Set(i)
			}
		}
		return nil
	}
	for i := range n {
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

func (r *valueReader) readInts32(rows *storage.RowBatch, refs []storage.ValueRef, w int, out []int64, nulls *vec.Bitmap) error {
	for i := range out {
		ref := refs[i*w]
		if ref.Lo > ref.Hi {
			nulls.Set(i)
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

func (r *valueReader) readInts64(rows *storage.RowBatch, refs []storage.ValueRef, w int, out []int64, nulls *vec.Bitmap) error {
	for i := range out {
		ref := refs[i*w]
		if ref.Lo > ref.Hi {
			nulls.Set(i)
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

func (r *valueReader) readDoubles(rows *storage.RowBatch, refs []storage.ValueRef, w int, out []float64, nulls *vec.Bitmap) error {
	for i := range out {
		ref := refs[i*w]
		if ref.Lo > ref.Hi {
			nulls.Set(i)
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
