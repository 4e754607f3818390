package rowcodec

import (
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// mustBeTold fails unless err is one a user may see.
func mustBeTold(t *testing.T, err error) {
	t.Helper()
	if c := sqlerr.CodeOf(err); err != nil && c == sqlerr.InternalError {
		t.Fatalf("internal error: %v", err)
	}
}

// FuzzDecodeKey: no bytes crash the decoder, and what it reads it reads the same
// after encoding it again.
func FuzzDecodeKey(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(40) {
		s := randomKeySchema(rand.New(rand.NewPCG(seed, 0)))
		if key, err := s.AppendKey(nil, randomRow(r, s)); err == nil {
			f.Add(seed, key)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, key []byte) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := randomKeySchema(r)
		if seed%3 == 0 {
			adopt(r, s)
		} else if seed%3 == 1 {
			index(r, s)
		}
		if _, err := s.BucketOf(s.LogicalKey(key)); err != nil {
			mustBeTold(t, err)
		}
		vals, err := s.DecodeKey(key)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		again, err := s.AppendKey(nil, vals)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		back, err := s.DecodeKey(again)
		if err != nil {
			t.Fatalf("%s: %X decodes, %X does not: %v", formatSchema(s), key, again, err)
		}
		if compareRows(s, vals, back) != 0 {
			t.Fatalf("%s: %X is%s, %X is%s", formatSchema(s), key, formatRow(vals), again, formatRow(back))
		}
	})
}

// FuzzDecodeRow: no cell crashes the decoder, in either layout.
func FuzzDecodeRow(f *testing.F) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := randomSchema(r)
		vals := make([]types.Datum, len(s.Cells))
		for i := range vals {
			vals[i] = randomCell(r, &s.Cells[i])
		}
		if ms, err := NewRowEncoder(s).AppendRow(nil, vals, 0, false); err == nil {
			f.Add(seed, ms[len(ms)-1].Value)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, value []byte) {
		s := randomSchema(rand.New(rand.NewPCG(seed, 0)))
		s.Key = *intKey()
		s.Key.Adopted = seed%3 == 0
		var rows storage.RowBatch
		rows.StartRow([]byte{0x80, 0, 0, 1})
		rows.AddCell("0", packedQualifier, 0, value)
		cells := make([]int, len(s.Cells))
		for i := range cells {
			cells[i] = i
			rows.AddCell(s.Cells[i].Family, s.Cells[i].Qualifier, 0, value)
		}
		d := NewRowDecoder(s, []int{0}, cells)
		mustBeTold(t, d.DecodeBatch(&rows, 0, 1, vec.NewBatch(d.Types()).Cols))
		for i := range s.Cells { // one by one, past the first error
			d := NewRowDecoder(s, nil, []int{i})
			b := vec.NewBatch(d.Types())
			err := d.DecodeBatch(&rows, 0, 1, b.Cols)
			mustBeTold(t, err)
			if err == nil && s.Layout == OneCellPerColumn {
				if v := b.Cols[0].Datum(0); !v.Null {
					_, err := AppendValue(nil, &s.Cells[i].Column, v)
					mustBeTold(t, err)
				}
			}
		}
		if s.Layout == SingleCellArrayWithOffsets && len(cells) > 0 {
			_, err := NewRowEncoder(s).AppendPackedUpdate(nil, func(string) []byte { return value }, cells[:1], []types.Datum{types.NullDatum}, 0)
			mustBeTold(t, err)
		}
	})
}

// FuzzDecodeArray: no bytes crash the reader of arrays, whatever their elements; what it reads
// it reads the same after writing it again.
func FuzzDecodeArray(f *testing.F) {
	elem := func(seed uint64) (*rand.Rand, CellColumn) {
		r := rand.New(rand.NewPCG(seed, 0))
		for {
			c, _ := randomColumn(r, true)
			if c.Type != VarbinaryEncoded {
				return r, CellColumn{Name: "a", Column: Column{Type: Array, Elem: c.Type, Width: c.Width, SQL: types.ArrayOf(c.SQL)}}
			}
		}
	}
	for seed := range uint64(100) {
		r, c := elem(seed)
		if d := randomCell(r, &c); !d.Null {
			if b, err := AppendValue(nil, &c.Column, d); err == nil {
				f.Add(seed, b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, b []byte) {
		_, c := elem(seed)
		read := func(b []byte) (types.Datum, error) {
			v := vec.New(c.SQL)
			v.Resize(1)
			err := NewValueDecoder("t", &c).Decode(b, 0, v)
			return v.Datum(0), err
		}
		d, err := read(b)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		again, err := AppendValue(nil, &c.Column, d)
		if err != nil {
			mustBeTold(t, err)
			return
		}
		if back, err := read(again); err != nil || !sameValue(c.SQL, d, back) {
			t.Fatalf("%+v: %X is %s, %X is %s (%v)", c.Column, b, formatDatum(d), again, formatDatum(back), err)
		}
	})
}
