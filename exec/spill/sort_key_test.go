package spill

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// TestSortKeys: the bytes of sort keys compare as types.Compare does.
func TestSortKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	dec := func() types.Datum {
		d := apd.New(rng.Int64N(2000)-1000, int32(rng.IntN(9)-4))
		switch rng.IntN(20) {
		case 0:
			d = &apd.Decimal{Form: apd.NaN}
		case 1:
			d = &apd.Decimal{Form: apd.Infinite, Negative: rng.IntN(2) == 0}
		}
		return types.NewDecimal(d)
	}
	text := func() types.Datum {
		b := make([]byte, rng.IntN(4))
		for i := range b {
			b[i] = []byte{0, 1, 'a', ' ', 255}[rng.IntN(5)]
		}
		return types.NewBytes(b)
	}
	gens := map[types.T]func() types.Datum{
		types.Of(types.Int8):    func() types.Datum { return types.NewInt(rng.Int64() >> rng.IntN(64)) },
		types.Of(types.Bool):    func() types.Datum { return types.NewBool(rng.IntN(2) == 0) },
		types.Of(types.Numeric): dec,
		types.Of(types.Bytea):   text,
		types.Of(types.Interval): func() types.Datum {
			return types.Datum{Interval: types.IntervalValue{Months: int32(rng.IntN(5) - 2), Days: int32(rng.IntN(80) - 40), Micros: rng.Int64N(1e12) - 5e11}}
		},
		types.Of(types.Float8): func() types.Datum {
			return types.NewFloat([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), rng.NormFloat64(), -1e300}[rng.IntN(7)])
		},
		types.ArrayOf(types.Of(types.Int8)): func() types.Datum {
			a := &types.ArrayValue{Elem: types.Of(types.Int8)}
			for range rng.IntN(4) {
				d := types.NewInt(rng.Int64N(3))
				d.Null = rng.IntN(4) == 0
				a.Elems = append(a.Elems, d)
			}
			if len(a.Elems) > 0 {
				a.Dims = []int32{int32(len(a.Elems))}
			}
			return types.Datum{Array: a}
		},
		types.Of(types.JSONB): func() types.Datum {
			return types.NewText([]string{`[]`, `{}`, `null`, `1`, `1.50`, `"a"`, `[1, 2]`, `[1]`, `{"a": 1}`, `{"b": 0}`, `true`, `false`, `-3`}[rng.IntN(13)])
		},
	}
	for typ, gen := range gens {
		for range 3000 {
			a, b := gen(), gen()
			ka, kb := AppendKeyValue(nil, typ, a), AppendKeyValue(nil, typ, b)
			want := types.Compare(typ, a, b)
			if got := strings.Compare(string(ka), string(kb)); got != want {
				t.Fatalf("%s: %s and %s: keys %x and %x compare %d, want %d", typ,
					types.AppendText(nil, typ, a, nil), types.AppendText(nil, typ, b, nil), ka, kb, got, want)
			}
			// What is kept as bytes comes back equal.
			var back types.Datum
			if rest := decodeDatum(appendDatum(nil, &a), &back); len(rest) != 0 || types.Compare(typ, a, back) != 0 {
				t.Fatalf("%s: %v came back as %v", typ, a, back)
			}
		}
	}
}
