package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"
	dto "github.com/prometheus/client_model/go"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// writeScript is a transaction of pgbench.
type writeScript struct {
	name    string
	text    string
	clients []int
}

var writeScripts = []writeScript{
	{"update", `\set k random(0, 99999)
UPDATE t SET n = n + 1 WHERE k = :k;
`, []int{1, 8}},
	{"transaction", `\set k random(0, 99999)
\set l random(0, 99999)
BEGIN;
UPDATE t SET n = n + 1 WHERE k = :k;
UPDATE u SET n = n - 1 WHERE k = :l;
SELECT n, v FROM t WHERE k = :l;
END;
`, []int{8, 64}},
	{"insert-two-indexes", `\set k random(0, 1000000000000000)
\set n random(0, 99999)
INSERT INTO x VALUES (:k, :n, 'row number of the benchmark, some text');
`, []int{64}},
}

// BenchmarkWrite has pgbench write to saltsql, to the floor, which is a bare pgproto3 loop
// around a Pebble batch that is synced, and to PostgreSQL. All of them sync each commit. An
// operation is a transaction of any client; syncs/op is how often the log was synced for one,
// which group commit makes less than one, and server-µs its processor time.
func BenchmarkWrite(b *testing.B) {
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		b.Skip("no pgbench: ", err)
	}
	db, st := openBoth(b, b.TempDir(), &saltsql.Options{Logger: quiet})
	own := dial(b, db)
	floor, floorSyncs := serveWriteFloor(b)
	pg := connect(b, pgtest.StartDurable(b))
	b.Cleanup(func() { pg.Close(context.Background()) })
	for _, c := range []*pgx.Conn{own, pg} {
		salt := 0
		if c == own {
			salt = 16
		}
		writeTables(b, c, salt)
	}
	servers := []struct {
		name  string
		conn  *pgx.Conn
		used  func() time.Duration // processor time
		syncs func() float64
	}{
		{"saltsql", own, ownTime, func() float64 { return syncsOf(b, st.Metrics()) }},
		{"floor", floor, ownTime, floorSyncs},
		{"postgres", pg, backendsTime(pg), func() float64 { return postgresSyncs(b, pg) }},
	}
	for _, script := range writeScripts {
		for _, clients := range script.clients {
			for _, s := range servers {
				if s.name == "floor" && script.name == "insert-two-indexes" {
					continue
				}
				b.Run(fmt.Sprintf("%s/clients-%d/%s", script.name, clients, s.name), func(b *testing.B) {
					was, syncs := s.used(), s.syncs()
					pgbench(b, bin, s.conn.Config(), script.text, "prepared", clients)
					perOp(b, s.used()-was, "server-µs")
					b.ReportMetric((s.syncs()-syncs)/float64(b.N), "syncs/op")
				})
			}
		}
	}
}

// writeTables makes what the scripts write to.
func writeTables(b *testing.B, c *pgx.Conn, salt int) {
	ctx := context.Background()
	for _, t := range []string{"t", "u", "x"} {
		if _, err := c.Exec(ctx, ddl(t, salt)); err != nil {
			b.Fatal(err)
		}
		if t == "x" {
			for _, col := range []string{"n", "v"} {
				if _, err := c.Exec(ctx, "CREATE INDEX ON x ("+col+")"); err != nil {
					b.Fatal(err)
				}
			}
			continue
		}
		if _, err := c.PgConn().CopyFrom(ctx, data(pointRows), "COPY "+t+" FROM STDIN"); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Exec(ctx, "ANALYZE "+t); err != nil {
			b.Fatal(err)
		}
	}
}

// syncsOf is how often a Pebble has synced its log.
func syncsOf(b *testing.B, of *pebble.Metrics) float64 {
	var m dto.Metric
	if err := of.LogWriter.FsyncLatency.Write(&m); err != nil {
		b.Fatal(err)
	}
	return float64(m.Histogram.GetSampleCount())
}

func postgresSyncs(b *testing.B, c *pgx.Conn) (n float64) {
	time.Sleep(1100 * time.Millisecond) // a backend tells of its own after a second
	if err := c.QueryRow(context.Background(), "SELECT wal_sync FROM pg_stat_wal").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}
