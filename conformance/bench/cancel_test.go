package bench

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
)

// BenchmarkCancel measures how long a client waits for the end of its statement after it has
// asked for it, as psql does on Ctrl-C, at a random moment of a second: max-ms is the longest.
func BenchmarkCancel(b *testing.B) {
	c := dial(b, func() *saltsql.DB {
		db := openDB(b, b.TempDir())
		for _, table := range []string{"t", "u"} {
			load(b, db, table, 16, rows)
		}
		return db
	}())
	ctx := context.Background()
	query := func(sql string) func() error {
		return func() error {
			rows, err := c.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return err
			}
			for rows.Next() {
			}
			return rows.Err()
		}
	}
	for _, is := range []struct {
		name string
		run  func() error
	}{
		{"scan", query("SELECT * FROM t, generate_series(1, 100)")},
		{"aggregate", query("SELECT sum(n * i) FROM t, generate_series(1, 100) i")},
		{"sort", query("SELECT * FROM t, generate_series(1, 10) i ORDER BY v DESC, i")},
		{"join", query("SELECT count(*) FROM t JOIN u ON t.n = u.n")},
		{"window", query("SELECT sum(n) OVER (PARTITION BY n ORDER BY v, i) FROM t, generate_series(1, 10) i")},
		{"sleep", query("SELECT pg_sleep(100)")},
		{"update", query("UPDATE t SET n = n + 1")},
		{"copy-out", func() error {
			_, err := c.PgConn().CopyTo(ctx, io.Discard, "COPY (SELECT * FROM t, generate_series(1, 100)) TO STDOUT")
			return err
		}},
		{"copy-in", func() error {
			_, err := c.PgConn().CopyFrom(ctx, endless{}, "COPY t FROM STDIN")
			return err
		}},
	} {
		b.Run(is.name, func(b *testing.B) {
			var total, longest time.Duration
			for b.Loop() {
				asked := make(chan time.Time, 1)
				timer := time.AfterFunc(50*time.Millisecond+time.Duration(rand.IntN(950))*time.Millisecond, func() {
					asked <- time.Now()
					if err := c.PgConn().CancelRequest(ctx); err != nil {
						b.Error(err)
					}
				})
				err := is.run()
				ended := time.Now()
				if timer.Stop() {
					b.Fatalf("it ended before it was to: %v", err)
				}
				var e *pgconn.PgError
				if !errors.As(err, &e) || e.Code != "57014" {
					b.Fatal(err)
				}
				waited := ended.Sub(<-asked)
				total, longest = total+waited, max(longest, waited)
			}
			b.ReportMetric(float64(total.Microseconds())/1e3/float64(b.N), "wait-ms")
			b.ReportMetric(float64(longest.Microseconds())/1e3, "max-ms")
		})
	}
}

// endless is COPY data whose keys repeat only after a long time.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	text := b[:0]
	for len(b)-len(text) > 120 {
		text = line(text, int(rand.Int64N(1<<60))+rows)
	}
	return len(text), nil
}
