package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/internal/pgtest"
)

const queriesPerTables = 50

// TestRandomJoins compares the answers to random queries over several tables, and what
// statements write that join them, as sets of rows, with PostgreSQL's: salted and not, rules on and off, under hints.
func TestRandomJoins(t *testing.T) {
	ctx := context.Background()
	dsn, why := pgtest.TryStart(t)
	if why != "" {
		t.Skip("nothing to compare with:", why)
	}
	pg, err := dial(ctx, dsn, "joins")
	if err != nil {
		t.Fatal(err)
	}
	defer pg.close(ctx)
	variants := []variant{{store: "mem"}, {store: "mem", rulesOff: true}, {store: "pebble"}, {store: "bigtable"}}
	var ours []*randomEngine
	for _, v := range variants {
		ours = append(ours, &randomEngine{name: v.String(), db: v.open(t), variant: v})
	}
	ours[0].indexed = true
	n := *statements / 15
	if testing.Short() {
		n /= 10
	}
	ran, refused, failed := 0, map[string]int{}, 0
	for s := *seed; ran < n && failed < *maxFaults; s++ {
		g := random.NewJoins(s)
		r := rand.New(rand.NewPCG(s, 5))
		ddl, plain, rows := g.Tables(func(int) string {
			if b := r.IntN(5); b > 1 {
				return fmt.Sprintf("SALT_BUCKETS = %d", b)
			}
			return ""
		})
		var runs []*randomRun
		must := func(c randomConn, stmts ...string) {
			for _, sql := range stmts {
				if _, _, err := c.text(ctx, sql, 0); err != nil {
					t.Fatalf("seed %d: %s: %v", s, sql, err)
				}
			}
		}
		var drop []string
		for _, name := range random.JoinNames() {
			drop = append(drop, "DROP TABLE IF EXISTS "+name)
		}
		must(pg, slices.Concat(drop, plain, rows)...)
		for i, e := range ours {
			if i > 1 && s%4 != uint64(i) { // the slower stores take their turns
				continue
			}
			run := &randomRun{randomEngine: e, prepared: map[string]error{}}
			if err := run.session(map[string]string{}); err != nil {
				t.Fatal(err)
			}
			must(run.conn, slices.Concat(drop, ddl, rows)...)
			if e.indexed {
				must(run.conn, random.JoinIndexes(r)...)
			}
			runs = append(runs, run)
		}
		same := true // the tables of all
		for i := range queriesPerTables {
			if !same {
				break
			}
			answer, sql := rowSet, g.Query()
			if i%5 == 4 {
				answer, sql = written, g.Write()
			}
			ran++
			want := answer(ctx, pg, sql)
			for _, run := range runs {
				got := answer(ctx, run.conn, sql)
				same = same && (i%5 != 4 || got == want)
				if strings.HasPrefix(got, "error 0A000") {
					refused[got]++
					continue
				}
				if got == want || strings.HasPrefix(want, "error") && strings.HasPrefix(got, want[:11]) {
					continue
				}
				if failed++; failed <= *maxFaults {
					plan, _, _ := run.conn.text(ctx, "EXPLAIN "+sql, 0)
					t.Errorf("seed %d: %s disagrees.\n%s;\n\nPostgreSQL:\n%s\n%s:\n%s\n\n%s\n\n%s;", s, run.name, sql, want, run.name, got, planLines(plan),
						strings.Join(slices.Concat(ddl, rows), ";\n"))
				}
			}
		}
		for _, run := range runs {
			run.conn.close(ctx)
		}
	}
	for why, n := range refused {
		t.Logf("%6d %s", n, why)
	}
	t.Logf("%d queries from seed %d on", ran, *seed)
}

// written runs a statement that writes, and prints its rows and then those of all tables.
func written(ctx context.Context, c randomConn, sql string) string {
	out := rowSet(ctx, c, sql)
	if strings.HasPrefix(out, "error") {
		return out
	}
	for _, name := range random.JoinNames() {
		out += "\n" + name + ":\n" + rowSet(ctx, c, "SELECT * FROM "+name)
	}
	return out
}

func planLines(rows [][]*string) string {
	var out []string
	for _, r := range rows {
		out = append(out, *r[0])
	}
	return strings.Join(out, "\n")
}

// rowSet runs a query and prints its rows in an order of their own.
func rowSet(ctx context.Context, c randomConn, sql string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, _, err := c.text(ctx, sql, 0)
	if err != nil {
		return "error " + state(err) + report(err)
	}
	var out []string
	for _, r := range rows {
		var cells []string
		for _, v := range r {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, *v)
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
