package vec

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

func TestExtendKeeps(t *testing.T) {
	v := New(types.Of(types.Text))
	for i := range 500 {
		v.Extend(i + 1)
		if i%3 == 0 {
			v.Nulls.Set(i)
			continue
		}
		v.SetBytes(i, fmt.Append(nil, i))
	}
	for i := range 500 {
		if v.Null(i) != (i%3 == 0) {
			t.Fatalf("slot %d null %v", i, v.Null(i))
		}
		if !v.Null(i) && string(v.Bytes[i]) != fmt.Sprint(i) {
			t.Fatalf("slot %d holds %q", i, v.Bytes[i])
		}
	}
}

// TestSlots copies, compares and hashes values of every representation.
func TestSlots(t *testing.T) {
	for _, c := range []struct{ typ, a, b string }{ // a < b
		{"bool", "f", "t"}, {"int4", "-1", "2"}, {"float8", "1e300", "NaN"}, {"numeric", "1.10", "1.2"},
		{"text", "a", "b"}, {"bpchar", "a", "b"}, {"interval", "29 days", "1 mon"}, {"_int4", "{1,2}", "{1,3}"},
		{"jsonb", `"a"`, "1"}, {"date", "2024-01-01", "infinity"},
	} {
		ty, err := types.FromName(c.typ, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		v := New(ty)
		v.Resize(3)
		for i, s := range []string{c.a, c.b} {
			d, err := types.ParseString(ty, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			v.Set(i, d)
		}
		v.Nulls.Set(2)
		w := New(ty)
		w.Resize(3)
		for i := range 3 {
			CopySlot(w, i, v, i)
		}
		for i := range 3 {
			for j := range 3 {
				want := 0
				if i < j {
					want = -1
				} else if i > j {
					want = 1
				}
				if got := Compare(v, i, w, j); got != want {
					t.Errorf("%s: slot %d against %d: %d", c.typ, i, j, got)
				}
			}
		}
		h, g := make([]uint64, 3), make([]uint64, 3)
		Hash(v, []uint16{0, 1, 2}, h)
		Hash(w, []uint16{0, 1, 2}, g)
		if h[0] != g[0] || h[1] != g[1] || h[2] != g[2] || h[0] == h[1] || h[1] == h[2] {
			t.Errorf("%s: hashes %v %v", c.typ, h, g)
		}
	}
}

func TestBitmap(t *testing.T) {
	var a, b Bitmap
	a.Reset(200)
	b.Reset(200)
	a.Set(3)
	a.Set(130)
	b.Set(64)
	b.Or(&a, 200)
	for i := range 200 {
		if b.Get(i) != (i == 3 || i == 64 || i == 130) {
			t.Errorf("bit %d is %v", i, b.Get(i))
		}
	}
	b.Clear(64)
	a.CopyFrom(&b, 100)
	if a.Get(64) || !a.Get(3) {
		t.Error("copy differs")
	}
	a.Reset(10)
	if a.Any() || a.Get(3) {
		t.Error("reset left a bit")
	}
}
