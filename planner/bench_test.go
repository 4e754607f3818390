package planner

import (
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/lower"
	"github.com/saltsql/saltsql/planner/plan"

	"github.com/cockroachdb/datadriven"
)

// BenchmarkPhases times parsing, binding and the rules apart.
func BenchmarkPhases(b *testing.B) {
	cat := newToyCatalog()
	t := &testing.T{}
	cat.define(t, &datadriven.TestData{
		Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"metrics"}}, {Key: "salt", Vals: []string{"8"}}},
		Input: "host varchar key\nts timestamp key desc\ncpu float8\nmem float8",
	})
	for _, q := range []struct{ name, text string }{
		{"point", "SELECT cpu FROM metrics WHERE host = $1 AND ts = $2"},
		{"page", "SELECT ts, cpu FROM metrics WHERE host = $1 ORDER BY host, ts DESC LIMIT 10"},
		{"group", "SELECT host, count(*), avg(cpu) FROM metrics WHERE cpu > 0.5 GROUP BY host ORDER BY 2 DESC LIMIT 5"},
		{"upsert", "UPSERT INTO metrics VALUES ($1, $2, $3, $4)"},
	} {
		stmts, err := dialect.Parse(q.text)
		if err != nil {
			b.Fatal(err)
		}
		ctx := testContext(cat)
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
