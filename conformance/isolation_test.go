package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var isolationOrders = flag.Int("isolation", seeds.Amount(1, 4), "orders of steps that each isolation spec is run in")

// isolationSpec is what sessions do at once. Each is in a block from the start; its
// steps keep their order, and the steps of all are run in every order that leaves.
type isolationSpec struct {
	name     string
	sessions [][]string
	// differs, by isolation level, are answers that differ by design, each with PostgreSQL's
	// first: see wire/doc.go. What comes after one is not compared.
	differs map[string][][2]string
	// anyFirst says that of two who wait for one row either may be first: what comes of that
	// is not compared.
	anyFirst bool
}

// byKey is what differs where a row is known by its key: who waited for a row that
// was deleted meanwhile finds the one inserted after it.
var byKey = map[string][][2]string{"READ COMMITTED": {
	{"UPDATE 0", "UPDATE 1"}, {"DELETE 0", "DELETE 1"},
}}

// deletedSince is what differs where a snapshot shows a key once only: an INSERT of a row
// that another has deleted since fails.
var deletedSince = map[string][][2]string{"REPEATABLE READ": {
	{"INSERT 0 1", "ERROR 40001"}, {"INSERT 0 1 (41)", "ERROR 40001"},
}}

// anew is what differs where a statement starts anew: it sees all that was committed meanwhile,
// PostgreSQL's of that only the rows that it waited for.
var anew = map[string][][2]string{"READ COMMITTED": {{"UPDATE 0", "UPDATE 1"}}}

var isolationSetup = []string{
	"DROP TABLE IF EXISTS t",
	"DROP TABLE IF EXISTS u",
	"CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL, w INT)",
	"CREATE TABLE u (k INT PRIMARY KEY, v INT)",
	"INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3)",
	"INSERT INTO u VALUES (1, 0)",
}

