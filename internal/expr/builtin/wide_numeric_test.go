package builtin

import (
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// TestWideNumericsAreBooked: the digits that functions over numerics make are in the
// statement's account, and a statement that has no memory for them is refused.
func TestWideNumericsAreBooked(t *testing.T) {
	num := types.Of(types.Numeric)
	in := vec.NewBatch([]types.T{num})
	const rows, digits = 200, 20_000
	in.Cols[0].Resize(rows)
	in.N = rows
	ten := apd.New(1, digits)
	for i := range rows {
		in.Cols[0].Decimals[i].Set(ten)
	}
	x := &expr.Col{Index: 0, T: num}
	one := &expr.Const{Value: types.NewDecimal(apd.New(1, 0)), T: num}
	for _, name := range []string{"+", "-"} {
		e, err := expr.ResolveOp(name, x, one, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := eval.Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		var a memory.Account
		a.Open(nil, 0, 0)
		out, err := p.Eval(&expr.Env{Mem: &a}, in)
		if err != nil {
			t.Fatal(name, err)
		}
		var made int64
		for i := range rows {
			made += int64(out.Decimals[i].Coeff.BitLen()) / 8
		}
		if made < 1<<20 || a.Used() < made {
			t.Errorf("%s: %d bytes are booked of %d", name, a.Used(), made)
		}
		a.Open(nil, 256<<10, 0)
		if _, err := p.Clone().Eval(&expr.Env{Mem: &a}, in); sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
			t.Errorf("%s: %d bytes in 256 kB: %v", name, made, err)
		}
	}
}
