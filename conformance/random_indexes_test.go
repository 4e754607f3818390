package conformance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

var (
	indexStatements = flag.Int("indexes.statements", 0, "random statements of TestRandomIndexes in all, at least 150 of which are on one table; 0 runs them for some time; the promise is 50,000")
	indexSeed       = flag.Uint64("indexes.seed", 0, "seed of its first table; 0 takes that of internal/seeds")
)

// statementsPerIndexed are made on one table of TestRandomIndexes.
const statementsPerIndexed = 150

// TestRandomIndexes writes at random to tables that have random indexes, beside PostgreSQL:
// each statement does the same to both, queries say the same as PostgreSQL's by each index
// and by none, the rows are the same in the end, and CHECK TABLE finds nothing.
func TestRandomIndexes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Start(t)
	seed := *indexSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	more := seeds.Until(*indexStatements, 20*time.Second)
	idle, rounds := 0, 0 // the idle ones' queries read no index
	for i := 0; more(i * statementsPerIndexed); i++ {
		rounds++
		v := variant{[]string{"mem", "pebble", "bigtable"}[i%3], harness.Salts[i%len(harness.Salts)], i%4 == 3}
		t.Run(fmt.Sprintf("%s/seed-%d", v, seed+uint64(i)), func(t *testing.T) {
			if randomIndexes(t, v, postgres{dsn: dsn, schema: fmt.Sprintf("ix%d", i)}, seed+uint64(i)) == 0 && !v.rulesOff {
				idle++
			}
		})
	}
	// All indexes of a table may be partial ones that no query asks for.
	if idle > 1+rounds/20 {
		t.Errorf("no query read an index in %d of %d rounds: nothing was compared", idle, rounds)
	}
}

type indexWorld struct {
	t        *testing.T
	r        *rand.Rand
	ours, pg slt.Conn
	made     int
	names    []string
	atomic   bool // over rows
	inBlock  bool
	refused  int
	byIndex  int // queries that read the index of their hint
}

// randomIndexes is a round; it tells how many queries read the index of their hint.
func randomIndexes(t *testing.T, v variant, pg postgres, seed uint64) (byIndex int) {
	w := &indexWorld{t: t, r: rand.New(rand.NewPCG(seed, 1)), atomic: v.store != "bigtable"}
	var err error
	if w.ours, err = (engine{v, v.open(t)}).Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.ours.Close()
	if w.pg, err = pg.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.pg.Close()
	options := ""
	if v.salt > 0 {
		options = fmt.Sprintf(" SALT_BUCKETS = %d", v.salt)
	}
	const columns = `(p text, k int, a int, b text COLLATE "C", c numeric, d timestamp, e boolean, f float8, g char(4) COLLATE "C", h bytea, PRIMARY KEY (%s))`
	w.only(w.ours, fmt.Sprintf("CREATE TABLE t "+columns, pickOne(w.r, "p, k", "k DESC, p", "p DESC, k"))+options)
	w.only(w.pg, fmt.Sprintf("CREATE TABLE t "+columns, "p, k"))
	w.index()
	for i := range statementsPerIndexed {
		switch {
		case i%40 == 20:
			w.index()
		case i%50 == 49 && len(w.names) > 0:
			w.both("DROP INDEX " + w.names[0])
			w.names = w.names[1:]
		case i%50 == 30:
			w.only(w.ours, fmt.Sprintf("ALTER TABLE t SET SALT_BUCKETS = %d", pickOne(w.r, 0, 1, 3, 16)))
		case w.r.IntN(20) == 0:
			w.block()
		case w.r.IntN(4) == 0:
			w.query()
		default:
			w.both(w.statement())
		}
	}
	w.compare()
	if w.refused > 20 {
		t.Errorf("%d of %d statements were refused", w.refused, statementsPerIndexed)
	}
	return w.byIndex
}

func pickOne[E any](r *rand.Rand, list ...E) E { return list[r.IntN(len(list))] }

