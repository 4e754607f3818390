package rowcodec

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// KeyDecoder decodes wanted key columns into vectors. It does not look past the last
// column that is wanted. Not for concurrent use.
type KeyDecoder struct {
	schema  *KeySchema
	steps   []keyStep // up to the last wanted column
	mem     arena
	ownSalt int
}

type keyStep struct {
	r     valueReader
	col   *KeyColumn // of a key in a format, else nil
	slots []int      // into out
}

// NewKeyDecoder decodes the key columns want (indexes into s.Columns, in any
// order): out[i] of Decode is column want[i].
func NewKeyDecoder(s *KeySchema, want []int) *KeyDecoder {
	d := &KeyDecoder{schema: s}
	if s.Buckets > 0 && s.Format == nil {
		d.ownSalt = 1
	}
	for slot, c := range want {
		for len(d.steps) <= c {
			st := keyStep{r: newKeyReader(s, len(d.steps), &d.mem)}
			if s.Format != nil {
				st.col = &s.Columns[len(d.steps)]
			}
			d.steps = append(d.steps, st)
		}
		d.steps[c].slots = append(d.steps[c].slots, slot)
	}
	return d
}

// Reset frees the scratch memory that DESC and escaped values took since the
// last Reset; values decoded before are void.
func (d *KeyDecoder) Reset() { d.mem.reset() }

// wants says that a column of the key is wanted.
func (d *KeyDecoder) wants() bool { return len(d.steps) > 0 }

// Decode puts the wanted columns of a physical key into slot row of out, whose
// NULL there must be unset. Byte values may alias key. Corrupt bytes are XX001.
func (d *KeyDecoder) Decode(key []byte, row int, out []*vec.Vec) error {
	if len(key) < d.ownSalt {
		return corrupt(d.schema.Table, "", "The row key is empty.")
	}
	rest := d.schema.unescapeEmpty(key[d.ownSalt:])
	if f := d.schema.Format; f != nil {
		b := f.BucketOf(key)
		if b < 0 {
			return corrupt(d.schema.Table, "", "The row key %X does not begin as KEY FORMAT says.", clip(key))
		}
		rest = key[len(f.Prefix(b)):]
	}
	for i := range d.steps {
		st := &d.steps[i]
		var part keyPart
		if w := st.r.width; w > 0 && len(rest) >= w && st.col == nil {
			part, rest = keyPart(rest[:w:w]), rest[w:]
		} else {
			var ok bool
			if part, rest, ok = d.schema.nextPart(i, rest); !ok {
				return d.schema.corruptKey(i, key)
			}
		}
		if st.col != nil {
			var ok bool
			if part, ok = st.col.Form.Decode(d.mem.room(len(part)+12), part); !ok {
				return d.schema.corruptKey(i, key)
			}
			part = d.mem.keep(part)
		}
		for _, slot := range st.slots {
			v := out[slot]
			if part == nil {
				v.Nulls.Set(row)
			} else if err := st.r.read(part, row, v); err != nil {
				return err
			}
		}
	}
	if len(d.steps) == len(d.schema.Columns) && len(rest) > 0 {
		return d.schema.corruptKey(len(d.schema.Columns)-1, key)
	}
	return nil
}

// DecodeKey decodes a whole physical key. Bytes may alias key. It allocates; scans
// use a KeyDecoder.
func (s *KeySchema) DecodeKey(key []byte) ([]types.Datum, error) {
	return s.decodeColumns(key, len(s.Columns))
}

// decodeColumns decodes the first n columns of a physical key.
func (s *KeySchema) decodeColumns(key []byte, n int) ([]types.Datum, error) {
	want := make([]int, n)
	out := make([]*vec.Vec, n)
	for i := range want {
		want[i] = i
		out[i] = vec.New(s.Columns[i].SQL)
		out[i].Resize(1)
	}
	if err := NewKeyDecoder(s, want).Decode(key, 0, out); err != nil {
		return nil, err
	}
	vals := make([]types.Datum, len(out))
	for i, v := range out {
		vals[i] = v.Datum(0)
	}
	return vals, nil
}
