package conformance

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestAdvisedIndexes makes the indexes that EXPLAIN ADVISE proposes: each statement reads at most
// half of what it read, says the same, and there is no further index to propose.
func TestAdvisedIndexes(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	salts := []int{0, 4}
	for i := range seeds.Part(t, len(salts), seeds.Whole) {
		salt := salts[i]
		v := variant{"mem", salt, false}
		e := engine{v, v.open(t)}
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		options := ""
		if salt > 0 {
			options = " SALT_BUCKETS = 4"
		}
		for _, sql := range []string{
			"CREATE TABLE adv (id INT PRIMARY KEY, amt INT NOT NULL, kind TEXT NOT NULL, at TIMESTAMP NOT NULL, ref INT, note TEXT)" + options,
			"INSERT INTO adv SELECT g, g * 7919 % 4001, 'k' || g % 40, TIMESTAMP '2024-01-01' + g * INTERVAL '1 minute', g % 3000, 'note ' || g FROM generate_series(1, 20000) AS g",
			"CREATE TABLE few (id INT PRIMARY KEY, x INT NOT NULL)" + options,
			"INSERT INTO few SELECT g, g % 100 FROM generate_series(1, 2000) AS g",
			"ANALYZE adv", "ANALYZE few",
			"CREATE TABLE plain (id INT PRIMARY KEY, c INT, note TEXT)" + options, // not analyzed
			"INSERT INTO plain SELECT g, g % 300, 'p' FROM generate_series(1, 20000) AS g",
		} {
			must(ctx, t, c, sql)
		}
		for _, q := range []struct{ sql, index string }{
			{"SELECT id, note FROM adv WHERE amt = 5", "(amt)"},
			{"SELECT note FROM plain WHERE c = 4", "(c) INCLUDE (note)"},
			{"SELECT id, amt FROM adv WHERE amt BETWEEN 5 AND 20", "(amt)"},
			{"SELECT id, amt FROM adv WHERE amt IN (5, 20, 8)", "(amt)"},
			{"SELECT id, amt FROM adv WHERE amt = ANY (ARRAY[5, 20, 8])", "(amt)"},
			{"SELECT id FROM adv WHERE kind = 'k3' AND amt IN (5, 20)", "(kind, amt"},
			{"SELECT count(*) FROM adv WHERE kind = 'k3' AND at < TIMESTAMP '2024-01-02'", "at)"},
			{"SELECT id, note FROM adv WHERE kind = 'k3' ORDER BY at DESC LIMIT 10", "(kind, at"},
			{"SELECT id, note FROM adv ORDER BY amt, id LIMIT 10", "(amt, id)"},
			{"SELECT id, note FROM adv ORDER BY amt DESC, id LIMIT 10", "(amt DESC, id)"},
			{"SELECT a.id, a.note FROM few f JOIN adv a ON a.ref = f.id WHERE f.x = 3 AND f.id < 300", "(ref)"},
			{"SELECT f.id FROM few f WHERE f.id < 20 AND EXISTS (SELECT 1 FROM adv a WHERE a.ref = f.id)", "(ref)"},
		} {
			before, _, _ := work(ctx, t, c, q.sql)
			rows := lines(must(ctx, t, c, q.sql))
			ddl := adviceOf(ctx, t, c, q.sql)
			if len(ddl) != 1 || !strings.Contains(ddl[0], q.index) {
				t.Errorf("%s: %q is advised, not an index on %s: %q", q.sql, ddl, q.index, lines(must(ctx, t, c, "EXPLAIN ADVISE "+q.sql)))
				continue
			}
			if strings.Contains(q.sql, "f.x = 3") { // of two tables, what the other lacks is said then
				continue
			}
			must(ctx, t, c, strings.Replace(ddl[0], "CREATE INDEX ON", "CREATE INDEX advised ON", 1))
			after, _, _ := work(ctx, t, c, q.sql)
			if after > before/2 {
				t.Errorf("%s: %d rows are read by the index, %d without", q.sql, after, before)
			}
			if got := lines(must(ctx, t, c, q.sql)); !sameLines(got, rows, !strings.Contains(q.sql, "ORDER BY")) {
				t.Errorf("%s: %q with the index, %q without", q.sql, got, rows)
			}
			if more := adviceOf(ctx, t, c, q.sql); len(more) > 0 {
				t.Errorf("%s: %q is advised beside %q", q.sql, more, ddl)
			}
			must(ctx, t, c, "DROP INDEX advised")
		}
		for _, sql := range []string{
			"SELECT * FROM adv WHERE id = 5", "SELECT count(*) FROM adv", "SELECT * FROM adv WHERE amt >= 0", "SELECT id FROM adv ORDER BY id LIMIT 10",
			"SELECT * FROM few WHERE x + 1 = 4", "SELECT kind, count(*) FROM adv GROUP BY kind",
		} {
			if ddl := adviceOf(ctx, t, c, sql); len(ddl) > 0 {
				t.Errorf("%s: %q is advised", sql, ddl)
			}
		}
		c.Close()
	}
}

