package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/pgtest"
)

// BenchmarkPgbench has PostgreSQL's own load generator read single rows, from
// saltsql and from PostgreSQL. An operation is a transaction of any client.
func BenchmarkPgbench(b *testing.B) {
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		b.Skip("no pgbench: ", err)
	}
	for _, server := range []string{"saltsql", "postgres"} {
		b.Run(server, func(b *testing.B) {
			var c *pgx.Conn
			if server == "postgres" {
				c = postgres(b, pointRows)
			} else {
				db := openDB(b, b.TempDir())
				load(b, db, "t", 16, pointRows)
				c = dial(b, db)
			}
			for _, mode := range []string{"prepared", "simple"} {
				for _, clients := range []int{1, 8} {
					b.Run(fmt.Sprintf("%s/clients-%d", mode, clients), func(b *testing.B) {
						pgbench(b, bin, c.Config(), mode, clients)
					})
				}
			}
		})
	}
}

func pgbench(b *testing.B, bin string, c *pgx.ConnConfig, mode string, clients int) {
	script := filepath.Join(b.TempDir(), "point.sql")
	text := fmt.Sprintf("\\set k random(0, %d)\nSELECT n, v FROM t WHERE k = :k;\n", pointRows-1)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	out, err := exec.Command(bin, "-h", c.Host, "-p", fmt.Sprint(c.Port), "-U", c.User, "-n", "-f", script, "-M", mode,
		"-c", fmt.Sprint(clients), "-j", fmt.Sprint(min(clients, 2)), "-t", fmt.Sprint(max(b.N/clients, 1)), c.Database).CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		var tps float64
		if _, err := fmt.Sscanf(line, "tps = %f", &tps); err == nil {
			b.ReportMetric(tps, "tps")
		}
	}
}
