package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// rowsFrom is a statement for limit rows of a host in the order of the key, from ts = $1 on: ts
// falls, unless reverse.
func (f *fixture) rowsFrom(host string, limit int, order plan.Order) *Statement {
	at := &expr.Param{N: 1, T: tInt8}
	s := f.scan("host", "ts", "n")
	op, sign := plan.KeyLe, "<="
	if order == plan.Reverse {
		op, sign = plan.KeyGe, ">="
	}
	s.Access, s.Limit = plan.RangeScan, lit(limit)
	s.Key = key(term(plan.KeyEq, 0, lit(host)), term(op, 1, at))
	s.Recheck = and(opCall("=", f.col("host"), lit(host)), opCall(sign, f.col("ts"), at))
	root := &plan.Limit{Input: f.merged(s, order), Count: lit(limit)}
	st, err := Prepare(&plan.Plan{Root: root, Columns: root.Columns(), Tables: []*catalog.Table{f.table}})
	if err != nil {
		f.t.Fatal(err)
	}
	return st
}

// TestDenseRowsAreRead: few rows in the order of keys that lie close together are so many point
// reads, whatever SALT_BUCKETS is; where the keys turn out to lie far apart they are a merge.
func TestDenseRowsAreRead(t *testing.T) {
	for name, open := range stores {
		for _, order := range []plan.Order{plan.Forward, plan.Reverse} {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				f := newFixture(t, 64, withStore(open(t)))
				f.load(4000, 1)
				st := f.rowsFrom("host-000", 10, order)
				for run := range 3 {
					out, err := f.exec(st, types.NewInt(2000))
					if err != nil || strings.Count(out, "\n") != 10 || !strings.HasPrefix(out, "host-000|2000|2000\n") {
						t.Fatal(out, err)
					}
					if name == "remote" && run == 0 {
						continue // not known yet, and to be wrong would be a call
					}
					if w := f.work; w.Points != 10 || w.RowsRead != 10 || w.StorageCalls > 1 {
						t.Fatalf("run %d: %+v", run, w)
					}
				}
				// Behind the last row: the keys have no rows, the merge says so, and is at once what is run next.
				out, err := f.exec(st, types.NewInt(map[plan.Order]int64{plan.Forward: 4, plan.Reverse: 3995}[order]))
				if err != nil || strings.Count(out, "\n") != 5 {
					t.Fatal(out, err)
				}
				sparse := newFixture(t, 64, withStore(open(t)))
				sparse.load(4000, 50)
				st = sparse.rowsFrom("host-007", 10, order)
				for run := range 3 {
					out, err := sparse.exec(st, types.NewInt(2007))
					if err != nil || strings.Count(out, "\n") != 10 {
						t.Fatal(out, err)
					}
					if w := sparse.work; run > 0 && w.Points != 0 {
						t.Fatalf("run %d: %+v", run, w)
					}
				}
			})
		}
	}
}

// TestDenseRowsAgree compares them with what the table holds, where keys are missing here and
// there, a transaction has written some, and the statement is run again and again.
func TestDenseRowsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(seeds.First(t), 4))
	for name, open := range stores {
		for _, buckets := range []int{1, 4, 16, 64} {
			t.Run(fmt.Sprint(name, buckets), func(t *testing.T) {
				f := newFixture(t, buckets, withStore(open(t)))
				const n = 400
				f.load(n, 1)
				have := map[int64]bool{}
				for i := range int64(n) {
					have[i] = true
				}
				for range n / 4 {
					from := rng.Int64N(n)
					for i := from; i < from+rng.Int64N(4); i++ {
						delete(have, i)
					}
				}
				var gone []expr.Expr
				for i := range n {
					if !have[int64(i)] {
						gone = append(gone, lit(i))
					}
				}
				del := f.scan()
				del.Key = key(term(plan.KeyEq, 0, lit("host-000")), term(plan.KeyIn, 1, gone...))
				del.Access, del.WithKey, del.WithVersion, del.ForUpdate = plan.MultiPointRead, true, true, true
				f.must(&plan.Delete{Table: f.table, Input: del})
				for range 20 {
					order := plan.Order(1 + rng.IntN(2))
					limit := 1 + rng.IntN(buckets+2)
					st := f.rowsFrom("host-000", limit, order)
					for range 6 {
						from := rng.Int64N(n+40) - 20
						var want strings.Builder
						step := int64(-1)
						if order == plan.Reverse {
							step = 1
						}
						left := limit
						for v := from; left > 0 && v > -50 && v < n+50; v += step {
							if have[v] {
								fmt.Fprintf(&want, "host-000|%d|%d\n", v, v)
								left--
							}
						}
						got, err := f.exec(st, types.NewInt(from))
						if err != nil || got != want.String() {
							t.Fatalf("limit %d order %v from %d: %v\n%s\nwant\n%s", limit, order, from, err, got, want.String())
						}
					}
				}
			})
		}
	}
}
