package session

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/plancache"
)

// TestCustomPlans looks at which plan runs: one for the values of the parameters while they
// make a difference, and one for all where they make none.
func TestCustomPlans(t *testing.T) {
	db := openDB(t, nil)
	c := newClient(t, db, SessionOptions{})
	run := func(sql string) string {
		t.Helper()
		out := c.query(sql)
		if strings.Contains(out, "ERROR") {
			t.Fatalf("%s: %s", sql, out)
		}
		return out
	}
	run("CREATE TABLE jobs (k INT PRIMARY KEY, status TEXT, v TEXT)")
	run("INSERT INTO jobs SELECT i, CASE WHEN i % 1000 = 0 THEN 'open' ELSE 'done' END, 'v' || i FROM generate_series(1, 20000) i")
	run("CREATE INDEX ON jobs (status)")
	run("ANALYZE jobs")
	run("PREPARE kind(text) AS SELECT max(v) FROM jobs WHERE status = $1")
	run("PREPARE one(int) AS SELECT v FROM jobs WHERE k = $1")
	run("PREPARE page(int, int) AS SELECT v FROM jobs WHERE k > $1 ORDER BY k LIMIT $2")
	has := func(sql, want string, not ...string) {
		t.Helper()
		got := run(sql)
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", sql, want, got)
		}
		for _, n := range not {
			if strings.Contains(got, n) {
				t.Errorf("%s: %q in\n%s", sql, n, got)
			}
		}
	}
	for range 2 * plancache.TriedPlans { // they matter however often it runs
		has("EXPLAIN EXECUTE kind('open')", "jobs_status_idx", "$1")
		has("EXPLAIN EXECUTE kind('done')", "Full Scan", "jobs_status_idx", "$1")
		has("EXECUTE kind('open')", "v9000")
		has("EXECUTE kind('none')", "SELECT 1")
	}
	has("EXPLAIN EXECUTE one(3)", "$1") // no value makes another plan
	for range plancache.TriedPlans {
		has("EXPLAIN EXECUTE page(100, 3)", "k > 100")
	}
	has("EXPLAIN EXECUTE page(100, 3)", "k > $1")
	run("SET plan_cache_mode = force_custom_plan")
	has("EXPLAIN EXECUTE page(100, 3)", "k > 100")
	has("EXPLAIN ANALYZE EXECUTE page(100, 3)", "k > 100")
	run("SET plan_cache_mode = force_generic_plan")
	has("EXPLAIN EXECUTE kind('open')", "$1")
	run("RESET plan_cache_mode")

	// By the protocol, in another session: what the plans cost is known already.
	d := newClient(t, db, SessionOptions{})
	d.parse("p", "SELECT count(*) FROM jobs WHERE status = $1")
	for range plancache.TriedPlans + 2 {
		if got := d.run("p", "open"); got != "SELECT 1; 20" {
			t.Error(got)
		}
	}
	run("DROP INDEX jobs_status_idx")
	has("EXECUTE kind('open')", "v9000")
}
