package planner

import (
	"runtime"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/lower"
	"github.com/saltsql/saltsql/planner/plan"
)

// phases are statements of one table, which must not pay for what serves several, with
// what binding one and applying the rules may allocate: measured, and a tenth more.
var phases = []struct {
	name, text    string
	allocs, bytes float64
}{
	{"point", "SELECT cpu FROM metrics WHERE host = $1 AND ts = $2", 135, 8000},
	{"page", "SELECT ts, cpu FROM metrics WHERE host = $1 ORDER BY host, ts DESC LIMIT 10", 168, 11700},
	{"group", "SELECT host, count(*), avg(cpu) FROM metrics WHERE cpu > 0.5 GROUP BY host ORDER BY 2 DESC LIMIT 5", 242, 17600},
	{"upsert", "UPSERT INTO metrics VALUES ($1, $2, $3, $4)", 50, 3800},
	{"insert", "INSERT INTO metrics (host, ts, cpu) VALUES ('web', '2024-01-01', 5)", 75, 6400},
	{"update", "UPDATE metrics SET cpu = cpu + 5 WHERE host = 'web' AND ts = '2024-01-01'", 166, 11600},
	{"delete", "DELETE FROM metrics WHERE host = 'web' AND ts = '2024-01-01'", 140, 8800},
}

// phasesContext has the table of phases.
func phasesContext(t testing.TB) *Context {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{
		Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"metrics"}}, {Key: "salt", Vals: []string{"8"}}},
		Input: "host varchar key\nts timestamp key desc\ncpu float8\nmem float8",
	})
	return testContext(cat)
}

// TestPhasesAllocate holds what planning by text allocates: it is most of what that costs.
func TestPhasesAllocate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ctx := phasesContext(t)
	for _, q := range phases {
		stmts, err := dialect.Parse(q.text)
		if err != nil {
			t.Fatal(err)
		}
		once := func() {
			if _, err := Plan(ctx, stmts[0]); err != nil {
				t.Fatal(err)
			}
		}
		once()
		const runs = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			once()
		}
		runtime.ReadMemStats(&after)
		allocs, bytes := float64(after.Mallocs-before.Mallocs)/runs, float64(after.TotalAlloc-before.TotalAlloc)/runs
		if allocs > q.allocs || bytes > q.bytes {
			t.Errorf("%s: planning makes %.0f allocations of %.0f bytes; at most %.0f of %.0f", q.name, allocs, bytes, q.allocs, q.bytes)
		}
		if allocs < q.allocs/2 {
			t.Errorf("%s: planning makes %.0f allocations only: the limit of %.0f holds nothing", q.name, allocs, q.allocs)
		}
	}
}

// BenchmarkPhases times parsing and planning, and of this binding and the rules apart.
func BenchmarkPhases(b *testing.B) {
	ctx := phasesContext(b)
	for _, q := range phases {
		stmts, err := dialect.Parse(q.text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(q.name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := dialect.Parse(q.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		bind := func() *plan.Plan {
			s, err := bind.Statement(ctx.forBind(), stmts[0])
			if err != nil {
				b.Fatal(err)
			}
			p, err := lower.Statement(s, nil)
			if err != nil {
				b.Fatal(err)
			}
			return p
		}
		b.Run(q.name+"/plan", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Plan(ctx, stmts[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(q.name+"/bind", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				bind()
			}
		})
		bound := bind()
		b.Run(q.name+"/rules", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := optimize(ctx, bound.Root); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// orders are statements of many relations, with what planning each may allocate: measured, and
// a tenth more. Of the pairs of sets of relations, 2,304 for a star of 10, few are kept.
var orders = []struct {
	name, text string
	allocs     float64
}{
	{"chain of 10", chainOf("JOIN")(10), 9000},
	{"star of 10", starOf(10), 10400},
	{"star of 10 with equal arms", classesOf(10), 16800},
	{"chain of 30", chainOf("JOIN")(30), 54200},
	{"star of 30", starOf(30), 73800},
}

func TestJoinOrderAllocates(t *testing.T) {
	ctx := testContext(orderCatalog(t))
	for _, q := range orders {
		stmts, err := dialect.Parse(q.text)
		if err != nil {
			t.Fatal(err)
		}
		allocs := alloctest.PerRun(3, func() {
			if _, err := Plan(ctx, stmts[0]); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > q.allocs {
			t.Errorf("%s: planning makes %.0f allocations; at most %.0f", q.name, allocs, q.allocs)
		}
	}
}

// BenchmarkJoinOrder times planning many relations.
func BenchmarkJoinOrder(b *testing.B) {
	ctx := testContext(orderCatalog(b))
	for _, q := range orders {
		stmts, err := dialect.Parse(q.text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Plan(ctx, stmts[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
