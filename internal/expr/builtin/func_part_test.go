package builtin

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
)

// An array longer than an assignment makes one keeps its length, and what an assignment makes is
// asked for before it is made.
func TestLongArraysOfParts(t *testing.T) {
	ts := []types.T{types.ArrayOf(tInt4), tInt4, tInt4}
	long := types.NewArray(tInt4, make([]types.Datum, maxFilled+10))
	got, err := setElement(nil, ts, []types.Datum{long, types.NewInt(7), types.NewInt(maxFilled + 5)})
	if err != nil || len(got.Array.Elems) != maxFilled+10 || got.Array.Elems[maxFilled+4].Int != 7 {
		t.Fatal(err)
	}
	if long.Array.Elems[maxFilled+4].Int != 0 {
		t.Error("the array before has changed")
	}
	if _, err := setElement(nil, ts, []types.Datum{long, types.NewInt(7), types.NewInt(maxFilled + 11)}); err == nil {
		t.Error("it has become longer")
	}
	path := types.NewArray(tText, []types.Datum{types.NewText("a"), types.NewText("1000000"), types.NewText("500000")})
	asked := ofPart([]types.Datum{types.NullDatum, types.NullDatum, path, types.NewBool(false)})
	if asked < 1_500_000*64 {
		t.Errorf("%d bytes are asked for 1,500,000 nulls", asked)
	}
	path.Array.Elems[1] = types.NewText("1048577")
	if _, err := jsonfunc.SetPart(nil, nil, []types.Datum{types.NullDatum, types.NullDatum, path, types.NewBool(false)}); err == nil {
		t.Error("more nulls than there may be")
	}
}
