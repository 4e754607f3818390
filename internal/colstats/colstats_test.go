package colstats

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// column looks at a sample of n values of a table of rows.
func column(t *testing.T, n int, rows float64, value func(i int) types.Datum) *Column {
	t.Helper()
	typ := types.Of(types.Int8)
	b := NewBuilder(typ, true)
	v := vec.New(typ)
	v.Resize(n)
	for i := range n {
		v.Set(i, value(i))
	}
	b.Add(v, n)
	return b.Column(rows, nil)
}

// TestPartsOfRows holds what is told of a sample against the whole, whose values are skewed,
// with NULLs between.
func TestPartsOfRows(t *testing.T) {
	const rows, sample = 1_000_000, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(int) types.Datum {
		switch x := r.IntN(100); {
		case x < 10:
			return types.NullDatum
		case x < 40:
			return types.NewInt(7)
		default:
			return types.NewInt(int64(1000 + r.IntN(5000)))
		}
	}
	c := column(t, sample, rows, draw)
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within*want {
			t.Errorf("%s: %v, not %v", what, got, want)
		}
	}
	near("NULLs", c.Nulls, 0.1, 0.1)
	near("values", c.Values(rows), 5001, 0.1)
	equal := func(v int64) float64 {
		p, ok := c.Equal(types.NewInt(v), rows)
		if !ok {
			t.Fatal("no values are known")
		}
		return p
	}
	near("= 7", equal(7), 0.3, 0.1)
	near("= 1234", equal(1234), 0.6/5000, 3) // at most: it may be among the common ones
	below, ok := c.Below(types.NewInt(3500), false)
	if !ok {
		t.Fatal("no bounds are known")
	}
	near("< 3500", below, 0.3+0.6/2, 0.1)
	even, ok := c.Each(false, func(d types.Datum) bool { return d.Int >= 1000 })
	if !ok {
		t.Fatal("no values are known")
	}
	near(">= 1000 by trying", even, 0.6, 0.1)
}

// TestColumnsOfItsOwn wants a column of other values in each row told so.
func TestColumnsOfItsOwn(t *testing.T) {
	c := column(t, 1000, 50_000, func(i int) types.Datum { return types.NewInt(int64(i)) })
	if c.Distinct != -1 || len(c.Common) > 0 || len(c.Bounds) != Target+1 || c.Correlation < 0.999 || c.Values(50_000) != 50_000 {
		t.Errorf("%+v", c)
	}
	if c := column(t, 0, 0, nil); c != nil {
		t.Errorf("of no rows: %+v", c)
	}
	if c := column(t, 3, 3, func(int) types.Datum { return types.NullDatum }); c.Nulls != 1 || c.Values(3) != 0 {
		t.Errorf("of NULLs: %+v", c)
	}
}

// TestCorrelationByRank wants the order of the key to count, not that of reading.
func TestCorrelationByRank(t *testing.T) {
	typ := types.Of(types.Int4)
	b, v := NewBuilder(typ, true), vec.New(typ)
	v.Resize(4)
	for i, n := range []int64{3, 1, 4, 2} {
		v.Set(i, types.NewInt(n))
	}
	b.Add(v, 4)
	if c := b.Column(4, []int{2, 0, 3, 1}); c.Correlation < 0.999 {
		t.Errorf("correlation %v", c.Correlation)
	}
}

// TestEncode wants back what was kept, but for a column that has another type by now.
func TestEncode(t *testing.T) {
	text := types.Of(types.Text)
	in := &Table{Rows: 12, Columns: map[int]*Column{
		1: {Type: text, Nulls: 0.5, Width: 3, Distinct: -0.25, Common: []types.Datum{types.NewText("a\u00fc")}, Freqs: []float64{0.5},
			Bounds: []types.Datum{types.NewText("a"), types.NewText("b")}, Correlation: 0.5, Ordered: true},
		2: {Type: text, Distinct: 1},
		3: {Type: text, Distinct: 1},
	}}
	b, err := Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Decode(b, func(id int) (types.T, bool) {
		if id == 2 {
			return types.Of(types.Int4), true
		}
		return text, id == 1
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Columns) != 1 || out.Rows != 12 || !reflect.DeepEqual(out.Columns[1], in.Columns[1]) {
		t.Errorf("%s: %+v", b, out.Columns[1])
	}
}