// connected is a session on an empty store.
func connected(ctx context.Context, t *testing.T) slt.Conn {
	t.Helper()
	v := variant{"mem", 4, false}
	c, err := engine{v, v.open(t)}.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

var entriesAdvised = regexp.MustCompile(`, and (\d+) rows and entries with it`)

// TestAdvisedRanges compares the rows that EXPLAIN ADVISE says an index would read with those
// that there are, for ranges of columns of several types: what is known of a column's values is
// known of an index that does not exist.
func TestAdvisedRanges(t *testing.T) {
	seeds.Sometimes(t)
	const rows = 20_000
	ctx := context.Background()
	c := connected(ctx, t)
	must(ctx, t, c, "CREATE TABLE ranged (k int PRIMARY KEY, i int, n numeric(12, 2), f float8, s text, d date, ts timestamptz) SALT_BUCKETS = 4")
	must(ctx, t, c, fmt.Sprintf(`INSERT INTO ranged SELECT g, g * g / 7, g * 1.25, sqrt(g), 'x' || lpad(g::text, 6, '0'), date '2024-01-01' + g / 9,
		timestamptz '2026-01-01' + g * interval '1 minute' FROM generate_series(1, %d) g`, rows))
	must(ctx, t, c, "ANALYZE ranged")
	r, advised := rand.New(rand.NewPCG(1, 2)), 0
	cols := []string{"i", "n", "f", "s", "d", "ts"}
	for i := range seeds.Part(t, len(cols), seeds.Whole) {
		col := cols[i]
		for range 12 {
			low := 1 + r.IntN(rows)
			high := min(low+r.IntN(rows/8), rows)
			value := func(k int) string {
				return *must(ctx, t, c, fmt.Sprintf("SELECT quote_literal(%s) FROM ranged WHERE k = %d", col, k))[0][0]
			}
			for _, cond := range []string{"%[1]s >= %[2]s AND %[1]s < %[3]s", "%[1]s > %[3]s", "%[1]s <= %[2]s", "%[1]s BETWEEN %[2]s AND %[3]s"} {
				where := fmt.Sprintf(cond, col, value(low), value(high))
				there, err := strconv.Atoi(*must(ctx, t, c, "SELECT count(*) FROM ranged WHERE "+where)[0][0])
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(lines(must(ctx, t, c, "EXPLAIN ADVISE SELECT k, "+col+" FROM ranged WHERE "+where)), "\n")
				m := entriesAdvised.FindStringSubmatch(text)
				switch {
				case m == nil && there < rows/10:
					t.Errorf("%s, of %d rows: no index is advised: %s", where, there, text)
				case m != nil:
					advised++
					if n, _ := strconv.Atoi(m[1]); n < there-rows/50 || n > there+rows/50 {
						t.Errorf("%s: %d entries are told of, and there are %d", where, n, there)
					}
				}
			}
		}
	}
	if seeds.Full() && advised < 100 {
		t.Errorf("only %d indexes were advised", advised)
	}
}

// TestAdviceRuns makes all that EXPLAIN ADVISE proposes, for columns of every type: what is
// proposed is never refused.
func TestAdviceRuns(t *testing.T) {
	ctx := context.Background()
	c := connected(ctx, t)
	must(ctx, t, c, "CREATE TYPE mood AS ENUM ('low', 'high')")
	must(ctx, t, c, "CREATE DOMAIN age AS int CHECK (value > 0)")
	ran := 0
	values := map[string]string{
		"int": "g", "int2": "g", "int8": "g", "text": "'k' || g", "varchar(9)": "g", "char(9)": "g", "numeric": "g", "numeric(9, 2)": "g", "float8": "g", "float4": "g",
		"bool": "g > 2", "bytea": "decode(md5(g::text), 'hex')", "date": "date '2024-01-01' + g", "timestamp": "timestamp '2024-01-01' + g * interval '1 h'", "timestamptz": "timestamptz '2024-01-01' + g * interval '1 h'",
		"time": "time '0:00' + g * interval '1 s'", "interval": "g * interval '1 h'", "uuid": "md5(g::text)::uuid", "jsonb": "to_jsonb(g)", "int[]": "ARRAY[g]", "text[]": "ARRAY[g::text]", "oid": "g::oid", "name": "'n' || g",
		"mood": "'low'", "age": "g + 1", "\"char\"": "'a'", "int GENERATED ALWAYS AS (k % 7) STORED": "",
	}
	typs := slices.Sorted(maps.Keys(values))
	for i := range seeds.Part(t, len(typs), seeds.Whole) {
		typ, value := typs[i], values[typs[i]]
		table, insert := "CREATE TABLE any_type (k int PRIMARY KEY, v "+typ+", w text) SALT_BUCKETS = 4", "INSERT INTO any_type SELECT g, "+value+" FROM generate_series(1, 3000) g"
		if value == "" {
			insert, value = "INSERT INTO any_type SELECT g FROM generate_series(1, 3000) g", "g"
		}
		base, _, _ := strings.Cut(typ, " GENERATED")
		one := "(SELECT (" + value + ")::" + base + " FROM generate_series(5, 5) g)"
		for _, sql := range []string{table, insert, "ANALYZE any_type"} {
			must(ctx, t, c, sql)
		}
		constant := *must(ctx, t, c, "SELECT quote_literal("+one+"::text) || '::"+base+"'")[0][0]
		for _, q := range []string{
			"SELECT * FROM any_type WHERE v = " + constant, "SELECT * FROM any_type WHERE v > " + constant + " LIMIT 3", "SELECT * FROM any_type WHERE v = " + constant + " AND k > 70",
			"SELECT * FROM any_type ORDER BY v LIMIT 10", "SELECT * FROM any_type ORDER BY v DESC, k", "SELECT v FROM any_type WHERE v = " + one,
			"SELECT a.w FROM any_type a JOIN any_type b ON a.v = b.v WHERE b.k = 7", "SELECT w FROM any_type WHERE w = 'a' ORDER BY v",
		} {
			rows, _, err := c.Exec(ctx, "EXPLAIN ADVISE "+q)
			if err != nil {
				t.Errorf("%s: %s: %v", typ, q, err)
				continue
			}
			var sql string
			for _, r := range rows {
				line := strings.TrimSpace(*r[0])
				if first, _, _ := strings.Cut(line, " "); sql == "" && !slices.Contains([]string{"CREATE", "ALTER", "UPSERT"}, first) {
					continue // what is said of them
				}
				sql += " " + line
				if !strings.HasSuffix(line, ";") {
					continue
				}
				sql, ran = strings.TrimSuffix(sql, ";"), ran+1
				if _, _, err := c.Exec(ctx, sql); err != nil {
					t.Errorf("%s: %s: advised is %s: %v", typ, q, sql, err)
				}
				sql = ""
			}
			for _, r := range must(ctx, t, c, `SELECT CASE relkind WHEN 'i' THEN 'INDEX ' ELSE 'TABLE ' END || relname FROM pg_class
				WHERE relname LIKE 'any_type_%' AND (relkind = 'r' OR relkind = 'i' AND relname NOT LIKE '%_pkey')`) {
				must(ctx, t, c, "DROP "+*r[0])
			}
		}
		must(ctx, t, c, "DROP TABLE any_type")
	}
	t.Logf("%d statements advised and run", ran)
	if seeds.Full() && ran < 100 {
		t.Errorf("only %d statements were advised", ran)
	}
}

// adviceOf gives the CREATE INDEX statements that EXPLAIN ADVISE proposes.
func adviceOf(ctx context.Context, t *testing.T, c slt.Conn, sql string) (ddl []string) {
	t.Helper()
	rows, _, err := c.Exec(ctx, "EXPLAIN ADVISE "+sql)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if text := strings.TrimSpace(*r[0]); strings.HasPrefix(text, "CREATE INDEX") {
			ddl = append(ddl, text)
		}
	}
	return ddl
}

func sameLines(a, b []string, anyOrder bool) bool {
	count := map[string]int{}
	for i := range a {
		if !anyOrder && (i >= len(b) || a[i] != b[i]) {
			return false
		}
		count[a[i]]++
	}
	for _, s := range b {
		if count[s]--; count[s] < 0 {
			return false
		}
	}
	return len(a) == len(b)
}
