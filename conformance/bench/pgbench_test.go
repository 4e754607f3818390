package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// BenchmarkPgbench has PostgreSQL's own load generator read single rows: from
// saltsql, from the floor, which is a bare pgproto3 loop around pebble.Get, and
// from PostgreSQL. An operation is a transaction of any client. The three take
// turns, so that what else the machine does meets them all.
//
// client-µs and server-µs are processor time per transaction, of pgbench and of
// the server; the latter with the connection's start, which -benchtime 200000x
// makes small. Other work on the machine hardly changes them.
func BenchmarkPgbench(b *testing.B) {
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		b.Skip("no pgbench: ", err)
	}
	db := openDB(b, b.TempDir())
	load(b, db, "t", 16, pointRows)
	pg := postgres(b, pointRows)
	servers := []struct {
		name string
		conn *pgx.Conn
		used func() time.Duration // processor time
	}{
		{"saltsql", dial(b, db), ownTime},
		{"floor", serveFloor(b, pointFields, pointFinder(bare(b, b.TempDir(), pointRows), 1)), ownTime},
		{"postgres", pg, backendsTime(pg)},
	}
	for _, mode := range []string{"prepared", "simple"} {
		for _, clients := range []int{1, 8} {
			for _, s := range servers {
				if s.name == "floor" && mode == "simple" {
					continue // it has no parser
				}
				b.Run(fmt.Sprintf("%s/clients-%d/%s", mode, clients, s.name), func(b *testing.B) {
					was := s.used()
					pgbench(b, bin, s.conn.Config(), pointScript, mode, clients)
					perOp(b, s.used()-was, "server-µs")
				})
			}
		}
	}
}

var pointScript = fmt.Sprintf("\\set k random(0, %d)\nSELECT n, v FROM t WHERE k = :k;\n", pointRows-1)

// pgbench runs b.N transactions of a script, together by all clients.
func pgbench(b *testing.B, bin string, c *pgx.ConnConfig, text, mode string, clients int) {
	script := filepath.Join(b.TempDir(), "script.sql")
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	cmd := childproc.Command(bin, "-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-n", "-f", script, "-M", mode,
		"-c", fmt.Sprint(clients), "-j", fmt.Sprint(min(clients, 2)), "-t", fmt.Sprint(max(b.N/clients, 1)), c.Database)
	cmd.Env = append(os.Environ(), "PGSSLMODE=disable")
	out, err := cmd.CombinedOutput()
	b.StopTimer()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		var tps float64
		if _, err := fmt.Sscanf(line, "tps = %f", &tps); err == nil {
			b.ReportMetric(tps, "tps")
		}
	}
	perOp(b, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), "client-µs")
}

func perOp(b *testing.B, d time.Duration, unit string) {
	b.ReportMetric(float64(d.Nanoseconds())/1e3/float64(b.N), unit)
}

// ownTime is the processor time that this process has taken.
func ownTime() time.Duration { return harness.ProcessTime() }

// backendsTime gives the processor time of the PostgreSQL processes that served
// connections and have ended, as /proc tells; 0 where there is none.
func backendsTime(c *pgx.Conn) func() time.Duration {
	postmaster := harness.ParentOf(c.PgConn().PID())
	return func() time.Duration {
		time.Sleep(200 * time.Millisecond) // a backend counts once it has been waited for
		_, ended := harness.ProcessTimes(postmaster)
		return ended
	}
}

// servingTime gives the processor time that the PostgreSQL process behind c has taken, and
// those that have ended, which its parallel workers are among; 0 where /proc does not tell.
func servingTime(c *pgx.Conn) func() time.Duration { return harness.ServingTime(c.PgConn().PID()) }
