package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

var (
	saltLine    = regexp.MustCompile(`^(now: )?(\d+)(?:, (.*?))? {2,}(.*)$`)
	saltBuckets = regexp.MustCompile(`^(\d+) of (\d+) buckets`)
	saltCalls   = regexp.MustCompile(`(?:, (\d+) calls?,|calls≈(\d+),) rows≈(\d+)`)
)

// saltAnswer is what EXPLAIN SALT says of one salt.
type saltAnswer struct {
	buckets, of, calls, rows int
	exact                    bool
	text                     string
}

// explainedSalts gives what EXPLAIN SALT says, by salt: "16, whole key".
func explainedSalts(ctx context.Context, t *testing.T, c slt.Conn, sql string) map[string]saltAnswer {
	t.Helper()
	out := map[string]saltAnswer{}
	for _, row := range must(ctx, t, c, "EXPLAIN SALT "+sql) {
		m := saltLine.FindStringSubmatch(*row[0])
		if m == nil {
			t.Fatalf("EXPLAIN SALT %s: %q", sql, *row[0])
		}
		name := m[2]
		if m[3] != "" {
			name += ", " + m[3]
		}
		if m[1] != "" {
			out["now"] = saltAnswer{text: name}
		}
		a := saltAnswer{text: m[4]}
		if b := saltBuckets.FindStringSubmatch(m[4]); b != nil {
			a.buckets, _ = strconv.Atoi(b[1])
			a.of, _ = strconv.Atoi(b[2])
		}
		n := saltCalls.FindStringSubmatch(m[4])
		if n == nil {
			t.Fatalf("EXPLAIN SALT %s: %q", sql, m[4])
		}
		a.exact = n[1] != ""
		a.calls, _ = strconv.Atoi(n[1] + n[2])
		a.rows, _ = strconv.Atoi(n[3])
		out[name] = a
	}
	return out
}

// TestExplainSalt: what EXPLAIN SALT says of another salt is what EXPLAIN ANALYZE counts once the
// table has it: the buckets always, the calls where it says that it knows them.
func TestExplainSalt(t *testing.T) {
	seeds.Sometimes(t)
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) { explainSalts(t, store) })
	}
}

func explainSalts(t *testing.T, store string) {
	ctx := context.Background()
	t.Logf("seed %d", *harness.Seed)
	r := rand.New(rand.NewPCG(*harness.Seed, 39))
	v := variant{store, 4, false}
	c, err := engine{v, v.open(t)}.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, sql := range []string{
		"CREATE TABLE ev (tenant TEXT NOT NULL, day INT NOT NULL, seq INT NOT NULL, v INT, note TEXT, PRIMARY KEY (tenant, day, seq)) SALT_BUCKETS = 8, SALT_COLUMNS = (tenant)",
		"INSERT INTO ev SELECT 't' || g % 7, g % 13, g, g * 31 % 1000, 'n' || g FROM generate_series(1, 6000) g",
		"ANALYZE ev",
	} {
		must(ctx, t, c, sql)
	}
	tenant := func() string { return fmt.Sprintf("'t%d'", r.IntN(8)) }
	statement := func() string {
		var where []string
		switch r.IntN(4) {
		case 0:
			where = append(where, "tenant = "+tenant())
		case 1:
			where = append(where, fmt.Sprintf("tenant IN (%s, %s)", tenant(), tenant()))
		case 2:
			where = append(where, "tenant >= "+tenant())
		}
		switch r.IntN(5) {
		case 0:
			where = append(where, fmt.Sprintf("day = %d", r.IntN(14)))
		case 1:
			where = append(where, fmt.Sprintf("day IN (%d, %d, %d)", r.IntN(14), r.IntN(14), r.IntN(14)))
		case 2:
			where = append(where, fmt.Sprintf("day BETWEEN %d AND %d", r.IntN(7), 5+r.IntN(9)))
		}
		switch r.IntN(5) {
		case 0:
			where = append(where, fmt.Sprintf("seq = %d", r.IntN(6000)))
		case 1:
			where = append(where, fmt.Sprintf("seq IN (%d, %d)", r.IntN(6000), r.IntN(6000)))
		case 2:
			where = append(where, fmt.Sprintf("v < %d", r.IntN(1000)))
		}
		sql := []string{"SELECT * FROM ev", "SELECT tenant, v FROM ev", "SELECT count(*), sum(v) FROM ev", "SELECT tenant, count(*) FROM ev"}[r.IntN(4)]
		if len(where) > 0 {
			sql += " WHERE " + strings.Join(where, " AND ")
		}
		switch {
		case strings.HasPrefix(sql, "SELECT tenant, count"):
			sql += " GROUP BY tenant"
		case strings.HasPrefix(sql, "SELECT count"):
		case r.IntN(2) == 0:
			sql += " ORDER BY tenant, day, seq"
			if r.IntN(2) == 0 {
				sql += fmt.Sprintf(" LIMIT %d", 1+r.IntN(40))
			}
		}
		return sql
	}
	said := map[string]map[string]saltAnswer{}
	salts := map[string]bool{}
	for len(said) < 50 {
		sql := statement()
		said[sql] = explainedSalts(ctx, t, c, sql)
		for name := range said[sql] {
			salts[name] = true
		}
	}
	exact, checked := 0, 0
	for salt := range salts {
		if salt == "now" {
			continue
		}
		n, of, _ := strings.Cut(salt, ", ")
		ddl := "ALTER TABLE ev SET SALT_BUCKETS = " + n
		switch {
		case of == "whole key":
			ddl += ", SALT_COLUMNS = (tenant, day, seq)"
		case of != "":
			ddl += ", SALT_COLUMNS = (" + of + ")"
		}
		must(ctx, t, c, ddl)
		must(ctx, t, c, "ANALYZE ev")
		for sql, of := range said {
			want, ok := of[salt]
			if !ok {
				t.Fatalf("%s: nothing is said of %s", sql, salt)
			}
			_, calls, buckets := work(ctx, t, c, sql)
			checked++
			if buckets != want.buckets {
				t.Errorf("%s, %s: %d buckets are read, told is %q", sql, salt, buckets, want.text)
			}
			if want.exact {
				exact++
			}
			if want.exact && calls != want.calls || calls < want.calls {
				t.Errorf("%s, %s: %d calls are made, told is %q", sql, salt, calls, want.text)
			}
			// On Bigtable what is known of rows comes from fewer of them, by which plans change.
			now := explainedSalts(ctx, t, c, sql)
			if then := now[now["now"].text]; then.buckets != want.buckets || store != "bigtable" && (then.calls != want.calls || !near(then.rows, want.rows)) {
				t.Errorf("%s, %s: told is %q before and %q after the change", sql, salt, want.text, then.text)
			}
		}
	}
	if store == "mem" && exact < checked/4 {
		t.Errorf("of %d statements the calls of %d were known", checked, exact)
	}
	t.Logf("%d salts, %d statements under one: the calls of %d were known", len(salts)-1, checked, exact)
}

// near says that two estimates of rows of 6,000 are alike: a value that is not there is taken to be
// somewhere in a piece of a histogram, and pieces are cut otherwise under another salt.
func near(a, b int) bool { return a <= 2*b+120 && b <= 2*a+120 }
