package exec

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stores are the kinds of store that operators treat differently.
var stores = map[string]func(testing.TB) storage.Store{
	"mem":    func(testing.TB) storage.Store { return mem.New() },
	"remote": func(testing.TB) storage.Store { return remote{mem.New()} },
	"pebble": newPebble,
}

func TestPointRead(t *testing.T) {
	for _, buckets := range []int{0, 1, 16, 256} {
		t.Run(fmt.Sprint(buckets), func(t *testing.T) {
			f := newFixture(t, buckets)
			f.load(500, 7)
			s := f.scan()
			s.Access = plan.PointRead
			s.Key = key(term(plan.KeyEq, 1, lit(23)), term(plan.KeyEq, 0, lit("host-002")))
			s.Recheck = and(opCall("=", f.col("host"), lit("host-002")), opCall("=", f.col("ts"), lit(23)))
			if got := f.must(s); got != "host-002|23|23|11.5|note 23\n" {
				t.Fatal(got)
			}
			want := plan.Actual{RowsRead: 1, StorageCalls: 1, Points: 1, Buckets: min(1, int64(buckets)), BytesRead: f.work.BytesRead}
			if got := fmt.Sprint(f.work); got != fmt.Sprint(want) {
				t.Fatalf("work %v, want %v", got, want)
			}
			s.Key = key(term(plan.KeyEq, 1, lit(23)), term(plan.KeyEq, 0, null(tText)))
			if got := f.must(s); got != "" || f.work.StorageCalls != 0 {
				t.Fatal(got, f.work)
			}
		})
	}
}

func TestMultiPointRead(t *testing.T) {
	for name, open := range stores {
		for _, buckets := range []int{0, 16} {
			t.Run(fmt.Sprint(name, buckets), func(t *testing.T) {
				f := newFixture(t, buckets, withStore(open(t)))
				f.load(500, 7)
				for _, order := range []plan.Order{plan.Forward, plan.Reverse} {
					s := f.scan("host", "ts")
					s.Access, s.Order = plan.MultiPointRead, order
					s.Key = key(
						term(plan.KeyIn, 0, lit("host-001"), lit("host-002"), lit("host-001"), null(tText)),
						term(plan.KeyIn, 1, lit(1), lit(2), lit(8), lit(9), lit(1000)))
					want := "host-001|8\nhost-001|1\nhost-002|9\nhost-002|2\n"
					if order == plan.Reverse {
						want = "host-002|2\nhost-002|9\nhost-001|1\nhost-001|8\n"
					}
					if got := f.must(s); got != want {
						t.Fatalf("got\n%swant\n%s", got, want)
					}
					if f.work.Points != 10 || f.work.StorageCalls > 2 || f.work.RowsRead != 4 {
						t.Fatal(f.work)
					}
				}
			})
		}
	}
}

func TestLimitedMergeReadsLittle(t *testing.T) {
	for name, open := range stores {
		for _, order := range []plan.Order{plan.Forward, plan.Reverse} {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				f := newFixture(t, 64, withStore(open(t)))
				f.load(20000, 5)
				s := f.scan("host", "ts")
				s.Limit = lit(10)
				root := &plan.Limit{Input: f.merged(s, order), Count: lit(10)}
				var want strings.Builder
				for i := range 10 {
					if order == plan.Forward {
						fmt.Fprintf(&want, "host-000|%d\n", 19995-5*i)
					} else {
						fmt.Fprintf(&want, "host-004|%d\n", 4+5*i)
					}
				}
				if got := f.must(root); got != want.String() {
					t.Fatalf("got\n%s", got)
				}
				if f.work.RowsRead > 10+6*64 {
					t.Fatalf("read %d rows", f.work.RowsRead)
				}
			})
		}
	}
}

func TestSerialGatherStopsEarly(t *testing.T) {
	f := newFixture(t, 16)
	f.load(20000, 5)
	s := f.scan("host", "ts")
	s.Limit = lit(10)
	root := &plan.Limit{Input: &plan.SaltGather{Input: s, Serial: true}, Count: lit(10)}
	if got := strings.Count(f.must(root), "\n"); got != 10 {
		t.Fatal(got)
	}
	if f.work.RowsRead != 10 || f.work.StorageCalls != 1 {
		t.Fatal(f.work)
	}
}

