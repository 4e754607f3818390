package exec

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestManyGroups groups rows by keys that hardly repeat, which outgrow the caches and are
// aggregated in parts: in memory, and in so little that some parts, or all, are files.
func TestManyGroups(t *testing.T) {
	seeds.Sometimes(t)
	n := seeds.Amount(30_000, 90_000)
	distinct := n * 7 / 9 // of integers
	for _, buckets := range []int{0, 16} {
		f := newFixture(t, buckets)
		f.load(n, 50)
		for name, group := range map[string]struct {
			key expr.Expr
			of  func(i int) string
		}{
			"integers": {opCall("%", colAt(0, tInt8), lit(distinct)), func(i int) string { return fmt.Sprint(i % distinct) }},
			"texts": {colAt(2, tText), func(i int) string {
				if i%3 == 0 {
					return "NULL"
				}
				return fmt.Sprintf("note %d", i)
			}},
		} {
			counts, sums := map[string]int{}, map[string]int{}
			for i := range n {
				counts[group.of(i)]++
				sums[group.of(i)] += i
			}
			var want []string
			for g, count := range counts {
				want = append(want, fmt.Sprintf("%s|%d|%d\n", g, count, sums[g]))
			}
			sort.Strings(want)
			agg := &plan.Aggregate{
				Input:  f.gathered(f.scan("ts", "n", "note")),
				Groups: []expr.Expr{group.key},
				Aggs:   []plan.AggCall{callOf("count"), callOf("sum", colAt(1, tInt8))},
			}
			agg.Cols = []plan.Column{{Type: group.key.Type()}, {Type: tInt8}, {Type: agg.Aggs[1].Agg.T}}
			part, final := *agg, *agg
			part.Phase, final.Phase, final.Input = plan.Partial, plan.Final, &part
			roots := map[string]plan.Node{"complete": agg}
			if buckets > 0 {
				roots["partial"] = &final
			}
			for phase, root := range roots {
				for _, mem := range []int64{0, 8 << 20, 64 << 10, 8 << 10} {
					t.Run(fmt.Sprintf("%d/%s/%s/%d", buckets, name, phase, mem), func(t *testing.T) {
						f.set = op.Settings{WorkMem: mem, TempDir: t.TempDir()}
						if mem == 8<<10 && phase == "complete" {
							f.set.MaxMemory = 12 << 20 // buffers of the files of two passes, not of all that wait
						}
						if got := sorted(f.must(root)); got != strings.Join(want, "") {
							t.Fatalf("got\n%.500s\nwant\n%.500s", got, strings.Join(want, ""))
						}
						if spilled := f.work.SpillBytes > 0; spilled && mem == 0 || !spilled && mem > 0 && mem <= 64<<10 {
							t.Fatal(f.work)
						}
					})
				}
			}
		}
	}
}
