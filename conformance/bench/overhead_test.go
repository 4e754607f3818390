package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// The two sides of BenchmarkOverhead, as a client's options: statements are counted and looked at
// for slow ones, or neither.
const (
	observed   = "-c pg_stat_statements.track=top -c log_min_duration_statement=1h"
	unobserved = "-c pg_stat_statements.track=none -c log_min_duration_statement=-1"
)

// BenchmarkOverhead says how much more processor time a server takes for a transaction whose
// statements are counted, with metrics read beside them, than for one whose are not. There is one
// server on one store, and whether it counts is the connection's choice, so that the sides differ
// by nothing else: two servers differ by 2 % and more in where their data lies. Each turn runs both
// sides and the one without counting once more, in changing order. cost-% is the median over the
// turns of the ratio of counting to not counting, low-% and high-% the bounds between which it is with a
// probability of 95 % (of the order statistics: nothing is assumed of how times are spread), and
// null-% the median of the same ratio of what is the same: what the measure is worth.
//
// "bare" has no socket: what the engine alone does for a request, the harshest denominator.
// "point" is pgbench's SELECT of one row, in its two protocols; "tpcb" pgbench's own script.
func BenchmarkOverhead(b *testing.B) {
	db := openWith(b, b.TempDir(), &saltsql.Options{Logger: quiet, TrackStatements: 5000})
	load(b, db, "t", 16, pointRows)
	for _, mode := range []string{"prepared", "simple"} {
		b.Run("bare-"+mode, func(b *testing.B) {
			overhead(b, func(n int, options string) {
				serveScript(b, db, &scriptedConn{simple: mode == "simple", options: options, requests: n, reached: func(int) {}})
			})
		})
	}
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		b.Skip("no pgbench: ", err)
	}
	script := filepath.Join(b.TempDir(), "point.sql")
	if err := os.WriteFile(script, []byte(pointScript), 0o600); err != nil {
		b.Fatal(err)
	}
	c := dial(b, db).Config()
	run := func(b *testing.B, options string, args ...string) {
		cmd := childproc.Command(bin, append(args, "-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-n", c.Database)...)
		cmd.Env = append(os.Environ(), "PGSSLMODE=disable", "PGOPTIONS="+options)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	setup := childproc.Command(bin, "-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-i", "-q", "-s", "1", c.Database)
	setup.Env = append(os.Environ(), "PGSSLMODE=disable")
	if out, err := setup.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, mode := range []string{"prepared", "simple"} {
		b.Run("point-"+mode, func(b *testing.B) {
			overhead(b, func(n int, options string) {
				run(b, options, "-f", script, "-M", mode, "-t", fmt.Sprint(n))
			})
		})
		b.Run("tpcb-"+mode, func(b *testing.B) {
			overhead(b, func(n int, options string) {
				run(b, options, "-M", mode, "-t", fmt.Sprint(n))
			})
		})
	}
}

// turns of each side in one run.
const turns = 200

// overhead runs b.N transactions of each side, by turns.
func overhead(b *testing.B, transactions func(n int, options string)) {
	n := max(b.N/turns, 1)
	transactions(n, unobserved) // warm
	var cost, null, off, on []float64
	for turn := range turns {
		var took [3]float64
		for i := range took {
			i = (i + turn) % len(took)
			was := ownTime()
			transactions(n, [...]string{unobserved, observed, unobserved}[i])
			took[i] = float64(ownTime()-was) / float64(n)
		}
		off, on = append(off, took[0], took[2]), append(on, took[1])
		cost = append(cost, took[1]/math.Sqrt(took[0]*took[2]))
		null = append(null, took[2]/took[0])
	}
	median := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	b.ReportMetric(100*(median(cost)-1), "cost-%")
	wide := int(math.Ceil(1.96 * math.Sqrt(turns) / 2))
	b.ReportMetric(100*(cost[turns/2-wide]-1), "low-%")
	b.ReportMetric(100*(cost[turns/2+wide]-1), "high-%")
	b.ReportMetric(100*(median(null)-1), "null-%")
	b.ReportMetric(median(off)/float64(time.Microsecond), "off-µs")
	b.ReportMetric(median(on)/float64(time.Microsecond), "on-µs")
}

// BenchmarkCounted is a request for one row without a socket, counted and not: for counting
// instructions, which have no noise. The difference of two runs is that of their requests:
//
//	go test -c -o bench.test ./conformance/bench
//	for n in 5000 25000; do
//	  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
//	    ./bench.test -test.run '^$' -test.bench Counted/prepared/on -test.benchtime ${n}x
//	done
func BenchmarkCounted(b *testing.B) {
	db := openWith(b, b.TempDir(), &saltsql.Options{Logger: quiet, TrackStatements: 5000, NoEstimates: true})
	const rows = 1000
	load(b, db, "t", 16, rows)
	for _, mode := range []string{"prepared", "simple"} {
		for side, options := range map[string]string{"on": observed, "off": unobserved} {
			b.Run(mode+"/"+side, func(b *testing.B) {
				serveScript(b, db, &scriptedConn{simple: mode == "simple", options: options, requests: b.N, keys: rows, reached: func(int) {}})
			})
		}
	}
}