// index makes an index on both; ours may be salted.
func (w *indexWorld) index() {
	parts := map[string]bool{}
	var list []string
	for range 1 + w.r.IntN(3) {
		p := pickOne(w.r, "a", "b", "c", "d", "e", "f", "g", "h", "k", "lower(b)", "(a + k)", "(c + 1)", "coalesce(b, g)")
		if !parts[p] {
			parts[p] = true
			list = append(list, p+pickOne(w.r, "", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"))
		}
	}
	w.made++
	name := fmt.Sprintf("i%d", w.made)
	text := " INDEX " + name + " ON t (" + strings.Join(list, ", ") + ")"
	if include := pickOne(w.r, "", "", "a", "b", "c", "d, g"); include != "" {
		text += " INCLUDE (" + include + ")"
	}
	unique := w.r.IntN(3) == 0
	if unique {
		text = " UNIQUE" + text + pickOne(w.r, "", " NULLS NOT DISTINCT")
	}
	text += pickOne(w.r, "", "", " WHERE a > 2", " WHERE b IS NOT NULL")
	salt := pickOne(w.r, "", "", " SALT_BUCKETS = 4", " SALT_BUCKETS = 16")
	ours, pg := w.exec(w.ours, "CREATE"+text+salt), w.exec(w.pg, "CREATE"+text)
	if ours != pg {
		w.t.Errorf("CREATE%s%s: %q, PostgreSQL %q", text, salt, ours, pg)
	}
	if ours == "" {
		w.names = append(w.names, name)
	}
}

func (w *indexWorld) value(col byte) string {
	if w.r.IntN(5) == 0 {
		return "NULL"
	}
	n := w.r.IntN(12)
	switch col {
	case 'a':
		return fmt.Sprint(n - 4)
	case 'b':
		return pickOne(w.r, "''", "'A'", "'a'", "'ab'", "E'\\x01'", "'é'", fmt.Sprintf("'v%d'", w.r.IntN(40)))
	case 'c':
		return pickOne(w.r, "0", "0.00", "1.50", "1.5", "-1.5", "1e20", fmt.Sprintf("%d.%d0", n, n))
	case 'd':
		return fmt.Sprintf("'20%02d-01-02 03:04:05.%06d'", n+10, w.r.IntN(1000000))
	case 'e':
		return pickOne(w.r, "true", "false")
	case 'f':
		return pickOne(w.r, "'NaN'", "'Infinity'", "-0.0::float8", "0", "1e200", "-2.5", fmt.Sprint(n))
	case 'g':
		return pickOne(w.r, "''", "'a'", "'ab'", "'abcd'")
	}
	return pickOne(w.r, `'\x'`, `'\x00'`, `'\x0001'`, `'\xff'`, `'\xfffe'`, fmt.Sprintf(`'\x%02x'`, w.r.IntN(256)))
}

func (w *indexWorld) key() string {
	return fmt.Sprintf("%s, %d", pickOne(w.r, "''", "'p'", "'q'"), w.r.IntN(30))
}

func (w *indexWorld) row() string {
	row := w.key()
	for _, c := range []byte("abcdefgh") {
		row += ", " + w.value(c)
	}
	return "(" + row + ")"
}

// statement is one that does the same whatever order rows are written in.
func (w *indexWorld) statement() string {
	switch w.r.IntN(9) {
	case 8:
		return "INSERT INTO t VALUES " + w.row() + ", " + w.row() + " ON CONFLICT DO NOTHING"
	case 0, 1, 2:
		return "INSERT INTO t VALUES " + w.row()
	case 3:
		return "INSERT INTO t VALUES " + w.row() + " ON CONFLICT (p, k) DO UPDATE SET a = excluded.a, b = excluded.b, c = t.c"
	case 4:
		return fmt.Sprintf("DELETE FROM t WHERE k = %d", w.r.IntN(30))
	case 5:
		return fmt.Sprintf("UPDATE t SET k = %d WHERE (p, k) = (%s)", w.r.IntN(30), w.key())
	}
	c := pickOne(w.r, []byte("abcdefgh")...)
	return fmt.Sprintf("UPDATE t SET %c = %s, a = a WHERE (p, k) = (%s)", c, w.value(c), w.key())
}

// condition is on one column or expression that an index may have.
func (w *indexWorld) condition() string {
	c := pickOne(w.r, []byte("abcdefgh")...)
	switch w.r.IntN(9) {
	case 0:
		return fmt.Sprintf("k < %d", w.r.IntN(30))
	case 1:
		return "lower(b) " + pickOne(w.r, "= 'a'", ">= 'ab'", "IN ('a', 'v3', 'é')")
	case 2:
		return fmt.Sprintf("a + k %s %d", pickOne(w.r, "=", "<", ">="), w.r.IntN(30))
	case 3:
		return "coalesce(b, g) " + pickOne(w.r, "= 'ab'", "> ''")
	case 4:
		return pickOne(w.r, "a > 2", "b IS NOT NULL", "a IN (3, 4, 7)", "c + 1 > 1", "NOT e")
	case 5:
		return fmt.Sprintf("%c IS %s", c, pickOne(w.r, "NULL", "NOT NULL"))
	}
	return fmt.Sprintf("%c %s %s", c, pickOne(w.r, "=", "=", "<", "<=", ">", ">="), w.value(c))
}

// query is answered as planned, by no index and by each, as PostgreSQL does.
func (w *indexWorld) query() {
	where := w.condition()
	for w.r.IntN(2) == 0 {
		where += pickOne(w.r, " AND ", " AND ", " AND ", " OR ") + w.condition()
	}
	columns := "p, k, " + pickOne(w.r, "a", "b, a", "a, b, trim_scale(c), d, e, f + 0, g, h")
	tail := " ORDER BY "
	if w.r.IntN(2) == 0 {
		tail += pickOne(w.r, "a", "b", "c", "d", "e", "f", "g", "h", "k", "lower(b)", "a + k") + pickOne(w.r, "", " DESC", " NULLS FIRST", " DESC NULLS LAST") + ", "
	}
	tail += "p, k"
	if w.r.IntN(2) == 0 {
		tail += fmt.Sprintf(" LIMIT %d", 1+w.r.IntN(6))
		if w.r.IntN(3) == 0 {
			tail += fmt.Sprintf(" OFFSET %d", w.r.IntN(4))
		}
	}
	sql := func(hint string) string { return "SELECT " + hint + columns + " FROM t WHERE " + where + tail }
	want := w.rows(w.pg, sql(""))
	hints := []string{"", "/*+ NO_INDEX(t) */ "}
	for _, name := range w.names {
		hints = append(hints, "/*+ INDEX(t "+name+") */ ")
		if strings.Contains(w.rows(w.ours, "EXPLAIN "+sql(hints[len(hints)-1])), "Index: "+name) {
			w.byIndex++
		}
	}
	for _, h := range hints {
		if got := w.rows(w.ours, sql(h)); got != want {
			w.t.Fatalf("%s:\n%s\nPostgreSQL:\n%s\n%s", sql(h), got, want, w.rows(w.ours, "EXPLAIN "+sql(h)))
		}
	}
}

func (w *indexWorld) block() {
	w.both("BEGIN")
	w.inBlock = true
	for range 1 + w.r.IntN(4) {
		w.both(w.statement())
		if w.r.IntN(4) == 0 {
			w.both("SAVEPOINT s")
			w.both(w.statement())
			w.both("ROLLBACK TO s")
		}
	}
	w.both(pickOne(w.r, "COMMIT", "COMMIT", "ROLLBACK"))
	w.inBlock = false
}

// both runs a statement on both sides, which must say the same.
func (w *indexWorld) both(sql string) {
	ours := w.exec(w.ours, sql)
	if ours == "0A000" && !w.atomic {
		// A value of a UNIQUE index cannot go to another row so: see exec/write/staged.go.
		if w.inBlock {
			w.exec(w.pg, "SELECT 1 / 0")
		}
		w.refused++
		return
	}
	if pg := w.exec(w.pg, sql); ours != pg {
		w.t.Fatalf("%s: %q, PostgreSQL %q", sql, ours, pg)
	}
}

func (w *indexWorld) only(c slt.Conn, sql string) {
	if code := w.exec(c, sql); code != "" {
		w.t.Fatalf("%s: %s", sql, code)
	}
}

func (w *indexWorld) exec(c slt.Conn, sql string) string {
	_, _, err := c.Exec(w.t.Context(), sql)
	if err == nil {
		return ""
	}
	if e := sqlerr.As(err); e != nil {
		return e.Code.String()
	}
	if s, ok := err.(interface{ SQLState() string }); ok {
		return s.SQLState()
	}
	return err.Error()
}

func (w *indexWorld) rows(c slt.Conn, sql string) string {
	rows, _, err := c.Exec(w.t.Context(), sql)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	var out strings.Builder
	for _, r := range rows {
		for _, v := range r {
			if v == nil {
				out.WriteString("NULL|")
			} else {
				out.WriteString(*v + "|")
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func (w *indexWorld) compare() {
	const all = "SELECT p, k, a, b, trim_scale(c), d, e, f + 0, g, h FROM t ORDER BY p, k"
	if ours, pg := w.rows(w.ours, all), w.rows(w.pg, all); ours != pg {
		w.t.Errorf("the rows are\n%s\nin PostgreSQL\n%s", ours, pg)
	}
	got, _, err := w.ours.Exec(w.t.Context(), "CHECK TABLE t ALL")
	if err != nil {
		w.t.Fatal(err)
	}
	if len(got) != 1+len(w.names) {
		w.t.Errorf("%d objects checked, not %d", len(got), 1+len(w.names))
	}
	for _, r := range got {
		if *r[2] != "0" || *r[3] != "0" || *r[4] != "0" || *r[5] != "0" {
			w.t.Errorf("index %s of %s rows: %s missing, %s wrong, %s stale, %s duplicates: %s", *r[0], *r[1], *r[2], *r[3], *r[4], *r[5], *r[7])
		}
	}
}
