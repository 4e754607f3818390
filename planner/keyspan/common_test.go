package keyspan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

func TestCommonValues(t *testing.T) {
	list := func(step, n int) (out []rowcodec.Range) {
		for i := range n {
			out = append(out, Equal(types.NewInt(int64(i*step))), Equal(types.NewInt(int64(i*step))))
		}
		return out
	}
	a, b := list(2, 5000), list(3, 5000)
	typ := types.Of(types.Int8)
	got, ok := common(typ, a, b)
	if !ok || len(got) != 9999/6+1 {
		t.Fatal(len(got))
	}
	for i, r := range got {
		if r.Lo.Int != int64(6*i) {
			t.Fatal(i, r.Lo.Int)
		}
	}
	if a[1].Lo.Int != 0 || a[3].Lo.Int != 2 {
		t.Fatal("the list given was changed")
	}
}

// TestCommonRanges: lists of values, gaps and bounds have in common what their pairs have.
func TestCommonRanges(t *testing.T) {
	typ := types.Of(types.Int8)
	r := rand.New(rand.NewPCG(1, 2))
	list := func() (out []rowcodec.Range) {
		var values []types.Datum
		for range 1 + r.IntN(6) {
			values = append(values, types.NewInt(int64(r.IntN(12))))
		}
		switch r.IntN(3) {
		case 0:
			return gaps(typ, values)
		case 1:
			return []rowcodec.Range{{Lo: &values[0], LoIncl: r.IntN(2) == 0}}
		}
		for _, v := range values {
			out = append(out, Equal(v))
		}
		return out
	}
	has := func(list []rowcodec.Range, v int64) bool {
		d := types.NewInt(v)
		return slices.ContainsFunc(list, func(x rowcodec.Range) bool {
			_, ok := intersect(typ, x, Equal(d))
			return ok
		})
	}
	for range 2000 {
		a, b := list(), list()
		got, ok := common(typ, a, b)
		if !ok {
			t.Fatal(a, b)
		}
		for v := int64(-1); v < 14; v++ {
			if has(got, v) != (has(a, v) && has(b, v)) {
				t.Fatalf("%d of %v and %v: %v", v, a, b, got)
			}
		}
	}
	v := types.NewInt(1)
	for _, bad := range [][]rowcodec.Range{{{Null: true}}, {{}, Equal(v)}, {{Lo: &v, LoIncl: true}, Equal(v)}} {
		if _, ok := common(typ, bad, []rowcodec.Range{Equal(v)}); ok {
			t.Error(bad)
		}
	}
}

// TestGaps shows what NOT IN leaves.
func TestGaps(t *testing.T) {
	typ := types.Of(types.Int8)
	got := gaps(typ, []types.Datum{types.NewInt(3), types.NewInt(1), types.NewInt(3)})
	if len(got) != 3 || got[0].Lo != nil || got[0].Hi.Int != 1 || got[1].Lo.Int != 1 || got[1].Hi.Int != 3 || got[2].Hi != nil {
		t.Fatal(got)
	}
	if got := gaps(typ, []types.Datum{types.NewInt(3), types.NullDatum}); len(got) != 0 {
		t.Fatal("a NULL makes NOT IN never true", got)
	}
}
