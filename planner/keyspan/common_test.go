package keyspan

import (
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
	if !onlyValues(typ, a) || onlyValues(typ, []rowcodec.Range{{}}) {
		t.Fatal("values")
	}
	got := common(typ, a, b)
	if len(got) != 9999/6+1 {
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
