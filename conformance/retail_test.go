package conformance

import (
	"context"
	"flag"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/retail"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var (
	retailScale = flag.Float64("retail.scale", 0.1, "scale of the warehouse; 1 is 300,000 rows")
	retailOnly  = flag.Int("retail.only", 0, "the number of the only question to ask")
	retailPlans = flag.Bool("retail.plans", false, "log the plans")
)

// TestRetail asks a retailer's 99 questions of PostgreSQL and of saltsql, without ANALYZE in
// little memory and after ANALYZE: the answers must be equal, to the last digit. Questions
// that no row answers would show nothing, so few may be that. Bigtable's emulator answers at
// small scales alone.
func TestRetail(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	pg := pgConnect(t, pgtest.Start(t))
	retailLoad(ctx, t, pg, false)
	for _, sql := range []string{"ANALYZE", "SET jit = off", "SET enable_nestloop = off"} {
		if _, err := pg.Exec(ctx, sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	wants, took, empty := map[int]string{}, map[int]time.Duration{}, 0
	for i, q := range retail.Questions {
		if *retailOnly != 0 && *retailOnly != i+1 {
			continue
		}
		var err error
		if wants[i], took[i], err = ask(ctx, pg, q.SQL); err != nil {
			t.Fatalf("%d, %s: PostgreSQL: %v", i+1, q.Asks, err)
		}
		if wants[i] == "" {
			empty++
			t.Logf("%d, %s: no row", i+1, q.Asks)
		}
	}
	if empty > 3 {
		t.Errorf("%d questions have no row for an answer", empty)
	}
	stores := []string{"mem", "pebble", "bigtable"}
	for i := range seeds.Part(t, len(stores), seeds.Whole) {
		store := stores[i]
		if testing.Short() && store != "mem" || *retailScale >= 0.1 && store == "bigtable" {
			continue
		}
		t.Run(store, func(t *testing.T) {
			host, port := harness.Serve(t, variant{store: store}.open(t))
			c := pgConnect(t, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port))
			retailLoad(ctx, t, c, true)
			switch store {
			case "pebble":
				if _, err := c.Exec(ctx, "ANALYZE").ReadAll(); err != nil {
					t.Fatal(err)
				}
			case "mem":
				if _, err := c.Exec(ctx, "SET work_mem = '256kB'").ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			for i, q := range retail.Questions {
				want, asked := wants[i]
				if !asked {
					continue
				}
				if *retailPlans {
					plan, _, err := ask(ctx, c, "EXPLAIN "+q.SQL)
					t.Logf("%d: %v\n%s", i+1, err, plan)
				}
				got, ours, err := ask(ctx, c, q.SQL)
				if err != nil {
					t.Errorf("%d, %s: %v", i+1, q.Asks, err)
					continue
				}
				if got != want {
					missing, extra := apart(want, got)
					t.Errorf("%d, %s: PostgreSQL's alone:\n%s\nits own:\n%s", i+1, q.Asks, missing, extra)
				}
				t.Logf("%2d %8v, PostgreSQL %8v, ratio %5.2f: %s", i+1, ours.Round(time.Millisecond), took[i].Round(time.Millisecond), float64(ours)/float64(took[i]), q.Asks)
			}
		})
	}
}

func retailLoad(ctx context.Context, t *testing.T, c *pgconn.PgConn, salted bool) {
	t.Helper()
	began := time.Now()
	for _, table := range retail.Tables {
		if _, err := c.Exec(ctx, table.Create(salted)).ReadAll(); err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		go func() { w.CloseWithError(retail.Scale(*retailScale).Write(w, table.Name)) }()
		if _, err := c.CopyFrom(ctx, r, "COPY "+table.Name+" FROM STDIN"); err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	t.Logf("loaded in %v", time.Since(began).Round(time.Millisecond))
}
