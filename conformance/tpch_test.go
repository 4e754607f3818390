package conformance

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/tpch"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var (
	tpchScale  = flag.Float64("tpch.scale", 0.005, "scale of the TPC-H database; 1 is 8.7 million rows")
	tpchOnly   = flag.String("tpch.only", "", "the numbers of the only questions to ask, as 5,7,8")
	tpchPlans  = flag.String("tpch.plans", "", "log the plans: explain, or analyze for what was done, of PostgreSQL too")
	tpchRounds = flag.Int("tpch.rounds", 1, "how often to ask each question of both, by turns: the log has the medians")
)

// TestTPCH asks TPC-H's questions of PostgreSQL and of every store, on tables with
// salted composite keys: the answers must be equal, to the last digit. Both have been told to
// ANALYZE. The log has the times of both, which say something on a quiet machine and at a scale
// of 0.1 or more only: from there on the store is one as a server has it.
func TestTPCH(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	pg := pgConnect(t, pgtest.Start(t))
	tpchLoad(ctx, t, pg, false)
	stores := []string{"mem", "pebble", "bigtable"}
	for i := range seeds.Part(t, len(stores), seeds.Whole) {
		store := stores[i]
		if store == "bigtable" && !seeds.Full() || *tpchScale > 0.02 && store != "pebble" {
			continue
		}
		t.Run(store, func(t *testing.T) {
			var db *saltsql.DB
			if *tpchScale > 0.02 {
				db = harness.OpenOn(t, harness.Served(t))
			} else {
				db = harness.Open(t, store)
			}
			host, port := harness.Serve(t, db)
			c := pgConnect(t, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port))
			tpchLoad(ctx, t, c, true)
			only := strings.Split(*tpchOnly, ",")
			for i := range seeds.Part(t, len(tpch.Questions), seeds.Whole) {
				q := tpch.Questions[i]
				if *tpchOnly == "" || slices.Contains(only, strconv.Itoa(i+1)) {
					tpchAsk(ctx, t, i+1, q, c, pg)
				}
			}
		})
	}
}

// tpchAsk compares the answers to one question.
func tpchAsk(ctx context.Context, t *testing.T, number int, q tpch.Question, c, pg *pgconn.PgConn) {
	var ours, theirs, spent []time.Duration
	serving := harness.ServingTime(pg.PID())
	before := serving()
	for range *tpchRounds {
		want, took, err := ask(ctx, pg, q.SQL)
		if err != nil {
			t.Fatalf("%d, %s: PostgreSQL: %v", number, q.Asks, err)
		}
		theirs = append(theirs, took)
		was := harness.ProcessTime()
		got, took, err := ask(ctx, c, q.SQL)
		spent = append(spent, harness.ProcessTime()-was)
		if err != nil {
			t.Errorf("%d, %s: %v", number, q.Asks, err)
			return
		}
		ours = append(ours, took)
		if got != want {
			t.Errorf("%d, %s:\n%s\nPostgreSQL:\n%s", number, q.Asks, got, want)
			return
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	slices.Sort(spent)
	each := float64((serving() - before).Milliseconds()) / float64(*tpchRounds) // a mean: it is counted in hundredths of seconds
	median := func(d []time.Duration) float64 { return float64(d[len(d)/2].Microseconds()) / 1000 }
	t.Logf("%2d %7.1f ms, PostgreSQL %7.1f ms, ratio %5.2f; of processors %7.1f and %7.1f ms: %s", number, median(ours), median(theirs), median(ours)/median(theirs), median(spent), each, q.Asks)
	if *tpchPlans == "" {
		return
	}
	explain, conns := "EXPLAIN ", []*pgconn.PgConn{c}
	if *tpchPlans == "analyze" {
		explain, conns = "EXPLAIN ANALYZE ", append(conns, pg)
	}
	for _, c := range conns {
		plan, _, err := ask(ctx, c, explain+q.SQL)
		t.Logf("%d: %v\n%s", number, err, plan)
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
	if _, err := c.Exec(ctx, "ANALYZE").ReadAll(); err != nil {
		t.Fatal(err)
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
