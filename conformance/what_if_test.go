package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestWhatIf asks what a log's load would do under other layouts, from keys that statements have
// sampled: an unsalted log keeps one node busy, also where the salt is by its one tenant; the whole
// key spreads it, and so does a key that leads with the host. Scans by tenant read one bucket of a salt
// by the tenant, and all of the whole key's.
func TestWhatIf(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	host, port := harness.Serve(t, openObserved(t, "mem", nil, nil))
	c := harness.Connect(t, host, port)
	harness.MustExec(t, c, "CREATE TABLE log (tenant INT, ts INT, host INT, v INT, PRIMARY KEY (tenant, ts, host)) SALT_BUCKETS = 0")
	for i := range 200 {
		harness.MustExec(t, c, fmt.Sprintf("INSERT INTO log SELECT 1, g, g * 7919 %% 1000, g FROM generate_series(%d, %d) g", i*40, i*40+39))
		if i%4 == 0 {
			harness.MustExec(t, c, fmt.Sprintf("SELECT * FROM log WHERE tenant = 1 AND ts > %d ORDER BY ts DESC LIMIT 5", i*30))
		}
	}
	for _, q := range []struct {
		args   string
		lo, hi float64
		calls  float64
	}{
		{"0", 0.2, 0.3, 1},
		{"4, '{tenant}'", 0.2, 0.3, 1},
		{"4", 0.8, 1, 4},
		{"2", 0.4, 0.55, 2},
		{"0, key => '{host,tenant,ts}'", 0.7, 1, 1},
		{"0, key => '{tenant,ts DESC,host}'", 0.2, 0.35, 1},
	} {
		type told struct {
			Variant          string
			Of, Margin, Peak float64
			Calls            *float64
			Keys             int
		}
		rows, _ := c.Query(ctx, "SELECT * FROM saltsql.what_if('log', "+q.args+", nodes => 4)")
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[told])
		if err != nil || len(list) != 2 || list[0].Variant != "now: 0" {
			t.Fatalf("%s: %v, %v", q.args, list, err)
		}
		then := list[1]
		if then.Calls == nil {
			t.Fatalf("%s: no scans are known", q.args)
		}
		t.Logf("%s: %.2f ± %.2f of the nodes, peak %.1f, %.1f calls for each scan, %d keys", then.Variant, then.Of, then.Margin, then.Peak, *then.Calls, then.Keys)
		if then.Of < q.lo || then.Of > q.hi || *then.Calls != q.calls {
			t.Errorf("%s: %v, want %v to %v of the nodes and %v calls for each scan", q.args, then, q.lo, q.hi, q.calls)
		}
	}
}
