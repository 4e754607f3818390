package eval_test

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func lit(s string) expr.Expr  { return &expr.Const{Value: types.NewText(s), T: tUnk, At: 1} }
func int4c(v int64) expr.Expr { return &expr.Const{Value: types.NewInt(v), T: tInt4} }
func must(e expr.Expr, err error) expr.Expr {
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

var cols = []expr.Expr{&expr.Col{Index: 0, T: tInt8, Name: "i"}, &expr.Col{Index: 1, T: tFloat8, Name: "f"},
	&expr.Col{Index: 2, T: tText, Name: "s"}, &expr.Col{Index: 3, T: tTSTZ, Name: "t"}}

func TestFilter(t *testing.T) {
	b := batch(100)
	for _, c := range []struct {
		e    expr.Expr
		want int
		text string
	}{
		{must(expr.ResolveOp("<", cols[0], int4c(10), 0)), 10, "(i < 10)"},
		{must(expr.ResolveOp(">", cols[1], lit("0.5"), 0)), 94, "(f > '0.5'::double precision)"},
		{must(expr.ResolveOp("=", cols[2], lit("bb"), 0)), 25, "(s = 'bb'::text)"},
		{must(expr.ResolveOp("~~", cols[2], lit("d%"), 0)), 25, "(s ~~ 'd%'::text)"},
		{must(expr.MakeIn(cols[0], []expr.Expr{int4c(1), int4c(2), lit("300")}, false, 0)), 2, "(i = ANY ('{1,2,300}'::bigint[]))"},
		{must(expr.MakeAnd([]expr.Expr{must(expr.ResolveOp("<>", cols[0], int4c(0), 0)),
			must(expr.ResolveOp("=", must(expr.ResolveOp("/", int4c(10), cols[0], 0)), int4c(1), 0))}, 0)), 5, "((i <> 0) AND ((10 / i) = 1))"},
	} {
		c.e = eval.Fold(nil, c.e)
		p, err := eval.Compile(c.e)
		if err != nil {
			t.Fatal(err)
		}
		sel, err := p.Filter(nil, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(sel) != c.want {
			t.Errorf("%s: %d rows, want %d", expr.ToText(c.e), len(sel), c.want)
		}
		if got := expr.ToText(c.e); got != c.text {
			t.Errorf("text %s, want %s", got, c.text)
		}
	}
}

// TestLazy holds that what is not reached is not evaluated.
func TestLazy(t *testing.T) {
	b := batch(10)
	named := map[string]expr.Expr{"i": cols[0], "f": cols[1], "s": cols[2]}
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
		e, err := exprtest.Parse(c.text, named)
		if err != nil {
			t.Fatal(c.text, err)
		}
		for _, x := range []expr.Expr{e, eval.Fold(nil, e)} {
			p, err := eval.Compile(x)
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
	named := map[string]expr.Expr{"i": cols[0], "f": cols[1], "s": cols[2], "t": cols[3]}
	env := &expr.Env{Params: []types.Datum{types.NewInt(7)}}
	for _, text := range []string{"i < 512", "f > 50", "s = 'bb'", "i < 512 and f > 3 or s = 'a'", "s like 'b%'",
		"t > '1970-01-01 00:00:10+00'", "i + 1 > 5", "i in (1, 2, 3)", "i in (1, 2, 3, 4, 5, 6)", "s is not null", "not (i = 3)"} {
		e, err := exprtest.Parse(text, named)
		if err != nil {
			t.Fatal(err)
		}
		p, err := eval.Compile(eval.Fold(nil, e))
		if err != nil {
			t.Fatal(err)
		}
		sel := make([]uint16, vec.MaxRows)
		if n := alloctest.PerRun(20, func() {
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
		e    expr.Expr
	}{
		{"int", must(expr.ResolveOp("<", cols[0], int4c(512), 0))},
		{"float", must(expr.ResolveOp(">", cols[1], lit("50"), 0))},
		{"text", must(expr.ResolveOp("=", cols[2], lit("bb"), 0))},
		{"like", must(expr.ResolveOp("~~", cols[2], lit("d%"), 0))},
		{"and", must(expr.MakeAnd([]expr.Expr{must(expr.ResolveOp("<", cols[0], int4c(512), 0)), must(expr.ResolveOp(">", cols[1], lit("50"), 0))}, 0))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := eval.Compile(c.e)
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
