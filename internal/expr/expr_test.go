package expr

import (
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
				if _, err := p.Filter(emptyEnv, in, sel); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
