package bench

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// BenchmarkOverhead compares a request for one row on a server that counts its statements and
// looks for slow ones with one that does neither. The two
// take 100 turns, and change who is first. median-% is the median over the turns of how much more
// processor time the one took than the other beside it, least-% compares the tenth best turn of
// each: what else the machine does makes turns worse, never better. allocs-% has no noise. "bare"
// has no socket, "pgbench" a client of PostgreSQL's.
func BenchmarkOverhead(b *testing.B) {
	off := openDB(b, b.TempDir())
	on := openWith(b, b.TempDir(), &saltsql.Options{Logger: quiet, TrackStatements: 5000, Settings: map[string]string{"log_min_duration_statement": "1h"}})
	for _, db := range []*saltsql.DB{off, on} {
		load(b, db, "t", 16, pointRows)
	}
	b.Run("bare", func(b *testing.B) {
		overhead(b, func(n int, db *saltsql.DB) {
			serveScript(b, db, &scriptedConn{requests: n, reached: func(int) {}})
		}, off, on)
	})
	b.Run("pgbench", func(b *testing.B) {
		bin := filepath.Join(pgtest.BinDir(), "pgbench")
		if _, err := os.Stat(bin); err != nil {
			b.Skip("no pgbench: ", err)
		}
		script := filepath.Join(b.TempDir(), "point.sql")
		if err := os.WriteFile(script, []byte(pointScript), 0o600); err != nil {
			b.Fatal(err)
		}
		to := map[*saltsql.DB][]string{}
		for _, db := range []*saltsql.DB{off, on} {
			c := dial(b, db).Config()
			to[db] = []string{"-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-n", "-f", script, "-M", "prepared", c.Database}
		}
		overhead(b, func(n int, db *saltsql.DB) {
			cmd := exec.Command(bin, append([]string{"-t", fmt.Sprint(n)}, to[db]...)...)
			cmd.Env, cmd.Stdout = append(os.Environ(), "PGSSLMODE=disable"), io.Discard
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}, off, on)
	})
}

// overhead runs b.N requests on each of two DBs, by turns.
func overhead(b *testing.B, requests func(n int, db *saltsql.DB), off, on *saltsql.DB) {
	const turns = 100
	n := max(b.N/turns, 1)
	var took [2][]time.Duration
	var allocs [2]uint64
	var m runtime.MemStats
	for turn := range turns {
		for i := range 2 {
			i ^= turn & 1 // who is first
			runtime.ReadMemStats(&m)
			mallocs, was := m.Mallocs, ownTime()
			requests(n, []*saltsql.DB{off, on}[i])
			took[i] = append(took[i], ownTime()-was)
			runtime.ReadMemStats(&m)
			allocs[i] += m.Mallocs - mallocs
		}
	}
	ratios := make([]float64, turns)
	for i := range ratios {
		ratios[i] = float64(took[1][i]) / float64(took[0][i])
	}
	slices.Sort(ratios)
	least := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][turns/10].Nanoseconds()) / 1e3 / float64(n)
	}
	b.ReportMetric(100*(ratios[turns/2]-1), "median-%")
	b.ReportMetric(100*(least(1)/least(0)-1), "least-%")
	b.ReportMetric(100*(float64(allocs[1])/float64(allocs[0])-1), "allocs-%")
	b.ReportMetric(least(0), "off-µs")
	b.ReportMetric(least(1), "on-µs")
}
