package join_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
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
		n := &plan.MergeJoin{Join: plan.Join{Kind: c.kind, Left: c.columns("l"), Right: c.columns("r"), Match: c.match}, Desc: desc}
		op, err := join.NewMergeJoin(n, &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}, &exectest.Batches{Rows: c.right, Types: c.types, Rand: r})
		if err != nil {
			t.Fatal(err)
		}
		workMem := []int64{0, 1 << 10, 20 << 10}[r.IntN(3)]
		many := []int{1, 30, 2000}[r.IntN(3)]
		defer join.SetManyPassed(many)()
		t.Log(c, "desc", desc, "work_mem", workMem, "forgotten from", many)
		for range 2 {
			c.check(t, op, exectest.Context(t, workMem), true)
		}
	})
}

// TestMergeJoinWindow joins rows of numbers alone, whose runs go over the ends of batches: what
// is held of the right side is about a run and a batch, whatever there is.
func TestMergeJoinWindow(t *testing.T) {
	two := []types.T{tInt8, tInt8}
	cols := &plan.External{Cols: []plan.Column{{Name: "k", Type: tInt8}, {Name: "v", Type: tInt8}}}
	exectest.Seeds(t, 20, func(t *testing.T, r *rand.Rand) {
		side := func(n, run int) (rows [][]types.Datum) {
			k := int64(0)
			for i := range n {
				if r.IntN(run) == 0 {
					k += int64(r.IntN(3))
				}
				rows = append(rows, []types.Datum{types.NewInt(k), types.NewInt(int64(i))})
			}
			return rows
		}
		left, right := side(2000, 1), side(30_000, 1+r.IntN(60))
		inner, outer := 0, 0 // pairs, right rows without one
		of := map[int64]int{}
		for _, row := range left {
			of[row[0].Int]++
		}
		for _, row := range right {
			if n := of[row[0].Int]; n > 0 {
				inner += n
			} else {
				outer++
			}
		}
		for kind, want := range map[plan.JoinKind]int{plan.Inner: inner, plan.Right: inner + outer} {
			n := &plan.MergeJoin{Join: plan.Join{Kind: kind, Left: cols, Right: cols, Match: plan.Match{Keys: []plan.JoinKey{{Left: exectest.Col(0, tInt8), Right: exectest.Col(0, tInt8)}}}}, Desc: []bool{false}}
			o, err := join.NewMergeJoin(n, &exectest.Batches{Rows: left, Types: two, Rand: r}, &exectest.Batches{Rows: right, Types: two, Rand: r})
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			workMem := []int64{1 << 10, 1 << 20}[r.IntN(2)]
			cx := exectest.Context(t, workMem)
			err = exectest.Run(t, o, cx, func(b *vec.Batch) {
				for i := range b.Rows() {
					s := b.Row(i)
					if !b.Cols[0].Null(s) && b.Cols[0].Ints[s] != b.Cols[2].Ints[s] {
						t.Fatalf("%d joined to %d", b.Cols[0].Ints[s], b.Cols[2].Ints[s])
					}
				}
				got += b.Rows()
			})
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%v: %d rows, want %d", kind, got, want)
			}
			if peak := cx.Memory.Peak(); peak > 300<<10 {
				t.Errorf("%v: %d bytes held", kind, peak)
			}
		}
	})
}
