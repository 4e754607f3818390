package copyfmt

import (
	"math"

	"github.com/saltsql/saltsql/internal/types"
)

// setText puts a field into slot i of column c.
func (r *Reader) setText(c, i int, line int64, f *field) error {
	v := r.batch.Cols[c]
	if f.null {
		v.Nulls.Set(i)
		return nil
	}
	t := r.cols[c].Type
	switch t.Kind {
	case types.Text:
		v.Bytes[i] = r.keep(f.b)
		return nil
	case types.Varchar:
		if t.Typmod() < 0 {
			v.Bytes[i] = r.keep(f.b)
			return nil
		}
	case types.Int2, types.Int4, types.Int8:
		if n, ok := smallInt(f.b); ok && inRange(t.Kind, n) {
			v.Ints[i] = n
			return nil
		}
	}
	d, err := types.ParseText(t, f.b, r.env)
	if err != nil {
		return inColumn(err, r.table, line, r.cols[c].Name, f.b)
	}
	r.used += len(f.b)
	v.Set(i, d)
	return nil
}

// smallInt reads a plain integer of up to 18 digits; every other form is left to
// the type's own input function.
func smallInt(b []byte) (int64, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

func inRange(k types.Kind, n int64) bool {
	switch k {
	case types.Int2:
		return n >= math.MinInt16 && n <= math.MaxInt16
	case types.Int4:
		return n >= math.MinInt32 && n <= math.MaxInt32
	}
	return true
}
