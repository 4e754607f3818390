package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestRandomPartialIndexes asks of random partial indexes and conditions whether the index may
// be read for the condition, beside PostgreSQL, which with enable_seqscan off reads any index
// that it can prove to have the rows. Ours must give the rows that a scan gives; where
// PostgreSQL reads the index, so do ours, but for conditions that contradict themselves.
func TestRandomPartialIndexes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Start(t)
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 1))
	v := variant{store: "mem"}
	ours, err := (engine{v, v.open(t)}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	pg, err := postgres{dsn: dsn, schema: "partial"}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close()
	w := &indexWorld{t: t, r: r, ours: ours, pg: pg, atomic: true}
	w.only(pg, "SET enable_seqscan = off")
	w.only(pg, "SET enable_bitmapscan = off")
	w.both(`CREATE TABLE t (k int PRIMARY KEY, i int, s smallint, l bigint, f float8, n numeric, b text COLLATE "C", d date, ts timestamp, e boolean)`)
	for k := range 40 {
		w.both(fmt.Sprintf("INSERT INTO t VALUES (%d, %s)", k, strings.Join([]string{
			w.literal('i'), w.literal('s'), w.literal('l'), w.literal('f'), w.literal('n'), w.literal('b'), w.literal('d'), w.literal('t'), w.literal('e'),
		}, ", ")))
	}
	used, both := 0, 0
	rounds := 0
	for more := seeds.Until(0, 10*time.Second); more(rounds); rounds++ {
		// An index on a column that no condition names: only the predicate says what it has.
		pred := w.partial()
		name := fmt.Sprintf("part%d", rounds)
		w.both(fmt.Sprintf("CREATE INDEX %s ON t (k) WHERE %s", name, pred))
		for range 12 {
			cond := w.partial()
			if r.IntN(3) == 0 {
				cond = pred
			}
			if r.IntN(3) == 0 {
				cond += " AND " + w.partial()
			}
			theirs := strings.Contains(w.rows(pg, "EXPLAIN SELECT b FROM t WHERE "+cond), name)
			mine := strings.Contains(w.rows(ours, "EXPLAIN SELECT /*+ INDEX(t "+name+") */ b FROM t WHERE "+cond), name)
			if theirs {
				used++
			}
			if theirs && mine {
				both++
			}
			if theirs && !mine {
				t.Logf("seed %d: WHERE %s is not read by an index WHERE %s, which PostgreSQL does", seed, cond, pred)
			}
			q := " k, b FROM t WHERE " + cond + " ORDER BY k"
			if got, want := w.rows(ours, "SELECT /*+ INDEX(t "+name+") */"+q), w.rows(ours, "SELECT /*+ NO_INDEX */"+q); got != want {
				t.Errorf("seed %d: WHERE %s by an index WHERE %s:\n%s\nby none:\n%s", seed, cond, pred, got, want)
			}
		}
		w.both("DROP INDEX " + name)
	}
	t.Logf("%d conditions by PostgreSQL's index, %d by ours", used, both)
	// Of two terms that contradict each other PostgreSQL looks at each alone.
	if both < used-max(used/50, 1) {
		t.Errorf("an index serves %d conditions of %d", both, used)
	}
	if used < rounds/2 {
		t.Errorf("PostgreSQL has read an index for %d conditions only", used)
	}
}

// literal is a value of column c, at times NULL.
func (w *indexWorld) literal(c byte) string {
	if w.r.IntN(8) == 0 {
		return "NULL"
	}
	return w.known(c)
}

func (w *indexWorld) known(c byte) string {
	n := w.r.IntN(8)
	switch c {
	case 'f':
		return pickOne(w.r, fmt.Sprint(n), fmt.Sprintf("%d.5", n), "'NaN'", "'Infinity'", "'-Infinity'")
	case 'n':
		return pickOne(w.r, fmt.Sprint(n), fmt.Sprintf("%d.50", n))
	case 'b':
		return pickOne(w.r, "''", "'a'", "'ab'", "'b'", "'ba'", "'c'")
	case 'd':
		return fmt.Sprintf("'2024-01-0%d'", n+1)
	case 't':
		return fmt.Sprintf("'2024-01-0%d 12:00'", n+1)
	case 'e':
		return pickOne(w.r, "true", "false")
	}
	return fmt.Sprint(n)
}

// partial is a predicate over one column or two.
func (w *indexWorld) partial() string {
	one := func() string {
		c := pickOne(w.r, []byte("islfnbdte")...)
		name := string(c)
		if c == 't' {
			name = "ts"
		}
		if c == 'e' {
			return pickOne(w.r, "e", "NOT e", "e IS NOT NULL", "e IS NULL", "e IS TRUE")
		}
		switch w.r.IntN(9) {
		case 0:
			return name + " IS NOT NULL"
		case 1:
			return name + " IS NULL"
		case 2:
			return fmt.Sprintf("%s BETWEEN %s AND %s", name, w.known(c), w.known(c))
		case 3:
			return fmt.Sprintf("%s IN (%s, %s)", name, w.known(c), w.known(c))
		case 4:
			if c == 'b' {
				return "b LIKE " + pickOne(w.r, "'a%'", "'ab%'", "'%a'")
			}
			return fmt.Sprintf("%s <> %s", name, w.known(c))
		}
		return fmt.Sprintf("%s %s %s", name, pickOne(w.r, "<", "<=", "=", ">=", ">"), w.known(c))
	}
	switch w.r.IntN(5) {
	case 0:
		return "(" + one() + " OR " + one() + ")"
	case 1:
		return "(" + one() + " AND " + one() + ")"
	}
	return one()
}
