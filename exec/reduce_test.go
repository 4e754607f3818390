package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestReducedScan: few keys of the build side are all that is read of the probe side;
// where they are many, all of it is.
func TestReducedScan(t *testing.T) {
	const n, hosts = 20000, 400
	for _, buckets := range []int{0, 16} {
		for _, store := range []storage.Store{mem.New(), remote{mem.New()}} {
			f := newFixture(t, buckets, withStore(store))
			f.load(n, hosts)
			for _, keys := range []int{0, 1, 5, 60} {
				values := &plan.Values{Cols: []plan.Column{{Name: "h", Type: tText}}}
				for i := range keys {
					for range 2 { // each twice
						values.Rows = append(values.Rows, []expr.Expr{lit(fmt.Sprintf("host-%03d", i*3))})
					}
				}
				values.Rows = append(values.Rows, []expr.Expr{null(tText)})
				for _, most := range []int{50, 1000} {
					scan := f.scan("host", "ts")
					array := &expr.Param{N: 2, T: types.ArrayOf(tText)}
					scan.Reduced = &plan.ReducedKey{Param: 2, Key: key(plan.KeyTerm{Op: plan.KeyInArray, Columns: []int{0}, Args: []expr.Expr{array}})}
					j := &plan.HashJoin{Join: plan.Join{Kind: plan.Semi, Left: f.gathered(scan), Right: values, Match: plan.Match{Keys: []plan.JoinKey{{Left: colAt(0, tText), Right: colAt(0, tText)}}}}, Reduce: []plan.KeyReduction{{Key: 0, Param: 2, Max: most}}}
					got := f.must(j, types.NewInt(1))
					if k := strings.Count(got, "\n"); k != keys*n/hosts {
						t.Fatalf("%d keys: %d rows", keys, k)
					}
					want := int64(keys * n / hosts)
					if keys > most {
						want = n
					}
					if f.work.RowsRead != want {
						t.Errorf("%d keys, at most %d, %d buckets: %d rows read, want %d", keys, most, buckets, f.work.RowsRead, want)
					}
				}
			}
		}
	}
}
