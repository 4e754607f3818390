package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestCursors declares cursors of every kind, moves in them at random and ends their
// transactions, beside PostgreSQL.
func TestCursors(t *testing.T) {
	t.Parallel()
	p := newTwins(t, variant{store: "pebble", salt: 4}.open(t)).session(t)
	if answer(p.ours, "CREATE TABLE cu (k INT PRIMARY KEY, v TEXT) SALT_BUCKETS = 4") != answer(p.theirs, "CREATE TABLE cu (k INT PRIMARY KEY, v TEXT)") {
		t.Fatal("no table")
	}
	p.same(t, "INSERT INTO cu SELECT g, repeat('v', g % 50) FROM generate_series(1, 2500) g")
	for _, text := range []string{
		"DECLARE c CURSOR FOR SELECT 1; FETCH c", "DECLARE c CURSOR FOR SELECT 1", "SELECT 1; DECLARE c CURSOR FOR SELECT 2; FETCH c; CLOSE c", "DECLARE b SCROLL NO SCROLL CURSOR FOR SELECT 1",
		"DECLARE b INSENSITIVE ASENSITIVE CURSOR FOR SELECT 1", "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; ROLLBACK", "FETCH c",
		"DECLARE b CURSOR WITH HOLD FOR SELECT 1/(3-g) FROM generate_series(1,5) g", "FETCH b", "BEGIN; DECLARE b CURSOR WITH HOLD FOR SELECT 1/(3-g) FROM generate_series(1,5) g; COMMIT", "FETCH b",
		"DECLARE e SCROLL CURSOR WITH HOLD FOR SELECT g, 'text '||g FROM generate_series(1,3) g", "BEGIN; SAVEPOINT s; FETCH 1 e; ROLLBACK TO s; FETCH 1 e; COMMIT; FETCH 1 e",
		"SELECT name, statement, is_holdable, is_binary, is_scrollable FROM pg_cursors", "BEGIN", "SELECT 1/0", "FETCH e", "ROLLBACK", "FETCH PRIOR e", "CLOSE ALL", "FETCH e",
		"DECLARE w CURSOR WITH HOLD FOR SELECT * FROM cu ORDER BY k; DELETE FROM cu WHERE k > 2400", "MOVE 2399 w", "FETCH 3 w", "DISCARD ALL", "FETCH w",
	} {
		p.same(t, text)
	}
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 150 {
		kind := []string{"SCROLL CURSOR", "SCROLL CURSOR WITH HOLD", "CURSOR WITH HOLD", "NO SCROLL CURSOR WITH HOLD", "NO SCROLL CURSOR"}[r.IntN(5)]
		rows := []int{0, 1, 2, 5, 40, 1100, 2400}[r.IntN(7)]
		declare := fmt.Sprintf("DECLARE c %s FOR SELECT k, v FROM cu WHERE k <= %d ORDER BY k", kind, rows)
		if !p.agrees(t, "BEGIN; "+declare) {
			t.Fatalf("seed %d, round %d", seed, round)
		}
		open := true
		for range 1 + r.IntN(15) {
			n := []int{0, 1, 2, 3, 7, 500, 1024, 3000}[r.IntN(8)]
			if r.IntN(3) == 0 {
				n = -n
			}
			way := []string{"NEXT", "PRIOR", "FIRST", "LAST", "ALL", "FORWARD ALL", "BACKWARD ALL", "FORWARD", "BACKWARD", fmt.Sprint(n), fmt.Sprint("FORWARD ", n), fmt.Sprint("BACKWARD ", n), fmt.Sprint("ABSOLUTE ", n), fmt.Sprint("RELATIVE ", n)}[r.IntN(14)]
			text := []string{"FETCH ", "MOVE "}[r.IntN(2)] + way + " FROM c"
			if open && r.IntN(8) == 0 {
				text, open = "COMMIT", false
			}
			if !p.agrees(t, text) {
				t.Fatalf("seed %d, round %d: %s", seed, round, declare)
			}
		}
		answer(p.ours, "ROLLBACK; CLOSE ALL")
		answer(p.theirs, "ROLLBACK; CLOSE ALL")
	}
}

// agrees is same that says whether it was.
func (p twin) agrees(t testing.TB, sql string) bool {
	t.Helper()
	ours, theirs := answer(p.ours, sql), answer(p.theirs, sql)
	if ours != theirs {
		t.Errorf("%s\n  here     %.300s\n  postgres %.300s", sql, ours, theirs)
	}
	return ours == theirs
}
