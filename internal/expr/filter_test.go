package expr

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func lit(s string) Expr  { return &Const{Value: types.NewText(s), T: tUnk, At: 1} }
func int4c(v int64) Expr { return &Const{Value: types.NewInt(v), T: tInt4} }
func must(e Expr, err error) Expr {
	if err != nil {
		panic(err)
	}
	return e
}

func batch(n int) *vec.Batch {
	b := vec.NewBatch([]types.T{tInt8, tFloat8, tText, tTSTZ})
	b.N = n
	for _, c := range b.Cols {
		c.Resize(n)
	}
	words := []string{"a", "bb", "ccc", "dddd"}
	for i := range n {
		b.Cols[0].Ints[i] = int64(i)
		b.Cols[1].Floats[i] = float64(i) / 10
		b.Cols[2].Bytes[i] = []byte(words[i%4])
		b.Cols[3].Ints[i] = int64(i) * 1000000
	}
	return b
}

var cols = []Expr{&Col{Index: 0, T: tInt8, Name: "i"}, &Col{Index: 1, T: tFloat8, Name: "f"},
	&Col{Index: 2, T: tText, Name: "s"}, &Col{Index: 3, T: tTSTZ, Name: "t"}}

func TestFilter(t *testing.T) {
	b := batch(100)
	for _, c := range []struct {
		e    Expr
		want int
		text string
	}{
		{must(ResolveOp("<", cols[0], int4c(10), 0)), 10, "(i < 10)"},
		{must(ResolveOp(">", cols[1], lit("0.5"), 0)), 94, "(f > '0.5'::double precision)"},
		{must(ResolveOp("=", cols[2], lit("bb"), 0)), 25, "(s = 'bb'::text)"},
		{must(ResolveOp("~~", cols[2], lit("d%"), 0)), 25, "(s ~~ 'd%'::text)"},
		{must(MakeIn(cols[0], []Expr{int4c(1), int4c(2), lit("300")}, false, 0)), 2, "(i = ANY ('{1,2,300}'::bigint[]))"},
		{must(MakeAnd([]Expr{must(ResolveOp("<>", cols[0], int4c(0), 0)),
			must(ResolveOp("=", must(ResolveOp("/", int4c(10), cols[0], 0)), int4c(1), 0))}, 0)), 5, "((i <> 0) AND ((10 / i) = 1))"},
	} {
		c.e = Fold(nil, c.e)
		p, err := Compile(c.e)
		if err != nil {
			t.Fatal(err)
		}
		sel, err := p.Filter(nil, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(sel) != c.want {
			t.Errorf("%s: %d rows, want %d", ToText(c.e), len(sel), c.want)
		}
		if got := ToText(c.e); got != c.text {
			t.Errorf("text %s, want %s", got, c.text)
		}
	}
}

// TestLazy holds that what is not reached is not evaluated.
func TestLazy(t *testing.T) {
	b := batch(10)
	named := map[string]Expr{"i": cols[0], "f": cols[1], "s": cols[2]}
	for _, c := range []struct {
		text string
		rows int
	}{
		{"i <> 0 and 10 / i > 2", 3},
		{"i = 0 or 10 / i > 2", 4},
		{"case when i = 0 then false else 10 / i > 2 end", 3},
		{"coalesce(i < 5, 1 / (i - i) = 1)", 5},
		{"not (i = 0 or 10 / i > 2)", 6},
		{"i in (1, 2) and s in ('bb', 'ccc')", 2},
		{"(i, s) < (2, 'bc')", 2},
		{"i = any(array[1, 3, null])", 2},
		{"i not in (1, null)", 0},
		{"nullif(i, 3) is null", 1},
	} {
		e, err := bindText(c.text, named)
		if err != nil {
			t.Fatal(c.text, err)
		}
		for _, x := range []Expr{e, Fold(nil, e)} {
			p, err := Compile(x)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				sel, err := p.Filter(nil, b, nil)
				if err != nil || len(sel) != c.rows {
					t.Errorf("%s: %d rows, %v", c.text, len(sel), err)
				}
				// The buffer may be the selection's own memory.
				own := make([]uint16, b.N)
				for i := range own {
					own[i] = uint16(i)
				}
				in := &vec.Batch{Cols: b.Cols, N: b.N, Sel: own}
				if again, err := p.Filter(nil, in, own); err != nil || !slices.Equal(again, sel) {
					t.Errorf("%s: in place %v, want %v, %v", c.text, again, sel, err)
				}
				v, err := p.Eval(nil, b)
				if err != nil {
					t.Fatal(err)
				}
				rows := 0
				for i := range b.N {
					if d := v.Datum(i); !d.Null && d.Bool {
						rows++
					}
				}
				if rows != c.rows {
					t.Errorf("%s: Eval is true for %d rows", c.text, rows)
				}
			}
		}
	}
}

// TestFilterAllocates holds that filters by comparison allocate nothing.
func TestFilterAllocates(t *testing.T) {
	in := batch(vec.MaxRows)
	named := map[string]Expr{"i": cols[0], "f": cols[1], "s": cols[2], "t": cols[3]}
	env := &Env{Params: []types.Datum{types.NewInt(7)}}
	for _, text := range []string{"i < 512", "f > 50", "s = 'bb'", "i < 512 and f > 3 or s = 'a'", "s like 'b%'",
		"t > '1970-01-01 00:00:10+00'", "i + 1 > 5", "i in (1, 2, 3)", "i in (1, 2, 3, 4, 5, 6)", "s is not null", "not (i = 3)"} {
		e, err := bindText(text, named)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(Fold(nil, e))
		if err != nil {
			t.Fatal(err)
		}
		sel := make([]uint16, vec.MaxRows)
		if n := testing.AllocsPerRun(20, func() {
			if _, err := p.Filter(env, in, sel); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s allocates %v times", text, n)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	in := batch(1024)
	for _, c := range []struct {
		name string
		e    Expr
	}{
		{"int", must(ResolveOp("<", cols[0], int4c(512), 0))},
		{"float", must(ResolveOp(">", cols[1], lit("50"), 0))},
		{"text", must(ResolveOp("=", cols[2], lit("bb"), 0))},
		{"like", must(ResolveOp("~~", cols[2], lit("d%"), 0))},
		{"and", must(MakeAnd([]Expr{must(ResolveOp("<", cols[0], int4c(512), 0)), must(ResolveOp(">", cols[1], lit("50"), 0))}, 0))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile(c.e)
			if err != nil {
				b.Fatal(err)
			}
			sel := make([]uint16, 1024)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Filter(nil, in, sel); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
