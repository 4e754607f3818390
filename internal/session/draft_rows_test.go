package session

import (
	"log/slog"
	"testing"

	"github.com/saltsql/saltsql/storage/pebble"
)

// TestDraftRowsAreNotHeld: what a block fills a table of its own with is not held in memory, however
// much it is, nor are the entries of its indexes, and nothing of it is left after ROLLBACK.
func TestDraftRowsAreNotHeld(t *testing.T) {
	st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	a, b, expect := twoClients(t, st)
	a.must("SET saltsql.max_transaction_size = '100kB'")
	a.must("CREATE TABLE kept (k INT PRIMARY KEY)")
	before := stored(t, st)
	for _, end := range []string{"ROLLBACK", "COMMIT"} {
		a.must("BEGIN")
		a.must("INSERT INTO kept VALUES (1)")
		a.must("CREATE TABLE big AS SELECT i AS k, repeat('x', 100) AS v FROM generate_series(1, 5000) AS g(i)")
		a.must("CREATE UNIQUE INDEX big_k ON big (k) INCLUDE (v)")
		a.must("CREATE MATERIALIZED VIEW most AS SELECT k, v FROM big WHERE k > 5")
		a.must("CREATE INDEX ON most (k)")
		a.must("SAVEPOINT s")
		expect(a, "CREATE UNIQUE INDEX ON most (v)", "23505")
		a.must("ROLLBACK TO s")
		expect(a, "CREATE TABLE never AS SELECT 1 / (k - 4000) AS n FROM big", "22012")
		a.must("ROLLBACK TO s")
		expect(a, "INSERT INTO big SELECT i, repeat('y', 100) FROM generate_series(5001, 9000) AS g(i)", "54000")
		a.must("ROLLBACK TO s")
		a.must("UPDATE big SET v = 'z' WHERE k = 7")
		a.must("DELETE FROM big WHERE k = 8")
		expect(a, "SELECT v FROM big WHERE k = 7", "SELECT 1; z")
		expect(a, "SELECT count(*), max(k) FROM big", "SELECT 1; 4999|5000")
		expect(a, "SELECT count(*) FROM most WHERE k < 100", "SELECT 1; 94")
		expect(b, "SELECT count(*) FROM big", "42P01")
		a.must(end)
	}
	expect(b, "SELECT v FROM big WHERE k = 7", "SELECT 1; z")
	expect(b, "SELECT count(*) FROM most", "SELECT 1; 4995")
	expect(b, "SELECT count(*) FROM kept", "SELECT 1; 1")
	expect(b, "INSERT INTO big VALUES (9)", "23505")
	if got := b.query("CHECK TABLE big ALL"); got != "CHECK TABLE; big|4999|0|0|0|0|0|; big_k|4999|0|0|0|0|0|" {
		t.Errorf("CHECK TABLE: %s", got)
	}
	if n := stored(t, st); n != before+4 {
		t.Errorf("%d tables of the store, %d before", n, before)
	}
}