// TestScansAgree compares every way of reading on every store with the rows
// filtered and sorted here.
func TestScansAgree(t *testing.T) {
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 2))
	for name, open := range stores {
		for _, buckets := range []int{0, 1, 4, 16, 256} {
			t.Run(fmt.Sprint(name, buckets), func(t *testing.T) {
				const n, hosts = 6000, 6
				f := newFixture(t, buckets, withStore(open(t)))
				f.load(n, hosts)
				for range 12 {
					f.compareScans(rng, n, hosts)
				}
			})
		}
	}
}

func (f *fixture) compareScans(rng *rand.Rand, n, hosts int) {
	t := f.t
	lo, hi := rng.IntN(n), rng.IntN(n)
	var terms []plan.KeyTerm
	var conds []expr.Expr
	match := func(i int) bool { return true }
	also := func(p func(i int) bool) {
		was := match
		match = func(i int) bool { return was(i) && p(i) }
	}
	if rng.IntN(2) == 0 {
		h := rng.IntN(hosts)
		terms = append(terms, term(plan.KeyEq, 0, lit(fmt.Sprintf("host-%03d", h))))
		also(func(i int) bool { return i%hosts == h })
	}
	if rng.IntN(2) == 0 {
		terms = append(terms, term(plan.KeyGe, 1, lit(lo)), term(plan.KeyLt, 1, lit(hi)))
		also(func(i int) bool { return i >= lo && i < hi })
	}
	names := []string{"host", "ts", "n", "note"}
	s := f.scan(names...)
	if terms != nil {
		s.Key, s.Access = key(terms...), plan.RangeScan
	}
	if rng.IntN(3) == 0 {
		conds = append(conds, opCall("<", &expr.Col{Index: 2, T: tInt8}, lit(n/3)))
		also(func(i int) bool { return i < n/3 })
	}
	if len(conds) > 0 {
		s.Filter = and(conds...)
	}
	// Recheck must be there for spans that turn out inexact.
	if s.Key != nil {
		var re []expr.Expr
		for _, k := range terms {
			ops := map[plan.KeyOp]string{plan.KeyEq: "=", plan.KeyGe: ">=", plan.KeyLt: "<"}
			col := []expr.Expr{&expr.Col{Index: 0, T: tText}, &expr.Col{Index: 1, T: tInt8}}[k.Columns[0]]
			re = append(re, opCall(ops[k.Op], col, k.Args[0]))
		}
		s.Recheck = and(re...)
	}
	var want []int
	for i := range n {
		if match(i) {
			want = append(want, i)
		}
	}
	order := plan.Order(rng.IntN(3))
	sort.Slice(want, func(a, b int) bool {
		x, y := want[a], want[b]
		less := x > y
		if x%hosts != y%hosts {
			less = x%hosts < y%hosts
		}
		return less != (order == plan.Reverse)
	})
	limit := -1
	if rng.IntN(2) == 0 {
		limit = rng.IntN(3000)
		s.Limit = lit(limit)
	}
	var root plan.Node
	switch {
	case order == plan.Unordered:
		root = f.gathered(s)
		limit, s.Limit = -1, nil
	default:
		root = f.merged(s, order)
		if limit >= 0 {
			root = &plan.Limit{Input: root, Count: lit(limit)}
			want = want[:min(limit, len(want))]
		}
	}
	lines := make([]string, 0, len(want))
	for _, i := range want {
		note := fmt.Sprintf("note %d", i)
		if i%3 == 0 {
			note = "NULL"
		}
		lines = append(lines, fmt.Sprintf("host-%03d|%d|%d|%s\n", i%hosts, i, i, note))
	}
	got := strings.SplitAfter(f.must(root), "\n")
	got = got[:len(got)-1]
	if order == plan.Unordered {
		sort.Strings(got)
		sort.Strings(lines)
	}
	if strings.Join(got, "") != strings.Join(lines, "") {
		t.Fatalf("order %d limit %d key %v filter %v: %d rows, want %d\n%.300s\nwant\n%.300s",
			order, limit, terms, s.Filter != nil, len(got), len(lines), strings.Join(got, ""), strings.Join(lines, ""))
	}
}

// TestScanIsClosedEarly: what stops in the middle leaves nothing running.
func TestScanIsClosedEarly(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 16, withStore(open(t)))
			f.load(20000, 5)
			for _, root := range []plan.Node{f.merged(f.scan(), plan.Forward), f.gathered(f.scan())} {
				s, err := Prepare(&plan.Plan{Root: root})
				if err != nil {
					t.Fatal(err)
				}
				for range 3 { // and is open to be run again
					if err := s.Open(f.context()); err != nil {
						t.Fatal(err)
					}
					for range 4 {
						if _, err := s.Next(); err != nil {
							t.Fatal(err)
						}
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
