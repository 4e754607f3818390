package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestReadCounters asserts the work that statements do, not only their answers.
func TestReadCounters(t *testing.T) {
	ctx := context.Background()
	stores := []string{"mem", "pebble"}
	for i := range seeds.Part(t, len(stores), seeds.Whole) {
		store := stores[i]
		t.Run(store, func(t *testing.T) {
			v := variant{store, 16, false}
			e := engine{v, v.open(t)}
			c, err := e.Open(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			const rows = 100_000 // of fewer all are read, for that is cheaper than to seek
			for _, sql := range []string{
				"CREATE TABLE big (g INT, t INT, v INT, PRIMARY KEY (g, t)) SALT_BUCKETS = 16",
				fmt.Sprintf("INSERT INTO big SELECT i %% 10, i, i FROM generate_series(1, %d) AS i", rows),
				"CREATE TABLE k16 (a INT PRIMARY KEY, v INT) SALT_BUCKETS = 16",
				"INSERT INTO k16 SELECT i, i FROM generate_series(1, 5000) AS i",
				"CREATE TABLE k64 (a INT, b INT, v INT, PRIMARY KEY (a, b DESC)) SALT_BUCKETS = 64",
				"INSERT INTO k64 SELECT i / 10, i, i FROM generate_series(1, 5000) AS i",
				"CREATE TABLE ten (tenant INT, id INT, v INT, PRIMARY KEY (tenant, id)) SALT_BUCKETS = 30, SALT_COLUMNS = (tenant)",
				"INSERT INTO ten SELECT i % 50, i, i FROM generate_series(1, 5000) AS i",
				"CREATE TABLE ten2 (tenant INT, n INT, id INT, PRIMARY KEY (tenant, n)) SALT_BUCKETS = 30, SALT_COLUMNS = (tenant)",
				"INSERT INTO ten2 SELECT i % 50, i, i FROM generate_series(1, 5000) AS i",
				"CREATE TABLE wide (a INT PRIMARY KEY, v INT) SALT_BUCKETS = 16",
				fmt.Sprintf("INSERT INTO wide SELECT i, i FROM generate_series(1, %d) AS i", rows),
				"CREATE TABLE few (n INT PRIMARY KEY)",
				"INSERT INTO few SELECT 17 * i FROM generate_series(1, 50) AS i",
				"CREATE TABLE outers (n INT PRIMARY KEY, a INT)",
				"INSERT INTO outers SELECT i, 7 * i FROM generate_series(1, 1000) AS i",
			} {
				must(ctx, t, c, sql)
			}
			list := make([]string, 1000)
			for i := range list {
				list[i] = strconv.Itoa(3*i + 1)
			}
			in := strings.Join(list, ", ")
			for _, q := range []struct {
				sql                  string
				rows, calls, buckets int // at most
			}{
				// A sample is drawn once for each of the three values, not for each of the outer rows.
				{"SELECT count(*) FROM (SELECT n % 3 AS m FROM outers OFFSET 0) AS o, LATERAL (SELECT f.n FROM few AS f TABLESAMPLE BERNOULLI (50) WHERE f.n > o.m LIMIT 40) AS q", 1150, 20, 3},
				{"SELECT v FROM k16 WHERE a = 77", 1, 1, 1},
				{"SELECT v FROM k16 WHERE a IN (" + in + ")", 1000, 10 + 16, 16},
				{"SELECT v FROM k16 WHERE a = ANY (ARRAY[" + in + "])", 1000, 10 + 16, 16},
				{"SELECT v FROM k16 WHERE a >= 1 AND a < 5", 4, 4, 4},
				{"SELECT v FROM k16 WHERE a BETWEEN 10.5 AND 13.5", 3, 3, 3},
				{"SELECT v FROM k16 WHERE a > 7 AND a < 5", 0, 0, 0},
				{"SELECT v FROM ten WHERE tenant = 7", 100, 1, 1},
				{"SELECT v FROM ten WHERE tenant IN (7, 8) AND id > 4000", 40, 2, 2},
				{"SELECT * FROM k64 ORDER BY a, b DESC LIMIT 10", 10 + 6*64, 128, 64},
				{"SELECT * FROM k64 WHERE (a, b) > (100, 5) ORDER BY a, b DESC LIMIT 10", 10 + 6*64, 128, 64},
				{"SELECT * FROM k64 LIMIT 10", 10, 64, 64},
				{"SELECT min(a) FROM k64", 64, 64, 64},
				{"SELECT DISTINCT g FROM big", 999, 999, 16},
				{"SELECT DISTINCT g FROM big ORDER BY g DESC", 999, 999, 16},
				{"SELECT count(DISTINCT g), max(g) FROM big", 999, 999, 16},
				{"SELECT g, min(t) FROM big GROUP BY g", 999, 999, 16},
				{"SELECT DISTINCT ON (g) * FROM big ORDER BY g, t", 999, 999, 16},
				{"SELECT DISTINCT ON (g) * FROM big ORDER BY g DESC, t DESC", 999, 999, 16},
				// The buckets of a tenant, of both sides; 50 keys of one side; lookups in batches.
				{"SELECT count(*) FROM ten JOIN ten2 USING (tenant) WHERE tenant = 7", 200, 2, 2},
				{"SELECT count(*) FROM wide WHERE a IN (SELECT n FROM few)", 50 + 50, 2 + 16, 16},
				{"SELECT count(v) FROM outers LEFT JOIN wide USING (a)", 1000 + 1000, 20, 32},
				// What each run of a subquery makes alike is made once: k16 and wide, and the groups of k16.
				{"SELECT n FROM few f WHERE NOT EXISTS (SELECT 1 FROM (VALUES (1), (2)) c(k) WHERE NOT EXISTS (SELECT 1 FROM outers x WHERE x.a = f.n AND CASE c.k WHEN 1 THEN EXISTS (SELECT 1 FROM wide WHERE wide.v = x.n) ELSE EXISTS (SELECT 1 FROM k16 WHERE k16.v = x.a) END))",
					50 + 50*1000 + rows + 5000, 9999, 999},
				{"SELECT n, (SELECT max(m) FROM (SELECT v % 10 AS m, count(*) AS c FROM k16 GROUP BY 1) d WHERE d.c > few.n) FROM few", 50 + 5000, 2 + 16, 17},
				{"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT k16.a + 1 FROM r JOIN k16 ON k16.v = r.n WHERE r.n < 40) SELECT count(*) FROM r", 5000, 1 + 16, 16},
				{"SELECT v FROM big WHERE t = 500", 10 * 16 * 17, 999, 16},
				{"SELECT v FROM big WHERE t BETWEEN 500 AND 520", 10 * 16 * 17, 999, 16},
			} {
				read, calls, buckets := work(ctx, t, c, q.sql)
				if read > q.rows || calls > q.calls || buckets > q.buckets {
					t.Errorf("%.80s: %d rows read, %d calls, %d buckets; want at most %d, %d, %d", q.sql, read, calls, buckets, q.rows, q.calls, q.buckets)
				}
			}
		})
	}
}

// TestFewRowsAreSent: Bigtable drops rows by a column that is not read where statistics say that
// few pass, and sends all where most do, whatever column the condition names first. A bound of
// a range is dropped here.
func TestFewRowsAreSent(t *testing.T) {
	ctx := context.Background()
	v := variant{"bigtable", 4, false}
	c, err := engine{v, v.open(t)}.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, sql := range []string{
		"CREATE TABLE sent (a INT PRIMARY KEY, n INT, m INT, v VARCHAR) SALT_BUCKETS = 4",
		"INSERT INTO sent SELECT i, i, i % 4, 'some text' FROM generate_series(1, 2000) AS i",
		"ANALYZE sent",
	} {
		must(ctx, t, c, sql)
	}
	for _, q := range []struct {
		cond        string
		rows, least int
	}{
		{"n < 41", 41, 40},
		{"n BETWEEN 100 AND 139", 40, 40},
		{"m >= 1 AND n < 41", 41, 30},
		{"m < 3 AND n >= 1900", 101, 75},
		{"n > 40", 2000, 2000},
		{"m >= 1", 2000, 2000},
	} {
		read, _, _ := work(ctx, t, c, "SELECT v FROM sent WHERE "+q.cond)
		if read > q.rows || read < q.least {
			t.Errorf("%s: %d rows were sent, want %d to %d", q.cond, read, q.least, q.rows)
		}
	}
}

func must(ctx context.Context, t *testing.T, c slt.Conn, sql string) [][]*string {
	t.Helper()
	rows, _, err := c.Exec(ctx, sql)
	if err != nil {
		t.Fatalf("%.200s: %v", sql, err)
	}
	return rows
}

var counted = map[string]*regexp.Regexp{
	"rows read": regexp.MustCompile(`rows read (\d+)`), "calls": regexp.MustCompile(`\bcalls (\d+)`), "buckets": regexp.MustCompile(`\bbuckets (\d+)`),
}

// work gives what EXPLAIN ANALYZE counts.
func work(ctx context.Context, t *testing.T, c slt.Conn, sql string) (read, calls, buckets int) {
	t.Helper()
	for _, row := range must(ctx, t, c, "EXPLAIN ANALYZE "+sql) {
		for name, to := range map[string]*int{"rows read": &read, "calls": &calls, "buckets": &buckets} {
			if m := counted[name].FindStringSubmatch(*row[0]); m != nil {
				n, _ := strconv.Atoi(m[1])
				*to += n
			}
		}
	}
	return read, calls, buckets
}

// TestSeeksAgree compares statements that seek with their answers when all rules are
// off, over keys of mixed types and directions with few and with many values.
func TestSeeksAgree(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Logf("seed %d", *harness.Seed)
	rnd := rand.New(rand.NewPCG(*harness.Seed, 11))
	for round := range 6 {
		v, size := variant{[]string{"mem", "pebble"}[round%2], []int{0, 4, 16}[round%3], false}, 6000
		if round == 4 {
			v.store, size = "bigtable", 1500
		}
		db := v.open(t)
		on, err := engine{v, db}.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		v.rulesOff = true
		off, err := engine{v, db}.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		g := newSeekTable(rnd)
		must(ctx, t, on, g.ddl(v.salt))
		must(ctx, t, on, g.fill(size))
		n := seeds.Amount(15, 60)
		for range n {
			sql, ordered := g.query()
			got, want := lines(must(ctx, t, on, sql)), lines(must(ctx, t, off, sql))
			if !ordered {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s\n%s\n%s\ngives %d rows, with rules off %d\n%.2000s\n%.2000s", *harness.Seed, v, g.ddl(v.salt), sql,
					len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		on.Close()
		off.Close()
	}
}

func lines(rows [][]*string) []string {
	var out []string
	for _, row := range rows {
		line := ""
		for _, v := range row {
			if v == nil {
				line += "|NULL"
			} else {
				line += "|" + *v
			}
		}
		out = append(out, line)
	}
	return out
}

// seekTable is a table (a, b, c, d, v) with a key of the first four.
type seekTable struct {
	rnd    *rand.Rand
	text   [4]bool
	desc   [4]string
	values [4]int // how many
}

func newSeekTable(rnd *rand.Rand) *seekTable {
	g := &seekTable{rnd: rnd}
	for i := range g.text {
		g.text[i] = rnd.IntN(2) == 0
		g.desc[i] = []string{"", " DESC"}[rnd.IntN(2)]
		g.values[i] = []int{2, 5, 40, 400}[rnd.IntN(4)]
	}
	return g
}

const seekColumns = "abcd"

func (g *seekTable) ddl(salt int) string {
	var cols, keys []string
	for i := range g.text {
		name, typ := seekColumns[i:i+1], "INT"
		if g.text[i] {
			typ = "VARCHAR"
		}
		cols, keys = append(cols, name+" "+typ), append(keys, name+g.desc[i])
	}
	return fmt.Sprintf("CREATE TABLE s (%s, v INT, PRIMARY KEY (%s)) SALT_BUCKETS = %d", strings.Join(cols, ", "), strings.Join(keys, ", "), salt)
}

func (g *seekTable) fill(n int) string {
	var rows []string
	seen := map[string]bool{}
	for range n {
		key := fmt.Sprintf("%s, %s, %s, %s", g.value(0), g.value(1), g.value(2), g.value(3))
		if !seen[key] && strings.Trim(key, "', ") != "" {
			seen[key] = true
			rows = append(rows, fmt.Sprintf("(%s, %d)", key, g.rnd.IntN(10)))
		}
	}
	return "INSERT INTO s VALUES " + strings.Join(rows, ", ")
}

func (g *seekTable) value(col int) string {
	n := g.rnd.IntN(g.values[col])
	if !g.text[col] {
		return strconv.Itoa(n - 2)
	}
	return "'" + strings.Repeat("x", n%3) + []string{"", strconv.Itoa(n)}[min(n, 1)] + "'"
}

func (g *seekTable) cond() string {
	col := g.rnd.IntN(4)
	name := seekColumns[col : col+1]
	switch g.rnd.IntN(6) {
	case 0:
		return name + " IN (" + g.value(col) + ", " + g.value(col) + ")"
	case 1:
		return name + " <> " + g.value(col)
	case 2:
		return "(" + name + " = " + g.value(col) + " OR " + name + " > " + g.value(col) + ")"
	}
	return name + " " + []string{"=", "=", "<", ">=", ">"}[g.rnd.IntN(5)] + " " + g.value(col)
}

func (g *seekTable) query() (sql string, ordered bool) {
	where := ""
	if g.rnd.IntN(4) > 0 {
		where = " WHERE " + g.cond()
		for g.rnd.IntN(2) == 0 {
			where += " AND " + g.cond()
		}
	}
	n := 1 + g.rnd.IntN(3)
	var prefix, forward, backward []string
	for i := range 4 {
		name := seekColumns[i : i+1]
		if i < n {
			prefix = append(prefix, name)
		}
		back := " DESC"
		if g.desc[i] != "" {
			back = ""
		}
		forward, backward = append(forward, name+g.desc[i]), append(backward, name+back)
	}
	by := strings.Join(prefix, ", ")
	order := forward
	if g.rnd.IntN(2) == 0 {
		order = backward
	}
	next := seekColumns[n : n+1]
	switch g.rnd.IntN(7) {
	case 0:
		return "SELECT DISTINCT " + by + " FROM s" + where, false
	case 1:
		return "SELECT DISTINCT " + by + " FROM s" + where + " ORDER BY " + strings.Join(order[:n], ", ") + " LIMIT 7", true
	case 2:
		return "SELECT DISTINCT ON (" + by + ") * FROM s" + where + " ORDER BY " + strings.Join(order, ", "), true
	case 3:
		return "SELECT count(DISTINCT a), min(a), max(b) FROM s" + where, false
	case 4:
		return "SELECT " + by + ", " + []string{"min", "max"}[g.rnd.IntN(2)] + "(" + next + ") FROM s" + where + " GROUP BY " + by, false
	case 5:
		return "SELECT * FROM s" + where + " ORDER BY " + strings.Join(order, ", "), true
	}
	return "SELECT count(*), sum(v) FROM s" + where, false
}
