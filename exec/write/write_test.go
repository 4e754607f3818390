package write_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
)

// side is a session.
type side struct {
	t *testing.T
	s *session.Session
}

// newSide opens a DB with one table of two indexes.
func newSide(t *testing.T, store storage.Store) *side {
	d := sidesOf(t, store, nil)()
	d.must("CREATE TABLE w (k int PRIMARY KEY, u int, v int) SALT_BUCKETS = 4")
	d.must("CREATE UNIQUE INDEX w_u ON w (u)")
	d.must("CREATE INDEX w_v ON w (v DESC) INCLUDE (u) SALT_BUCKETS = 4")
	return d
}

// pebbleSides opens a DB on a store of its own, and gives sessions of it.
func pebbleSides(t *testing.T) func() *side {
	st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return sidesOf(t, st, nil)
}

// sidesOf opens a DB on a store, and gives sessions of it.
func sidesOf(t *testing.T, st storage.Store, o *session.Options) func() *side {
	db, err := session.Open(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return func() *side {
		s, err := db.NewSession(session.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return &side{t, s}
	}
}

// indexed fails where CHECK TABLE finds a fault of b.
func (d *side) indexed(when string) {
	d.t.Helper()
	for _, r := range d.must("CHECK TABLE b ALL") {
		if f := strings.Split(r, "|"); len(f) < 7 || slices.ContainsFunc(f[3:7], func(n string) bool { return n != "0" }) {
			d.t.Errorf("%s: CHECK TABLE: %s", when, r)
		}
	}
}

func (d *side) run(text string) ([]string, error) { return sessiontest.Rows(d.s, text) }

func (d *side) must(text string) []string {
	d.t.Helper()
	rows, err := d.run(text)
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// all gives the table, and fails where an index says another thing of it.
func (d *side) all() []string {
	d.t.Helper()
	rows := d.must("SELECT k, u, v FROM w ORDER BY k")
	for _, by := range []string{"v >= -1", "u >= -1"} {
		got := d.must("SELECT k, u, v FROM w WHERE " + by)
		slices.Sort(got)
		want := d.must("SELECT k, u, v FROM w WHERE " + strings.Replace(by, " >=", " + 0 >=", 1))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			d.t.Errorf("by index, WHERE %s: %v, not %v", by, got, want)
		}
	}
	return rows
}

// A write that the store fails at any of its calls, before or after it has done it, has
// happened whole or not at all, indexes included; it says which, or that it is not known; and
// the next write is not in its way.
func TestFailedWritesAreWhole(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			faulty := fault.Wrap(mem.New())
			a, b := newSide(t, faulty), newSide(t, mem.New())
			failed, unknown, done := 0, 0, 0
			for range 150 {
				text := statement(r)
				ops := []string{storage.OpCommit, storage.OpMutate, storage.OpCheckAndMutate, storage.OpScan, storage.OpMultiGet}
				faulty.Add(fault.Rule{Op: ops[r.IntN(len(ops))], Do: []fault.Action{fault.FailBefore, fault.FailAfter}[r.IntN(2)], Nth: 1 + r.IntN(4), Times: 1 + r.IntN(8)})
				_, err := a.run(text)
				faulty.Reset()
				before := b.all()
				b.must("BEGIN")
				_, berr := b.run(text)
				switch code := sqlerr.CodeOf(err); {
				case err == nil && berr != nil:
					t.Fatalf("%s: it is done, and fails elsewhere: %v", text, berr)
				case err == nil:
					done++
					b.must("COMMIT")
				case code == sqlerr.StatementCompletionUnknown && berr == nil && !slices.Equal(a.all(), before):
					unknown++
					b.must("COMMIT")
				default:
					failed++
					b.must("ROLLBACK")
				}
				if got, want := a.all(), b.all(); !slices.Equal(got, want) {
					t.Fatalf("%s: %v: the table is\n%v, not\n%v", text, err, got, want)
				}
			}
			if failed < 10 || done < 10 {
				t.Errorf("%d writes failed, %d were done, %d not known: too few", failed, done, unknown)
			}
		})
	}
}

func statement(r *rand.Rand) string {
	n := func(most int) int { return r.IntN(most) }
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("INSERT INTO w VALUES (%d, %d, %d), (%d, %d, %d)", n(40), n(60), n(5), n(40), n(60), n(5))
	case 1:
		return fmt.Sprintf("INSERT INTO w VALUES (%d, %d, %d) ON CONFLICT (k) DO UPDATE SET v = w.v + 1", n(40), n(60), n(5))
	case 2:
		return fmt.Sprintf("UPSERT INTO w VALUES (%d, %d, %d)", n(40), 100+n(600), n(5))
	case 3:
		return fmt.Sprintf("UPDATE w SET v = v + 1 WHERE k > %d", n(40))
	case 4:
		return fmt.Sprintf("UPDATE w SET k = k + 50, u = u + 1000 WHERE k = %d", n(40))
	case 5:
		return fmt.Sprintf("DELETE FROM w WHERE v = %d OR k > 45", n(9))
	}
	return fmt.Sprintf("INSERT INTO w SELECT i, i + %d, i %% 5 FROM generate_series(%d, %d) i ON CONFLICT DO NOTHING", 2000+n(2000), n(20), 20+n(20))
}
