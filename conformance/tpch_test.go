package conformance

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/tpch"
	"github.com/saltsql/saltsql/internal/pgtest"
)

var (
	tpchScale = flag.Float64("tpch.scale", 0.005, "scale of the TPC-H database; 1 is 8.7 million rows")
	tpchOnly  = flag.Int("tpch.only", 0, "the number of the only question to ask")
	tpchPlans = flag.Bool("tpch.plans", false, "log the plans")
)

// TestTPCH asks TPC-H's questions of PostgreSQL and of every store, on tables with
// salted composite keys: the answers must be equal, to the last digit. The log has the
// times of both, which say something on a quiet machine only.
func TestTPCH(t *testing.T) {
	ctx := context.Background()
	pg := pgConnect(t, pgtest.Start(t))
	tpchLoad(ctx, t, pg, false)
	if _, err := pg.Exec(ctx, "ANALYZE").ReadAll(); err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		if !harness.Full() && store == "bigtable" || *tpchScale > 0.02 && store != "pebble" {
			continue
		}
		t.Run(store, func(t *testing.T) {
			host, port := harness.Serve(t, variant{store: store}.open(t))
			c := pgConnect(t, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port))
			tpchLoad(ctx, t, c, true)
			for i, q := range tpch.Questions {
				if *tpchOnly != 0 && *tpchOnly != i+1 {
					continue
				}
				if *tpchPlans {
					plan, _, err := ask(ctx, c, "EXPLAIN "+q.SQL)
					t.Logf("%d: %v\n%s", i+1, err, plan)
				}
				want, theirs, err := ask(ctx, pg, q.SQL)
				if err != nil {
					t.Fatalf("%d, %s: PostgreSQL: %v", i+1, q.Asks, err)
				}
				got, ours, err := ask(ctx, c, q.SQL)
				if err != nil {
					t.Errorf("%d, %s: %v", i+1, q.Asks, err)
					continue
				}
				if got != want {
					t.Errorf("%d, %s:\n%s\nPostgreSQL:\n%s", i+1, q.Asks, got, want)
				}
				t.Logf("%2d %8v, PostgreSQL %8v, ratio %5.2f: %s", i+1, ours.Round(time.Millisecond), theirs.Round(time.Millisecond), float64(ours)/float64(theirs), q.Asks)
			}
		})
	}
}

func pgConnect(t *testing.T, dsn string) *pgconn.PgConn {
	c, err := pgconn.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func tpchLoad(ctx context.Context, t *testing.T, c *pgconn.PgConn, salted bool) {
	t.Helper()
	began := time.Now()
	for _, table := range tpch.Tables {
		if _, err := c.Exec(ctx, table.Create(salted)).ReadAll(); err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		go func() { w.CloseWithError(tpch.Scale(*tpchScale).Write(w, table.Name)) }()
		if _, err := c.CopyFrom(ctx, r, "COPY "+table.Name+" FROM STDIN"); err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	t.Logf("loaded in %v", time.Since(began).Round(time.Millisecond))
}

// ask gives the rows of a query as lines, and how long it took.
func ask(ctx context.Context, c *pgconn.PgConn, sql string) (lines string, took time.Duration, err error) {
	began := time.Now()
	results, err := c.Exec(ctx, sql).ReadAll()
	took = time.Since(began)
	if err != nil {
		return "", took, err
	}
	var b strings.Builder
	for _, row := range results[0].Rows {
		for i, v := range row {
			if i > 0 {
				b.WriteByte('|')
			}
			b.Write(v)
		}
		b.WriteByte('\n')
	}
	return b.String(), took, nil
}
