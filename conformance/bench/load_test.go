package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// BenchmarkIndexes makes and fills indexes over the wire, beside a PostgreSQL that syncs too:
// CREATE INDEX on a million rows, COPY of as many with two indexes, and rows read by a column
// that has an index.
func BenchmarkIndexes(b *testing.B) {
	pg := connect(b, pgtest.StartDurable(b))
	b.Cleanup(func() { pg.Close(context.Background()) })
	own := dial(b, openWith(b, b.TempDir(), &saltsql.Options{Logger: quiet}))
	servers := []struct {
		name string
		conn *pgx.Conn
		salt int
		used func() time.Duration // processor time
	}{{"saltsql", own, 16, ownTime}, {"postgres", pg, 0, servingTime(pg)}}
	exec := func(b *testing.B, c *pgx.Conn, sql string) {
		b.Helper()
		if _, err := c.Exec(context.Background(), sql); err != nil {
			b.Fatal(err)
		}
	}
	for _, s := range servers {
		copyOver(b, s.conn, ddl("c", s.salt), "c", data(rows))
	}
	for _, ix := range []struct{ name, kind, on string }{
		{"create-n", "INDEX", "n"}, {"create-v", "INDEX", "v"}, {"create-unique-v", "UNIQUE INDEX", "v"},
	} {
		for _, s := range servers {
			b.Run(ix.name+"/"+s.name, func(b *testing.B) {
				was := s.used()
				for b.Loop() {
					exec(b, s.conn, "CREATE "+ix.kind+" i ON c ("+ix.on+")")
					b.StopTimer()
					exec(b, s.conn, "DROP INDEX i")
					b.StartTimer()
				}
				b.ReportMetric(float64((s.used()-was).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
	made := 0
	for _, s := range servers {
		b.Run("copy-two-indexes/"+s.name, func(b *testing.B) {
			was := s.used()
			for b.Loop() {
				b.StopTimer()
				made++
				t := fmt.Sprintf("c%d", made)
				exec(b, s.conn, ddl(t, s.salt))
				exec(b, s.conn, "CREATE INDEX ON "+t+" (n)")
				exec(b, s.conn, "CREATE INDEX ON "+t+" (v)")
				b.StartTimer()
				if _, err := s.conn.PgConn().CopyFrom(context.Background(), data(rows), "COPY "+t+" FROM STDIN"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((s.used()-was).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	pointByIndex(b, exec, own, pg)
}

// pointByIndex has pgbench read one row by a column that has an index, through which the row is
// looked up, and by one that covers it. The floor reads two rows of a bare Pebble, and one.
func pointByIndex(b *testing.B, exec func(*testing.B, *pgx.Conn, string), own, pg *pgx.Conn) {
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		return
	}
	for _, c := range []*pgx.Conn{own, pg} {
		options := ""
		if c == own {
			options = " SALT_BUCKETS = 16"
		}
		for _, sql := range []string{
			"CREATE TABLE y (k BIGINT PRIMARY KEY, u INT NOT NULL, w INT NOT NULL, v VARCHAR)" + options,
			"INSERT INTO y SELECT g, g::bigint * 7919 % 300000, g::bigint * 104729 % 300000, 'row number of the benchmark, some text' FROM generate_series(1, 300000) AS g",
			"CREATE INDEX ON y (u)", "CREATE INDEX ON y (w) INCLUDE (v)", "VACUUM ANALYZE y",
		} {
			exec(b, c, sql)
		}
	}
	floor := bare(b, b.TempDir(), pointRows)
	if err := floor.Flush(); err != nil {
		b.Fatal(err)
	}
	for _, script := range []struct {
		name, text string
		gets       int
	}{
		{"point", "\\set u random(0, 299999)\nSELECT k, v FROM y WHERE u = :u;\n", 2},
		{"covered-point", "\\set w random(0, 299999)\nSELECT k, v FROM y WHERE w = :w;\n", 1},
	} {
		loop := serveFloor(b, pointFields, pointFinder(floor, script.gets))
		for _, mode := range []string{"simple", "prepared"} {
			for _, clients := range []int{1, 8, 64} {
				for _, s := range []struct {
					name string
					conn *pgx.Conn
					used func() time.Duration
				}{{"saltsql", own, ownTime}, {"floor", loop, ownTime}, {"postgres", pg, backendsTime(pg)}} {
					if s.conn == loop && mode == "simple" {
						continue // it knows no texts
					}
					b.Run(fmt.Sprintf("%s/%s/clients-%d/%s", script.name, mode, clients, s.name), func(b *testing.B) {
						was := s.used()
						pgbench(b, bin, s.conn.Config(), script.text, mode, clients)
						perOp(b, s.used()-was, "server-µs")
					})
				}
			}
		}
	}
}

// BenchmarkPointByIndex is pointByIndex without the wire, in one session.
func BenchmarkPointByIndex(b *testing.B) {
	const n = 300_000
	db := openDB(b, b.TempDir())
	ctx := context.Background()
	for _, sql := range []string{
		"CREATE TABLE y (k BIGINT PRIMARY KEY, u INT NOT NULL, w INT NOT NULL, v VARCHAR) SALT_BUCKETS = 16",
		fmt.Sprintf("INSERT INTO y SELECT g, g::bigint * 7919 %% %d, g::bigint * 104729 %% %d, 'row number of the benchmark, some text' FROM generate_series(1, %d) AS g", n, n, n),
		"CREATE INDEX ON y (u)", "CREATE INDEX ON y (w) INCLUDE (v)", "VACUUM ANALYZE y",
	} {
		if _, err := db.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []struct{ name, sql string }{
		{"looked-up", "SELECT k, v FROM y WHERE u = $1"}, {"looked-up-1000", "SELECT max(v) FROM y WHERE u >= $1 AND u < $1 + 1000"}, {"covered", "SELECT k, v FROM y WHERE w = $1"}, {"key", "SELECT k, v FROM y WHERE k = $1 + 1"},
	} {
		b.Run(q.name, func(b *testing.B) {
			st := prepare(b, session(b, db), q.sql)
			b.ReportAllocs()
			defer reportCPU(b)()
			for i := 0; b.Loop(); i++ {
				r, err := st.Query(ctx, int64(i*7919%n))
				if err != nil || !r.Next() {
					b.Fatal(err, r.Err())
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
