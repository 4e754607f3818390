package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestIndexAdvice runs statements, makes all indexes that saltsql.index_advice then names, and runs
// them again: at least nine tenths of the rows that it says would be spared are, all answers are the
// same, and nothing more is advised. Before, a plan with each as a hypothetical index reads it.
func TestIndexAdvice(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	for _, store := range []string{"mem", "pebble"} {
		t.Run(store, func(t *testing.T) {
			host, port := harness.Serve(t, openObserved(t, store, nil, nil))
			c := harness.Connect(t, host, port)
			for _, sql := range []string{
				"CREATE SCHEMA shop",
				"CREATE TABLE shop.ord (id INT PRIMARY KEY, cust INT NOT NULL, state TEXT NOT NULL, at TIMESTAMP NOT NULL, total INT, note TEXT) SALT_BUCKETS = 4",
				"INSERT INTO shop.ord SELECT g, g * 7919 % 1500, 's' || g % 50, TIMESTAMP '2024-01-01' + g * INTERVAL '1 minute', g, 'n' || g FROM generate_series(1, 12000) AS g",
				"CREATE TABLE cust (id INT PRIMARY KEY, name TEXT NOT NULL)",
				"INSERT INTO cust SELECT g, 'c' || g FROM generate_series(1, 3000) AS g",
				"ANALYZE shop.ord", "ANALYZE cust", "SELECT pg_stat_statements_reset()",
			} {
				harness.MustExec(t, c, sql)
			}
			work := func() (answers string) {
				harness.MustExec(t, c, "SET search_path = shop, public")
				for i := range 6 {
					for _, sql := range []string{
						"SELECT id, total FROM ord WHERE cust = %d ORDER BY id",
						"SELECT id FROM ord WHERE cust = %d AND at > TIMESTAMP '2024-01-03' ORDER BY id",
						"SELECT count(*) FROM ord WHERE cust IN (%d, 3)",
						"SELECT id FROM ord WHERE state = 's%d' ORDER BY at DESC LIMIT 5",
						"SELECT id FROM cust WHERE name = 'c%d'",
						"SELECT total FROM ord WHERE id = %d",
						"SELECT c.id, c.name, o.id FROM cust AS c JOIN ord AS o ON o.cust = c.id WHERE c.name = 'c%d' ORDER BY o.id",
					} {
						rows, err := c.Query(ctx, fmt.Sprintf(sql, 7+i), pgx.QueryExecModeSimpleProtocol)
						if err != nil {
							t.Fatal(err)
						}
						for rows.Next() {
							values, _ := rows.Values()
							answers += fmt.Sprintln(values...)
						}
						if rows.Err() != nil {
							t.Fatal(rows.Err())
						}
					}
				}
				harness.MustExec(t, c, "RESET search_path")
				return answers
			}
			read := func() (n int) {
				if err := c.QueryRow(ctx, "SELECT COALESCE(sum(rows_read), 0)::int FROM pg_stat_statements WHERE query LIKE '%ord%' OR query LIKE '%cust%'").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			type advice struct {
				table, index, query string
				statements          int
				calls, read, spared int64
			}
			advised := func() (list []advice) {
				rows, _ := c.Query(ctx, "SELECT table_name, index_definition, query, statements, calls, rows_read, rows_spared FROM saltsql.index_advice")
				list, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (a advice, err error) {
					return a, r.Scan(&a.table, &a.index, &a.query, &a.statements, &a.calls, &a.read, &a.spared)
				})
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
			answers := work()
			before := read()
			list := advised()
			spared, shapes := 0, 0
			for i, a := range list {
				t.Log(a)
				spared, shapes = spared+int(a.spared), shapes+a.statements
				if a.spared > a.read || a.calls != int64(a.statements*6) {
					t.Errorf("%v: more is spared than was read, or not all is counted", a)
				}
				if strings.Contains(a.index, "'") || strings.Contains(a.query, "'") {
					t.Errorf("%v has a constant", a)
				}
				name := fmt.Sprint("advised_", i)
				sql := strings.Replace(a.index, "CREATE INDEX ON", "CREATE INDEX "+name+" ON", 1)
				harness.MustExec(t, c, sql+" HYPOTHETICAL")
				harness.MustExec(t, c, "SET search_path = shop, public")
				if plan := explained(ctx, t, c, strings.NewReplacer("$1", "'9'", "$2", "'9'").Replace(a.query)); !strings.Contains(plan, "Hypothetical Index: "+name) {
					t.Errorf("%s\n%s", a.query, plan)
				}
				harness.MustExec(t, c, "RESET search_path; DROP INDEX "+strings.TrimPrefix(map[bool]string{true: "shop."}[a.table == "ord"], "")+name)
				harness.MustExec(t, c, sql)
			}
			if shapes < 6 || len(list) < 2 || len(list) > 5 {
				t.Errorf("%d indexes for %d shapes of statements", len(list), shapes)
			}
			harness.MustExec(t, c, "SELECT pg_stat_statements_reset()")
			if again := work(); again != answers {
				t.Errorf("with the indexes the answers are\n%s\nwithout\n%s", again, answers)
			}
			if after := read(); before-after < spared*9/10 {
				t.Errorf("%d rows were read without the indexes and %d with them: %d was said to be spared", before, after, spared)
			}
			if more := advised(); len(more) > 0 {
				t.Errorf("beside these is advised %v", more)
			}
		})
	}
}

func explained(ctx context.Context, t *testing.T, c *pgx.Conn, sql string) string {
	t.Helper()
	rows, _ := c.Query(ctx, "EXPLAIN "+sql, pgx.QueryExecModeSimpleProtocol)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(lines, "\n")
}

// TestIndexAdviceIsForWhoMaySee asks for advice as roles that may see statements of others, and as
// ones that may not.
func TestIndexAdviceIsForWhoMaySee(t *testing.T) {
	ctx := context.Background()
	host, port := harness.Serve(t, openObserved(t, "mem", nil, nil))
	as := func(user string) *pgx.Conn {
		c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=%s dbname=saltsql sslmode=disable", host, port, user))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(ctx) })
		return c
	}
	admin := as("saltsql")
	for _, sql := range []string{
		"CREATE ROLE alice LOGIN", "CREATE ROLE bob LOGIN", "CREATE ROLE watcher LOGIN", "GRANT pg_read_all_stats TO watcher",
		"CREATE TABLE big (k INT PRIMARY KEY, a INT)", "INSERT INTO big SELECT g, g % 900 FROM generate_series(1, 5000) AS g", "ANALYZE big",
		"CREATE TABLE own (k INT PRIMARY KEY, a INT)", "INSERT INTO own SELECT g, g % 900 FROM generate_series(1, 5000) AS g", "ANALYZE own",
		"GRANT SELECT ON big, own TO alice, bob",
	} {
		harness.MustExec(t, admin, sql)
	}
	alice, bob := as("alice"), as("bob")
	harness.MustExec(t, alice, "SELECT k FROM big WHERE a = 5")
	harness.MustExec(t, bob, "SELECT k FROM own WHERE a = 5")
	for _, who := range []struct {
		c    *pgx.Conn
		want string
	}{{alice, "[big]"}, {bob, "[own]"}, {as("watcher"), "[big own]"}, {admin, "[big own]"}} {
		rows, _ := who.c.Query(ctx, "SELECT table_name FROM saltsql.index_advice ORDER BY 1")
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || fmt.Sprint(names) != who.want {
			t.Errorf("%v, %v; want %s", names, err, who.want)
		}
	}
}