var isolationSpecs = []isolationSpec{
	{name: "update update", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"},
		{"UPDATE t SET v = v * 2 WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "lost update", sessions: [][]string{
		{"SELECT v FROM t WHERE k = 1", "UPDATE t SET v = 11 WHERE k = 1", "COMMIT"},
		{"SELECT v FROM t WHERE k = 1", "UPDATE t SET v = 12 WHERE k = 1", "COMMIT"}}},
	{name: "update, then rollback", sessions: [][]string{
		{"UPDATE t SET v = 99 WHERE k <= 2", "ROLLBACK"},
		{"UPDATE t SET w = w + 1 WHERE v < 50", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "condition changes", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k < 3", "COMMIT"},
		{"UPDATE t SET w = 0 WHERE v = 20", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "delete changed row", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"DELETE FROM t WHERE v <= 10", "DELETE FROM t WHERE v = 20 RETURNING *", "COMMIT"}}},
	{name: "joined update, other column", sessions: [][]string{
		{"UPDATE t SET w = w + 1 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET v = t.v + u.k + t.w FROM u WHERE u.k = t.k RETURNING *", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "joined update, condition changes", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k <= 2", "COMMIT"},
		{"UPDATE t SET w = s.x FROM (VALUES (1, 7), (2, 8)) s (y, x) WHERE s.y = t.k AND v = 20", "SELECT * FROM t ORDER BY k", "COMMIT"}},
		differs: anew},
	{name: "joined update by a key, condition changes", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k <= 2", "COMMIT"},
		{"UPDATE t SET w = u.v FROM u WHERE u.k = t.k AND t.v = 10", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "update by a query", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET w = (SELECT max(k) FROM u) + t.v WHERE k IN (SELECT k FROM u)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "update by a query of the changed column", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET w = 5 WHERE v IN (SELECT v + 10 FROM u)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locked rows", sessions: [][]string{
		{"SELECT * FROM t WHERE k = 1 FOR UPDATE", "UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"SELECT * FROM t WHERE k <= 2 ORDER BY k FOR UPDATE", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locked rows, condition changes", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k <= 2", "COMMIT"},
		{"SELECT * FROM t WHERE v = 20 FOR UPDATE", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locked row, gone", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"SELECT * FROM t WHERE k < 3 ORDER BY k LIMIT 1 FOR UPDATE", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locks, nowait", sessions: [][]string{
		{"SELECT k FROM t WHERE k = 1 FOR UPDATE", "COMMIT"},
		{"SELECT k FROM t WHERE k <= 2 FOR UPDATE NOWAIT", "COMMIT"}}},
	{name: "locks, skip locked", sessions: [][]string{
		{"SELECT k FROM t ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED", "COMMIT"},
		{"SELECT k FROM t ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED", "UPDATE t SET v = 0 WHERE k = (SELECT k FROM t ORDER BY k LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) RETURNING k", "COMMIT"},
		{"DELETE FROM t WHERE k IN (SELECT k FROM t WHERE v > 10 ORDER BY k FOR UPDATE SKIP LOCKED) RETURNING k", "COMMIT"}}},
	{name: "locked join", sessions: [][]string{
		{"UPDATE t SET w = w + 10 WHERE k = 1", "UPDATE u SET v = v + 1 WHERE k = 1", "COMMIT"},
		{"SELECT t.k, t.w, u.v FROM t JOIN u ON u.k = t.k FOR UPDATE", "COMMIT"}}},
	{name: "locked join, condition changes", sessions: [][]string{
		{"UPDATE t SET v = v + 10, w = 1 WHERE k <= 2", "COMMIT"},
		{"SELECT t.k, t.v, u.k FROM t, u WHERE u.k = t.w AND t.v < 25 ORDER BY t.k FOR UPDATE OF t", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locked join, one side", sessions: [][]string{
		{"UPDATE u SET v = 5 WHERE k = 1", "COMMIT"},
		{"SELECT t.k, u.v FROM t JOIN u ON u.k = t.k FOR SHARE OF t", "UPDATE t SET w = 0 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET w = w + 5 WHERE k = 1", "COMMIT"}}, anyFirst: true},
	{name: "locked join, row gone", sessions: [][]string{
		{"DELETE FROM u WHERE k = 1", "COMMIT"},
		{"SELECT t.k, u.v FROM t JOIN u ON u.k = t.w OR t.k = 2 ORDER BY t.k FOR UPDATE", "COMMIT"}}},
	{name: "locked left side", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k <= 2", "COMMIT"},
		{"SELECT t.k, t.v, u.v FROM t LEFT JOIN u ON u.k = t.k WHERE t.v <> 21 ORDER BY t.k FOR UPDATE OF t", "COMMIT"}}},
	{name: "locked left side, condition of the join changes", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 1", "COMMIT"},
		{"SELECT t.k, u.v FROM t LEFT JOIN u ON u.k = t.k AND t.v = 10 ORDER BY t.k FOR UPDATE OF t", "COMMIT"}}},
	{name: "locked rows of a query", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k <= 2", "COMMIT"},
		{"SELECT * FROM (SELECT k, v FROM t WHERE v <> 30) x WHERE k < 3 ORDER BY k FOR UPDATE", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "locked rows of a query that computes", sessions: [][]string{
		{"UPDATE t SET w = w + 10 WHERE k <= 2", "COMMIT"},
		{"SELECT * FROM (SELECT k, v + 1 AS m, w FROM t) x WHERE m < 30 ORDER BY k FOR UPDATE", "COMMIT"}}},
	{name: "locked join with itself", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 2", "COMMIT"},
		{"SELECT a.k, a.v, b.k, b.v FROM t a JOIN t b ON b.k = a.k + 1 ORDER BY a.k FOR UPDATE", "COMMIT"}}},
	{name: "locked join, nowait", sessions: [][]string{
		{"SELECT k FROM u FOR UPDATE", "COMMIT"},
		{"SELECT t.k FROM t JOIN u ON u.k = t.k FOR UPDATE OF t NOWAIT", "SELECT t.k FROM t JOIN u ON u.k = t.k FOR UPDATE OF u NOWAIT", "COMMIT"}}},
	{name: "locked join, skip locked", sessions: [][]string{
		{"SELECT k FROM t WHERE k = 2 FOR UPDATE", "COMMIT"},
		{"SELECT t.k FROM t JOIN (VALUES (1), (2), (3)) x (k) ON x.k = t.k ORDER BY t.k LIMIT 2 FOR UPDATE OF t SKIP LOCKED", "COMMIT"}}},
	{name: "merge", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"MERGE INTO t USING (VALUES (1, 5), (4, 6)) s (a, b) ON s.a = t.k WHEN MATCHED THEN UPDATE SET v = t.v + s.b WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "merge, another clause is due", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"MERGE INTO t USING u ON u.k = t.k WHEN MATCHED AND t.v = 10 THEN DELETE WHEN MATCHED THEN UPDATE SET w = 9", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "merge deletes, row gone", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"MERGE INTO t USING u ON u.k = t.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (u.k, 77)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "merge deletes, row moved", sessions: [][]string{
		{"UPDATE t SET k = 9 WHERE k = 1", "COMMIT"},
		{"MERGE INTO t USING u ON u.k = t.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (u.k, 77)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "data-modifying WITH", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k <= 2", "COMMIT"},
		{"WITH d AS (DELETE FROM t WHERE k = 2 RETURNING v) UPDATE t SET w = d.v FROM d WHERE t.k = 3", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "joined delete", sessions: [][]string{
		{"UPDATE t SET v = v + 10 WHERE k = 1", "COMMIT"},
		{"DELETE FROM t USING u WHERE u.k = t.k AND v > 15 RETURNING t.*", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "joined delete, row gone", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"DELETE FROM t USING u WHERE u.k = t.k RETURNING t.*", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "delete delete", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"DELETE FROM t WHERE k = 1", "DELETE FROM t", "COMMIT"}}},
	{name: "delete update", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"},
		{"UPDATE t SET v = v + 1 WHERE k = 1", "UPDATE t SET v = v + 1", "COMMIT"}}},
	{name: "delete, rollback, update", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "ROLLBACK"},
		{"UPDATE t SET v = v + 1 WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "delete and insert again", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "INSERT INTO t VALUES (1, 100, 100)", "COMMIT"},
		{"UPDATE t SET w = 7 WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"}}, differs: byKey},
	{name: "delete and insert again, all", sessions: [][]string{
		{"DELETE FROM t", "INSERT INTO t VALUES (1, 100, 100), (4, 100, 100)", "COMMIT"},
		{"UPDATE t SET w = 7 WHERE v > 0", "DELETE FROM t WHERE k > 1", "COMMIT"}}, differs: byKey},
	{name: "delete and insert again, delete", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "INSERT INTO t VALUES (1, 10, 1)", "COMMIT"},
		{"DELETE FROM t WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"}}, differs: byKey},
	{name: "insert insert", sessions: [][]string{
		{"INSERT INTO t VALUES (4, 40, 4)", "COMMIT"},
		{"INSERT INTO t VALUES (4, 41, 5)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "insert, rollback, insert", sessions: [][]string{
		{"INSERT INTO t VALUES (4, 40, 4)", "ROLLBACK"},
		{"INSERT INTO t VALUES (4, 41, 5)", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "insert do nothing", sessions: [][]string{
		{"INSERT INTO t VALUES (4, 40, 4)", "COMMIT"},
		{"INSERT INTO t VALUES (4, 41, 5), (5, 51, 5) ON CONFLICT (k) DO NOTHING RETURNING k", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "insert do update", sessions: [][]string{
		{"INSERT INTO t VALUES (4, 40, 4) ON CONFLICT (k) DO UPDATE SET v = t.v + 1", "COMMIT"},
		{"INSERT INTO t VALUES (4, 41, 5) ON CONFLICT (k) DO UPDATE SET v = t.v + 100 RETURNING v", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "insert do update of a deleted row", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"INSERT INTO t VALUES (1, 41, 5) ON CONFLICT (k) DO UPDATE SET v = t.v + 100 RETURNING v", "SELECT * FROM t ORDER BY k", "COMMIT"}}, differs: deletedSince},
	{name: "delete, then insert", sessions: [][]string{
		{"DELETE FROM t WHERE k = 1", "COMMIT"},
		{"INSERT INTO t VALUES (1, 41, 5)", "SELECT * FROM t ORDER BY k", "COMMIT"}}, differs: deletedSince},
	{name: "phantoms", sessions: [][]string{
		{"INSERT INTO t VALUES (4, 40, 4)", "UPDATE t SET v = 0 WHERE k = 2", "COMMIT"},
		{"SELECT count(*), sum(v) FROM t", "UPDATE t SET w = w + 1 WHERE v > 25", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "write skew", sessions: [][]string{
		{"SELECT sum(v) FROM t WHERE k <= 2", "UPDATE t SET v = 0 WHERE k = 1", "COMMIT"},
		{"SELECT sum(v) FROM t WHERE k <= 2", "UPDATE t SET v = 0 WHERE k = 2", "COMMIT"}}},
	{name: "deadlock", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 1", "UPDATE t SET v = v + 1 WHERE k = 2", "COMMIT"},
		{"UPDATE t SET v = v + 2 WHERE k = 2", "UPDATE t SET v = v + 2 WHERE k = 1", "COMMIT"}}},
	{name: "savepoints", sessions: [][]string{
		{"SAVEPOINT a", "UPDATE t SET v = v + 1 WHERE k = 1", "ROLLBACK TO a", "UPDATE t SET v = v + 5 WHERE k = 2", "COMMIT"},
		{"UPDATE t SET v = v * 2 WHERE k = 1", "SELECT * FROM t ORDER BY k", "COMMIT"}}},
	{name: "error in a block", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 1", "INSERT INTO t VALUES (2, 0, 0)", "COMMIT"},
		{"UPDATE t SET v = v * 2 WHERE k = 1", "COMMIT"}}},
	{name: "moved key", sessions: [][]string{
		{"UPDATE t SET k = 9, v = 90 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET w = w + 1 WHERE k IN (1, 9)", "SELECT * FROM t ORDER BY k", "COMMIT"}},
		differs: map[string][][2]string{"READ COMMITTED": {{"UPDATE 1", "UPDATE 0"}}}},
	{name: "three", sessions: [][]string{
		{"UPDATE t SET v = v + 1 WHERE k = 1", "COMMIT"},
		{"UPDATE t SET v = v * 2 WHERE k = 1", "ROLLBACK"},
		{"UPDATE t SET v = v + 5 WHERE k <= 2", "COMMIT"}}, anyFirst: true},
}

// loneSpecs are those whose first session is outside of a block: each of its statements commits by
// itself, as DDL does here.
var loneSpecs = []isolationSpec{
	{name: "truncate beside an update", sessions: [][]string{
		{"TRUNCATE t"},
		{"UPDATE t SET w = 5 WHERE k = 1", "UPDATE t SET w = 6 WHERE k = 2", "COMMIT"}}},
	{name: "truncate beside an insert", sessions: [][]string{
		{"TRUNCATE t"},
		{"INSERT INTO t VALUES (4, 4, 4)", "COMMIT"}}},
	{name: "truncate beside a rollback to", sessions: [][]string{
		{"TRUNCATE t"},
		{"SAVEPOINT a", "DELETE FROM t WHERE k = 1", "ROLLBACK TO a", "COMMIT"}}},
	{name: "truncate of two", sessions: [][]string{
		{"TRUNCATE t, u"},
		{"UPDATE u SET v = 5", "UPDATE t SET w = 6 WHERE k = 2", "COMMIT"}}},
	{name: "truncate truncate", sessions: [][]string{
		{"TRUNCATE t", "INSERT INTO t VALUES (7, 7, 7)"},
		{"INSERT INTO u VALUES (4, 4)", "COMMIT"},
		{"DELETE FROM t WHERE k = 2", "COMMIT"}}},
	{name: "autocommit", sessions: [][]string{
		{"UPDATE t SET v = v + 1", "DELETE FROM t WHERE k = 1", "INSERT INTO t VALUES (1, 0, 0)"},
		{"UPDATE t SET w = 6 WHERE k = 1", "COMMIT"}}},
}

var isolationLevels = []string{"READ COMMITTED", "REPEATABLE READ"}

// TestIsolation runs each spec in every order of steps, on PostgreSQL and on the stores that
// have transactions: answers, SQLSTATEs, waits and the rows at the end must agree.
func TestIsolation(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	dsn := pgtest.Start(t)
	ctx := context.Background()
	pg := postgres{dsn: dsn, schema: "isolation"}
	control, err := pg.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	t.Logf("seed %d", *harness.Seed)
	for lone, specs := range map[bool][]isolationSpec{false: isolationSpecs, true: loneSpecs} {
		for i := range seeds.Part(t, len(specs), 20*time.Second) {
			spec := specs[i]
			for _, level := range isolationLevels {
				t.Run(spec.name+"/"+level, func(t *testing.T) {
					runIsolation(t, pg, control, &spec, level, lone)
				})
			}
		}
	}
}

func runIsolation(t *testing.T, pg postgres, control slt.Conn, spec *isolationSpec, level string, lone bool) {
	orders := interleavings(spec.sessions)
	all := len(orders) <= *isolationOrders
	if !all {
		rnd := rand.New(rand.NewPCG(*harness.Seed, 3))
		rnd.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
		orders = orders[:*isolationOrders]
	}
	stores := []string{"mem", "pebble", harness.Transactional}
	engines := make([]engine, len(stores))
	for i, name := range stores {
		v := variant{store: name}
		engines[i] = engine{v, v.open(t)}
	}
	differed := false
	for _, order := range orders {
		want := playIsolation(t, pg, control, spec, level, lone, order, nil)
		if spec.anyFirst && mostWaiting(want) > 1 {
			continue
		}
		for i, e := range engines {
			if stores[i] == harness.Transactional && spec.truncates() {
				continue // on a store that several servers write it waits for no transaction
			}
			got := playIsolation(t, e, nil, spec, level, lone, order, want)
			same, listed := agree(want, got, spec.differs[level])
			if listed {
				differed = true
			}
			if !same {
				t.Errorf("%s, order %v:\n--- PostgreSQL\n%s\n--- saltsql\n%s", stores[i], order,
					transcript(want), transcript(got))
			}
		}
	}
	if len(spec.differs[level]) > 0 && !differed && all {
		t.Error("what is listed as different is not")
	}
}

// truncates says that a step is a TRUNCATE.
func (spec *isolationSpec) truncates() bool {
	for _, steps := range spec.sessions {
		if slices.ContainsFunc(steps, func(s string) bool { return strings.HasPrefix(s, "TRUNCATE") }) {
			return true
		}
	}
	return false
}

// mostWaiting is how many sessions waited at once.
func mostWaiting(list []moment) (most int) {
	n := 0
	for _, m := range list {
		if m.session >= 0 {
			n++
		}
		n -= len(m.answered)
		most = max(most, n)
	}
	return most
}

// agree compares two runs up to the first answer that differs as listed.
func agree(want, got []moment, differs [][2]string) (same, listed bool) {
	for i := range min(len(want), len(got)) {
		if want[i].text == got[i].text {
			continue
		}
		a, b := strings.Split(want[i].text, "\n"), strings.Split(got[i].text, "\n")
		for j := range min(len(a), len(b)) {
			if a[j] == b[j] {
				continue
			}
			_, x, _ := strings.Cut(a[j], ": ")
			_, y, _ := strings.Cut(b[j], ": ")
			listed := slices.Contains(differs, [2]string{x, y})
			return listed, listed
		}
		return false, false
	}
	return len(want) == len(got), false
}

// interleavings lists the orders of sessions' steps, each as the session of every step.
func interleavings(sessions [][]string) [][]int {
	left := make([]int, len(sessions))
	total := 0
	for i := range sessions {
		left[i] = len(sessions[i])
		total += left[i]
	}
	var out [][]int
	var grow func(prefix []int)
	grow = func(prefix []int) {
		if len(prefix) == total {
			out = append(out, slices.Clone(prefix))
			return
		}
		for i := range left {
			if left[i] > 0 {
				left[i]--
				grow(append(prefix, i))
				left[i]++
			}
		}
	}
	grow(nil)
	return out
}

// moment is what happened from one step's start to the next one's: which sessions
// answered, and what.
type moment struct {
	session  int
	answered []int
	text     string
}

func transcript(list []moment) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(list[i].text + "\n")
	}
	return b.String()
}

type isolationAnswer struct {
	session int
	text    string
}

// playIsolation runs one order. Without want, the engine is a PostgreSQL, asked by control
// who waits; with it, the answers that came there are waited for.
func playIsolation(t *testing.T, e slt.Engine, control slt.Conn, spec *isolationSpec, level string, lone bool, order []int, want []moment) (out []moment) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	admin, err := e.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for _, q := range isolationSetup {
		must(ctx, t, admin, q)
	}
	n := len(spec.sessions)
	conns, pids := make([]slt.Conn, n), make([]string, n)
	for i := range conns {
		if conns[i], err = e.Open(ctx); err != nil {
			t.Fatal(err)
		}
		if control != nil {
			pids[i] = *must(ctx, t, conns[i], "SELECT pg_backend_pid()")[0][0]
		}
		if i > 0 || !lone {
			must(ctx, t, conns[i], "BEGIN ISOLATION LEVEL "+level)
		}
	}
	var (
		answers = make(chan isolationAnswer, n)
		next    = make([]int, n)
		busy    = make([]bool, n)
		todo    = slices.Clone(order)
	)
	defer func() {
		cancel()
		for i := range busy {
			if busy[i] {
				<-answers
			}
		}
		for _, c := range conns {
			c.Close()
		}
	}()
	for len(todo) > 0 {
		at := slices.IndexFunc(todo, func(s int) bool { return !busy[s] })
		m := moment{session: -1}
		if at >= 0 {
			s := todo[at]
			todo = slices.Delete(todo, at, at+1)
			q := spec.sessions[s][next[s]]
			next[s]++
			if control != nil {
				// Who closes a circle finds it, not who waits already. In a failed block SET fails.
				timeout := "10s"
				if slices.Contains(busy, true) {
					timeout = "10ms"
				}
				_, _, _ = conns[s].Exec(ctx, "SET deadlock_timeout = '"+timeout+"'")
			}
			busy[s] = true
			m.session, m.text = s, fmt.Sprintf("s%d %s", s+1, q)
			go func() { answers <- isolationAnswer{s, answerOf(conns[s].Exec(ctx, q))} }()
		}
		var came []isolationAnswer
		if want == nil {
			came = settle(t, control, pids, busy, answers)
		} else if len(out) < len(want) {
			came = expect(e.(engine), busy, want[len(out)].answered, answers)
		}
		slices.SortFunc(came, func(a, b isolationAnswer) int { return a.session - b.session })
		for _, a := range came {
			busy[a.session] = false
			m.answered = append(m.answered, a.session)
			m.text += fmt.Sprintf("\n   s%d: %s", a.session+1, a.text)
		}
		out = append(out, m)
		if at < 0 && len(came) == 0 {
			return append(out, moment{text: "all wait"})
		}
	}
	for slices.Contains(busy, true) {
		select {
		case a := <-answers:
			busy[a.session] = false
			out = append(out, moment{text: fmt.Sprintf("then s%d: %s", a.session+1, a.text)})
		case <-time.After(harness.Patience):
			return append(out, moment{text: "waits for ever"})
		}
	}
	for _, c := range conns {
		_, _, _ = c.Exec(ctx, "ROLLBACK")
	}
	rows, _, err := admin.Exec(ctx, "SELECT * FROM t ORDER BY k")
	return append(out, moment{text: "at the end: " + answerOf(rows, "", err)})
}

// answerOf prints an answer: tag and rows in no order, or a SQLSTATE.
func answerOf(rows [][]*string, tag string, err error) string {
	var st interface{ SQLState() string }
	if errors.As(err, &st) {
		return "ERROR " + st.SQLState()
	}
	if err != nil {
		return "ERROR " + err.Error()
	}
	var b strings.Builder
	b.WriteString(tag)
	var list []string
	for _, r := range rows {
		list = append(list, " "+show(r))
	}
	slices.Sort(list)
	return b.String() + strings.Join(list, "")
}

// settle waits until every busy session of a PostgreSQL has answered or waits for one that
// does not wait for it.
func settle(t *testing.T, control slt.Conn, pids []string, busy []bool, answers chan isolationAnswer) (came []isolationAnswer) {
	under := slices.Clone(busy)
	for {
		for len(answers) > 0 {
			a := <-answers
			under[a.session] = false
			came = append(came, a)
		}
		waitsFor := make([][]string, len(pids))
		settled := true
		for s := range under {
			if under[s] {
				rows := must(context.Background(), t, control, "SELECT pg_blocking_pids("+pids[s]+")")
				for _, p := range strings.Split(strings.Trim(*rows[0][0], "{}"), ",") {
					if slices.Contains(pids, p) { // not the server's own work
						waitsFor[s] = append(waitsFor[s], p)
					}
				}
				settled = settled && len(waitsFor[s]) > 0
			}
		}
		for s := range under {
			settled = settled && !inCircle(pids, waitsFor, s, pids[s], len(pids))
		}
		if settled && len(answers) == 0 {
			return came
		}
		runtime.Gosched()
	}
}

// inCircle says that s waits for pid over at most so many others.
func inCircle(pids []string, waitsFor [][]string, s int, pid string, most int) bool {
	for _, p := range waitsFor[s] {
		if p == pid {
			return true
		}
		if i := slices.Index(pids, p); i >= 0 && most > 0 && inCircle(pids, waitsFor, i, pid, most-1) {
			return true
		}
	}
	return false
}

// expect waits for the answers of sessions, and until the others wait for locks.
func expect(e engine, busy []bool, sessions []int, answers chan isolationAnswer) (came []isolationAnswer) {
	under := int64(0)
	for _, b := range busy {
		if b {
			under++
		}
	}
	for end := time.Now().Add(harness.Patience); time.Now().Before(end); runtime.Gosched() {
		select {
		case a := <-answers:
			came = append(came, a)
			continue
		default:
		}
		if len(came) >= len(sessions) && e.db.Stats().LockWaits == under-int64(len(came)) {
			return came
		}
	}
	return came
}
