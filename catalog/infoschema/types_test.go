package infoschema

import (
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

// TestFacets asks what is said of types of each kind: -1 is nothing.
func TestFacets(t *testing.T) {
	or := func(n int, ok bool) int {
		if !ok {
			return -1
		}
		return n
	}
	for name, c := range map[string]struct {
		of                                                types.T
		chars, octets, precision, radix, scale, fractions int
	}{
		"text":        {types.Of(types.Text), -1, maxOctets, -1, -1, -1, -1},
		"varchar(5)":  {types.Of(types.Varchar).WithLength(5), 5, 20, -1, -1, -1, -1},
		"varchar":     {types.Of(types.Varchar), -1, maxOctets, -1, -1, -1, -1},
		"int2":        {types.Of(types.Int2), -1, -1, 16, 2, 0, -1},
		"int8":        {types.Of(types.Int8), -1, -1, 64, 2, 0, -1},
		"float8":      {types.Of(types.Float8), -1, -1, 53, 2, -1, -1},
		"numeric":     {types.Of(types.Numeric), -1, -1, -1, 10, -1, -1},
		"date":        {types.Of(types.Date), -1, -1, -1, -1, -1, 0},
		"timestamptz": {types.Of(types.Timestamptz), -1, -1, -1, -1, -1, types.MaxTimePrecision},
		"interval":    {types.Of(types.Interval), -1, -1, -1, -1, -1, types.MaxTimePrecision},
		"bytea":       {types.Of(types.Bytea), -1, -1, -1, -1, -1, -1},
		"int4[]":      {types.ArrayOf(types.Of(types.Int4)), -1, -1, -1, -1, -1, -1},
	} {
		got := [6]int{or(charLength(c.of)), or(octetLength(c.of)), or(numericPrecision(c.of)), or(numericRadix(c.of)), or(numericScale(c.of)),
			or(datetimePrecision(c.of, c.of.Typmod()))}
		if want := [6]int{c.chars, c.octets, c.precision, c.radix, c.scale, c.fractions}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
