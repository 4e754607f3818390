package bench

import (
	"context"
	"fmt"
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
	for _, s := range servers {
		exec(b, s.conn, "CREATE INDEX i ON c (v)")
		exec(b, s.conn, "ANALYZE c")
	}
	for _, s := range servers {
		b.Run("point/"+s.name, func(b *testing.B) {
			ctx := context.Background()
			if _, err := s.conn.Prepare(ctx, "p", "SELECT k, n FROM c WHERE v = $1"); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				var k int64
				var n int32
				v := fmt.Sprintf("row number %010d of the benchmark, some text", i*7919%rows)
				if err := s.conn.QueryRow(ctx, "p", v).Scan(&k, &n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
