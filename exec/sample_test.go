package exec

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestSample: with one seed it is the same rows in whatever way they are read, about as
// many as are asked for.
func TestSample(t *testing.T) {
	const n = 20000
	first := map[bool]string{}
	for i := range seeds.Part(t, 12, seeds.Whole) {
		blocks, buckets := i/6 > 0, []int{0, 16}[i/3%2]
		store := func() storage.Store {
			switch i % 3 {
			case 0:
				return mem.New()
			case 1:
				return remote{mem.New()}
			}
			return newPebble(t)
		}()
		f := newFixture(t, buckets, withStore(store))
		f.load(n, 50)
		sampled := func(percent any, seed any, filter bool) *plan.Scan {
			s := f.scan("host", "ts", "note")
			s.Sample = &plan.Sample{Blocks: blocks, Percent: number(percent)}
			if seed != "none" {
				s.Sample.Seed = number(seed)
			}
			if filter {
				s.Filter = opCall(">=", colAt(1, tInt8), lit(0))
			}
			return s
		}
		got := sorted(f.must(f.gathered(sampled(30.0, 7.0, false))))
		if first[blocks] == "" {
			first[blocks] = got
		}
		if got != first[blocks] {
			t.Fatal("not the same rows on another store or with other buckets")
		}
		if k := strings.Count(got, "\n"); k < n/4 || k > n*7/20 {
			t.Fatalf("blocks %v: %d of %d rows are not about 30 percent", blocks, k, n)
		}
		if sorted(f.must(f.merged(sampled(30.0, 7.0, true), plan.Forward))) != first[blocks] {
			t.Fatal("not the same rows in order")
		}
		if sorted(f.must(f.gathered(sampled(30.0, 8.0, false)))) == first[blocks] {
			t.Fatal("the same rows with another seed")
		}
		limited := &plan.Limit{Input: f.gathered(sampled(50.0, 7.0, true)), Count: lit(1000)}
		if k := strings.Count(f.must(limited), "\n"); k != 1000 {
			t.Fatal(k)
		}
		for percent, want := range map[float64]int{0: 0, 100: n} {
			if k := strings.Count(f.must(f.gathered(sampled(percent, "none", false))), "\n"); k != want {
				t.Fatal(percent, k)
			}
		}
		for _, c := range []struct {
			percent, seed any
			code          string
		}{{-1.0, 1.0, "2202H"}, {100.5, 1.0, "2202H"}, {nil, 1.0, "2202H"}, {10.0, nil, "2202G"}} {
			_, err := f.run(f.gathered(sampled(c.percent, c.seed, false)))
			if sqlerr.CodeOf(err).String() != c.code {
				t.Fatal(c, err)
			}
		}
	}
}

func number(v any) expr.Expr {
	if v == nil {
		return null(tFloat)
	}
	return lit(v)
}
