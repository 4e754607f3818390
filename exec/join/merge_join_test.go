package join_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

func TestMergeJoinModel(t *testing.T) {
	exectest.Seeds(t, 150, func(t *testing.T, r *rand.Rand) {
		c := newJoinCase(t, r, allKinds[r.IntN(len(allKinds))], true)
		desc := make([]bool, len(c.match.Keys))
		for i := range desc {
			desc[i] = r.IntN(2) == 0
			c.match.Keys[i].Unknown = false
		}
		order := func(rows [][]types.Datum) {
			slices.SortStableFunc(rows, func(a, b []types.Datum) int {
				for i := range desc {
					// NULL is the greatest.
					cmp := types.Compare(c.types[joinKey0+i], a[joinKey0+i], b[joinKey0+i])
					if desc[i] {
						cmp = -cmp
					}
					if cmp != 0 {
						return cmp
					}
				}
				return 0
			})
			for i := range rows {
				rows[i][joinID] = types.NewInt(int64(i))
			}
		}
		order(c.left)
		order(c.right)
		n := &plan.MergeJoin{Kind: c.kind, Left: c.columns("l"), Right: c.columns("r"), Match: c.match, Desc: desc}
		op, err := join.NewMergeJoin(n, &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}, &exectest.Batches{Rows: c.right, Types: c.types, Rand: r})
		if err != nil {
			t.Fatal(err)
		}
		workMem := []int64{0, 1 << 10, 20 << 10}[r.IntN(3)]
		t.Log(c, "desc", desc, "work_mem", workMem)
		for range 2 {
			c.check(t, op, exectest.Context(t, workMem), true)
		}
	})
}
