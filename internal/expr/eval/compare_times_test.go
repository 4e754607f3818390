package eval_test

import (
	"math"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/vec"
)

// TestTimeBounds compares days with timestamps, and timestamps with days, as columns and as a
// column with a value: both ways must say the same.
func TestTimeBounds(t *testing.T) {
	const day = datetime.MicrosPerDay
	days := []int64{math.MinInt64, -1, 0, 1, 2, 300, 200_000_000, math.MaxInt64}
	stamps := []int64{math.MinInt64, -day - 1, -day, -day + 1, -1, 0, 1, day - 1, day, day + 1, 2 * day, 300*day + 7, math.MaxInt64}
	tDate, tTS := types.Of(types.Date), types.Of(types.Timestamp)
	for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
		for _, side := range []struct {
			col, value types.T
			rows, vals []int64
		}{{tDate, tTS, days, stamps}, {tTS, tDate, stamps, days}} {
			for _, v := range side.vals {
				b := vec.NewBatch([]types.T{side.col, side.value})
				b.N = len(side.rows)
				for _, c := range b.Cols {
					c.Resize(b.N)
				}
				for i, x := range side.rows {
					b.Cols[0].Ints[i], b.Cols[1].Ints[i] = x, v
				}
				col, other := &expr.Col{Index: 0, T: side.col}, &expr.Col{Index: 1, T: side.value}
				value := &expr.Const{Value: types.NewInt(v), T: side.value}
				for _, pair := range [][2][2]expr.Expr{{{col, other}, {col, value}}, {{other, col}, {value, col}}} {
					var got [2][]uint16
					for k, args := range pair {
						p, err := eval.Compile(must(expr.ResolveOp(op, args[0], args[1], 0)))
						if err != nil {
							t.Fatal(err)
						}
						if got[k], err = p.Filter(nil, b, nil); err != nil {
							t.Fatal(err)
						}
						made, err := p.Eval(nil, b)
						if err != nil {
							t.Fatal(err)
						}
						for i := range b.N {
							if slices.Contains(got[k], uint16(i)) != made.Bools[i] {
								t.Fatalf("%s: filtered and computed differ", op)
							}
						}
					}
					if !slices.Equal(got[0], got[1]) {
						t.Fatalf("%v %s %d: rows %v of columns, %v of a value", side.col, op, v, got[0], got[1])
					}
				}
			}
		}
	}
}
