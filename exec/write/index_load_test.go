package write_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage/pebble"
)

// TestIndexLoad writes more rows and entries in one statement than a transaction may hold:
// they go into loads, by a storage call for each batch and table, all of which are committed
// together or not at all.
func TestIndexLoad(t *testing.T) {
	const rows = 20_000
	st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	d := newSide(t, st)
	d.must("SET saltsql.max_transaction_size = '2MB'")
	plan := strings.Join(d.must(fmt.Sprintf("EXPLAIN ANALYZE INSERT INTO w SELECT i, i, i %% 100 FROM generate_series(1, %d) AS g(i)", rows)), "\n")
	calls := 0
	if _, rest, ok := strings.Cut(plan, ", calls "); ok {
		fmt.Sscan(rest, &calls)
	}
	if most := 3 * (rows/1024 + 2); calls == 0 || calls > most {
		t.Errorf("%d storage calls for %d rows, at most %d are expected:\n%s", calls, rows, most, plan)
	}
	if n := len(d.all()); n != rows {
		t.Fatalf("%d rows", n)
	}
	for _, bad := range []string{
		"INSERT INTO w SELECT i, i + 100000, 1 FROM generate_series(20000, 40000) AS g(i)",
		"INSERT INTO w SELECT i, i - 100000, 1 FROM generate_series(100001, 130000) AS g(i)",
		"INSERT INTO w SELECT i, nullif(i, 20001) % 22000, 1 FROM generate_series(20001, 45000) AS g(i)",
	} {
		if _, err := d.run(bad); err == nil || !strings.Contains(err.Error(), "duplicate key") {
			t.Errorf("%s: %v", bad, err)
		}
		if n := len(d.all()); n != rows {
			t.Fatalf("%d rows after %s", n, bad)
		}
	}
}
