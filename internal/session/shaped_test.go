package session

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestShapedTexts runs texts of one shape, which must answer as each by itself,
// while the catalog and settings change.
func TestShapedTexts(t *testing.T) {
	ctx := context.Background()
	st := mem.New()
	defer st.Close()
	db, err := Open(ctx, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(sql string) {
		t.Helper()
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	answer := func(sql string) string {
		t.Helper()
		r, err := s.Query(ctx, sql)
		if err != nil {
			return fmt.Sprintf("%s at %d", sqlerr.CodeOf(err), sqlerr.As(err).Position)
		}
		out := ""
		for r.Next() {
			out += r.Text(0) + " "
		}
		if err := r.Close(); err != nil {
			return sqlerr.CodeOf(err).String()
		}
		return out
	}
	if got := answer("SELECT v FROM t WHERE k = 1"); got != "42P01 at 15" {
		t.Errorf("before: %s", got)
	}
	if got := answer("SELECT v FROM t WHERE k = 22"); got != "42P01 at 15" {
		t.Errorf("before: %s", got)
	}
	exec("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT) SALT_BUCKETS = 4")
	exec("INSERT INTO t SELECT g, g * 2 FROM generate_series(1, 100) AS g")
	exec("INSERT INTO t VALUES (5000000000, 7)")
	for _, k := range []int64{1, 50, 100, 101, 5_000_000_000, 2} {
		want := map[bool]string{true: fmt.Sprint(k*2, " ")}[k <= 100]
		if k > 101 {
			want = "7 "
		}
		if got := answer(fmt.Sprintf("SELECT v FROM t WHERE k = %d", k)); got != want {
			t.Errorf("k = %d: %q, want %q", k, got, want)
		}
		if got := answer(fmt.Sprintf("SELECT v FROM t WHERE k = %d AND x = 1", k)); got[:5] != "42703" {
			t.Errorf("unknown column: %s", got)
		}
		// A value that is there twice has one row.
		if got := answer(fmt.Sprintf("SELECT v FROM t WHERE k IN (%d, 200, %d) ORDER BY k", k, k)); got != want {
			t.Errorf("k IN (%d, 200, %d): %q, want %q", k, k, got, want)
		}
		// With parameters this is another statement, and an error.
		if got := answer(fmt.Sprintf("SELECT (v = %d) FROM t GROUP BY (v = %d) ORDER BY (v = %d) LIMIT 1", k, k, k)); got != "f " {
			t.Errorf("grouping: %s", got)
		}
	}
	shaped := false
	for sh := range s.shaped {
		shaped = shaped || sh.Text() == "SELECT v FROM t WHERE k = $1"
	}
	if !shaped {
		t.Error("no text was run by its shape")
	}
	exec("ALTER TABLE t ADD COLUMN x INT")
	exec("UPDATE t SET x = 3 WHERE k = 3")
	if got := answer("SELECT v FROM t WHERE k = 3 AND x = 3"); got != "6 " {
		t.Errorf("after ALTER: %s", got)
	}
	exec("DROP TABLE t")
	if got := answer("SELECT v FROM t WHERE k = 12345"); got != "42P01 at 15" {
		t.Errorf("after DROP: %s", got)
	}
}

// TestShapedPlans: from the second text of a shape on there runs what EXPLAIN shows of it.
func TestShapedPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	ctx := context.Background()
	c := newClient(t, openDB(t, nil), SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, n INT, s SMALLINT) SALT_BUCKETS = 4")
	c.must("CREATE TABLE pair (a INT, b BIGINT, v INT, PRIMARY KEY (a, b))")
	c.must("CREATE TABLE small (k SMALLINT PRIMARY KEY, v INT)")
	c.must("CREATE TABLE mid (k INT PRIMARY KEY, v INT)")
	c.must("CREATE TABLE num (k NUMERIC PRIMARY KEY, v INT)")
	c.must("INSERT INTO t SELECT g, g, 1 FROM generate_series(1, 5000) AS g")
	c.must("EXPLAIN SELECT * FROM t") // which measures it
	c.must("CREATE TABLE ix (k BIGINT PRIMARY KEY, u INT, w BIGINT, often INT, two INT, v VARCHAR) SALT_BUCKETS = 4")
	c.must("INSERT INTO ix SELECT g, g * 7, g % 7500, g % 3, g, 'v' || g FROM generate_series(1, 30000) AS g")
	for _, def := range []string{"INDEX ON ix (u)", "INDEX ON ix (w, u) SALT_BUCKETS = 4", "INDEX ON ix (often)", "UNIQUE INDEX ON ix (two) INCLUDE (v)"} {
		c.must("CREATE " + def)
	}
	c.must("ANALYZE ix")
	shaped, byIndex := 0, 0
	for _, text := range []string{
		"SELECT k, v FROM ix WHERE u = %d", "SELECT * FROM ix WHERE w = %d", "SELECT k FROM ix WHERE often = %d", "SELECT v FROM ix WHERE two = %d",
		"SELECT k FROM ix WHERE w = %d ORDER BY u LIMIT 2", "SELECT v FROM ix WHERE w = %d ORDER BY k", "SELECT v FROM ix WHERE u = %d LIMIT 1", "SELECT k, v FROM ix WHERE u = %d AND v > 'a'",
		"SELECT v FROM ix WHERE u > %d", "SELECT v FROM ix WHERE w = %d AND u = 70", "SELECT count(*) FROM ix WHERE u = %d", "SELECT v FROM ix WHERE u = %d AND k = 3", "SELECT v FROM ix WHERE u = %d OR u = 7",
		"SELECT n FROM t WHERE k = %d", "SELECT n FROM t WHERE k = %d AND k = 7", "SELECT n FROM t WHERE k > %d", "SELECT n FROM t WHERE k < %d ORDER BY k",
		"SELECT n FROM t WHERE k = %d AND n = 5", "SELECT n FROM t WHERE n = %d", "SELECT n FROM t WHERE k = %d AND k > 3", "SELECT n FROM t WHERE k >= 3 AND k <= %d",
		"SELECT n FROM t WHERE k = %d OR k = 7", "SELECT n FROM t WHERE k = %d AND 3 = 3", "SELECT n FROM t WHERE (k = %d)", "SELECT count(*) FROM t WHERE k = %d",
		"SELECT n FROM t WHERE k <> %d", "SELECT n FROM t WHERE s = %d", "SELECT v FROM pair WHERE a = %d AND b = 2", "SELECT v FROM pair WHERE a = %d",
		"SELECT v FROM pair WHERE a = %d AND b > 2", "SELECT v FROM small WHERE k = %d", "SELECT v FROM mid WHERE k = %d", "SELECT v FROM num WHERE k = %d",
		"SELECT min(k) FROM t WHERE k > %d", "SELECT DISTINCT a FROM pair WHERE b = %d", "SELECT n FROM t WHERE k = %d LIMIT 1", "SELECT n FROM t WHERE k = %d ORDER BY n",
		"SELECT n FROM t WHERE k IN (%d, 3, 9)", "SELECT v FROM mid WHERE k IN (8, %d)", "SELECT v FROM small WHERE k IN (%d, 4)", "SELECT n FROM t WHERE k IN (%d)",
		"SELECT v FROM pair WHERE a IN (%d, 9) AND b = 2", "SELECT v FROM pair WHERE a IN (%d, 9)", "SELECT n FROM t WHERE k IN (%d, 3) AND k = 3", "SELECT n FROM t WHERE k NOT IN (%d, 3)",
		"SELECT k, v FROM ix WHERE u IN (%d, 14)", "SELECT v FROM ix WHERE w IN (%d, 14)", "SELECT k FROM ix WHERE often IN (%d, 2)", "SELECT v FROM ix WHERE u IN (%d, 14) AND k = 3",
		"SELECT (n = %d) FROM t WHERE k = 4", "SELECT n FROM t WHERE n + 1 = %d AND k = 3", "SELECT x FROM (SELECT n AS x FROM t WHERE k = %d) q WHERE x > 3",
	} {
		for _, v := range []int64{1, 7, 3, 70000, 5_000_000_000, 4, 6_000_000_000} {
			text := fmt.Sprintf(text, v)
			list, err := c.s.Split(ctx, text)
			if err != nil {
				t.Fatal(text, err)
			}
			st, err := c.s.PrepareParsed(ctx, list[0], nil)
			if err != nil {
				t.Fatal(text, err)
			}
			lines := explain.Lines(st.plan, explain.Options{}, nil)
			if st.base != nil {
				shaped++
				if st.plan.Tables[0].Name == "ix" {
					byIndex++
				}
			}
			for i := range lines {
				for n, p := range st.values {
					lines[i] = strings.ReplaceAll(lines[i], fmt.Sprintf("$%d", n+1), fmt.Sprint(p.Int))
				}
			}
			var want []string
			r, err := c.s.Query(ctx, "EXPLAIN "+text)
			if err != nil {
				t.Fatal(text, err)
			}
			for r.Next() {
				want = append(want, r.Text(0))
			}
			r.Close()
			if got, want := plain(lines), plain(want); got != want {
				t.Errorf("%s runs\n%s\nand EXPLAIN shows\n%s", text, got, want)
			}
		}
	}
	if shaped == 0 || byIndex < 20 {
		t.Errorf("%d texts were run by their shape, %d of them by an index", shaped, byIndex)
	}
}

// besidePlan is what EXPLAIN says beside the plan: guesses, and what buckets are derived from, which is
// the parameter where there is one, and may be fewer where the values are known.
var besidePlan = regexp.MustCompile(` +\(rows≈\d+\)|(up to )?\d+ of \d+ \(derived from .*`)

// ofLists are the words for how a list is read, of whose values some are equal, or so close
// together that they are read as one range: what is known only once the values are.
var ofLists = strings.NewReplacer("Multi Point Read", "Point Read", "Skip Scan", "Range Scan", " (read as one range)", "")

func plain(lines []string) string {
	return ofLists.Replace(besidePlan.ReplaceAllString(strings.Join(lines, "\n"), ""))
}
