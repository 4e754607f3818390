package join_test

import (
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/spill"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// TestEqualityAgrees: what joins compare and hash by is the equality of the type's
// operator, and of sort keys.
func TestEqualityAgrees(t *testing.T) {
	for _, k := range joinKeyTypes {
		ty, err := types.FromName(k.name, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		n := len(k.values)
		a, b := vec.New(ty), vec.New(ty)
		a.Resize(n)
		b.Resize(n)
		for i, s := range k.values {
			d, err := types.ParseString(ty, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			a.Set(i, d)
			b.Set(i, d)
		}
		hashes := make([]uint64, n)
		vec.Hash(a, spill.EverySlot[:n], hashes)
		prog, err := eval.Compile(exectest.Op("=", exectest.Col(0, ty), exectest.Col(1, ty)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				one := &vec.Batch{N: 1}
				for _, d := range []types.Datum{a.Datum(i), b.Datum(j)} {
					v := vec.New(ty)
					v.Resize(1)
					v.Set(0, d)
					one.Cols = append(one.Cols, v)
				}
				v, err := prog.Eval(&expr.Env{}, one)
				if err != nil {
					t.Fatal(err)
				}
				equal := v.Bools[0]
				if vec.Equal(a, i, b, j) != equal {
					t.Errorf("%s: %s = %s is %v for the operator only", k.name, k.values[i], k.values[j], equal)
				}
				if equal && hashes[i] != hashes[j] {
					t.Errorf("%s: %s = %s, and their hashes differ", k.name, k.values[i], k.values[j])
				}
				x, y := spill.AppendKeyValue(nil, ty, a.Datum(i)), spill.AppendKeyValue(nil, ty, b.Datum(j))
				if (string(x) == string(y)) != equal {
					t.Errorf("%s: %s = %s is %v for the operator, not for sort keys", k.name, k.values[i], k.values[j], equal)
				}
			}
		}
	}
}
