package exec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestLongListsOnPrefix: a list of more values than a bucket is read by spans for gives
// the rows of these values, and reads few of those between.
func TestLongListsOnPrefix(t *testing.T) {
	const rows, hosts = 8000, 4
	for name, open := range stores {
		for _, buckets := range []int{0, 4, 256} {
			f := newFixture(t, buckets, withStore(open(t)))
			f.load(rows, hosts)
			// Every second host that there is, and many names that nobody has.
			var list []expr.Expr
			for h := 0; h < hosts; h += 2 {
				list = append(list, lit(fmt.Sprintf("host-%03d", h)))
				for i := range 750 {
					list = append(list, lit(fmt.Sprintf("host-%03d-%03d", h, i)))
				}
			}
			var want []string
			for i := range rows {
				if h := i % hosts; h%2 == 0 {
					want = append(want, fmt.Sprintf("host-%03d|%05d", h, rows-i))
				}
			}
			slices.Sort(want)
			for i, line := range want {
				host, ts, _ := strings.Cut(line, "|")
				n, _ := strconv.Atoi(ts)
				want[i] = fmt.Sprintf("%s|%d\n", host, rows-n)
			}
			for _, order := range []plan.Order{plan.Forward, plan.Reverse, plan.Unordered} {
				for _, limit := range []int{-1, 700} {
					s := f.scan("host", "ts")
					s.Key, s.Access = key(term(plan.KeyIn, 0, list...)), plan.SkipScan
					s.Recheck = &expr.InList{X: f.col("host"), List: list, Eq: opCall("=", f.col("host"), list[0]).(*expr.Call).Fn}
					var root plan.Node
					wanted := slices.Clone(want)
					switch order {
					case plan.Unordered:
						root = f.gathered(s)
						limit = -1
						slices.Sort(wanted)
					default:
						if order == plan.Reverse {
							slices.Reverse(wanted)
						}
						if limit >= 0 {
							s.Limit = lit(limit)
							wanted = wanted[:limit]
						}
						root = f.merged(s, order)
						if limit >= 0 {
							root = &plan.Limit{Input: root, Count: lit(limit)}
						}
					}
					got := strings.SplitAfter(f.must(root), "\n")
					got = got[:len(got)-1]
					if order == plan.Unordered {
						slices.Sort(got)
					}
					if !slices.Equal(got, wanted) {
						t.Fatalf("%s, %d buckets, order %d, limit %d: %d rows, want %d", name, buckets, order, limit, len(got), len(wanted))
					}
					// Of the rows of host-001, which one span takes in, about a page is read.
					if limit < 0 && (buckets == 0 || buckets == 4 && name != "remote") && f.work.RowsRead > rows/2+1100 {
						t.Errorf("%s, %d buckets, order %d: read %d rows for %d", name, buckets, order, f.work.RowsRead, len(wanted))
					}
					if limit >= 0 && name != "remote" && f.work.RowsRead > rows*3/8 {
						t.Errorf("%s, %d buckets, order %d, limit %d: read %d rows", name, buckets, order, limit, f.work.RowsRead)
					}
				}
			}
		}
	}
}
