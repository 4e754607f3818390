package session

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/pebble"
)

// parkedQueries are over tables of 3,000 rows, with and without salt.
var parkedQueries = []string{
	"SELECT * FROM %s", "SELECT * FROM %s ORDER BY k", "SELECT * FROM %s ORDER BY k DESC", "SELECT k, v || 'x' FROM %s WHERE k %% 3 = 1 ORDER BY k",
	"SELECT * FROM %s WHERE k > 100 AND k < 2500 ORDER BY k DESC LIMIT 1500", "SELECT v FROM %s ORDER BY k LIMIT 700 OFFSET 333",
	"SELECT k FROM %s WHERE k IN (1, 5, 7, 2900)", "SELECT * FROM %s WHERE v LIKE '%%7' LIMIT 50", "SELECT k FROM %[1]s UNION ALL SELECT -k FROM %[1]s",
	"SELECT * FROM %s ORDER BY v, k", "SELECT v, count(*) FROM %s GROUP BY v ORDER BY v LIMIT 200", "SELECT DISTINCT k / 10 FROM %s ORDER BY 1", "SELECT g FROM generate_series(1, 3000) g",
	"SELECT k FROM %s WHERE false",
}

func parkedDB(t *testing.T) *DB {
	store, err := pebble.Open("store", &pebble.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); store.Close() })
	for _, s := range []string{"CREATE TABLE plain (k BIGINT PRIMARY KEY, v TEXT)", "CREATE TABLE salted (k BIGINT PRIMARY KEY, v TEXT) SALT_BUCKETS = 16",
		"INSERT INTO plain SELECT g, 'value ' || g FROM generate_series(1, 3000) g", "INSERT INTO salted SELECT g, 'value ' || g FROM generate_series(1, 3000) g"} {
		if _, err := db.Exec(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// stepper takes the rows of a portal some at a time, as the protocol does.
type stepper struct {
	p    *Portal
	sql  string
	rows []string
	done bool
}

func (s *stepper) step(t *testing.T, n int) {
	s.p.InSteps()
	for taken := 0; taken < n; {
		b, err := s.p.Next(context.Background())
		if err == io.EOF {
			s.done = true
			return
		}
		if err != nil {
			t.Fatal(s.sql, err)
		}
		for i := range b.Rows() {
			if taken == n {
				s.p.Unread(b, i)
				return
			}
			var row []string
			for _, v := range b.Cols {
				row = append(row, types.Format(v.Type, v.Datum(b.Row(i)), nil))
			}
			s.rows = append(s.rows, strings.Join(row, "|"))
			taken++
		}
	}
	s.p.Suspend()
}

// TestParkedPortals reads many portals in turns, each of which is parked while others are
// read: the rows are those of one reading.
func TestParkedPortals(t *testing.T) {
	db := parkedDB(t)
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newClient(t, db, SessionOptions{})
	s.must("BEGIN ISOLATION LEVEL REPEATABLE READ")
	var open []*stepper
	want := map[*stepper][]string{}
	for i, q := range parkedQueries {
		for _, table := range []string{"plain", "salted"} {
			sql := q
			if strings.Contains(q, "%") {
				sql = fmt.Sprintf(q, table)
				sql = strings.TrimSuffix(sql, "%!(EXTRA string="+table+")")
			}
			st, err := s.s.Prepare(context.Background(), sql, nil)
			if err != nil {
				t.Fatal(sql, err)
			}
			whole := &stepper{sql: sql}
			if whole.p, err = s.s.Bind(context.Background(), "whole", st, nil); err != nil {
				t.Fatal(err)
			}
			whole.step(t, 1<<30)
			s.s.ClosePortal("whole")
			p, err := s.s.Bind(context.Background(), fmt.Sprint("p", i, table), st, nil)
			if err != nil {
				t.Fatal(err)
			}
			one := &stepper{p: p, sql: sql}
			one.step(t, 1) // it sees what is there now
			open = append(open, one)
			want[one] = whole.rows
		}
	}
	s.must("INSERT INTO plain SELECT g, 'later' FROM generate_series(5000, 5100) g")
	for len(open) > 0 {
		at := r.IntN(len(open))
		one := open[at]
		one.step(t, 1+r.IntN(1<<r.IntN(11)))
		if !one.done {
			continue
		}
		open = append(open[:at], open[at+1:]...)
		rows := one.rows
		if !strings.Contains(one.sql, "ORDER BY") {
			continue // salted rows may come in any order; their number tells
		}
		if got, want := strings.Join(rows, "\n"), strings.Join(want[one], "\n"); got != want {
			t.Errorf("seed %d: %s: %d rows, want %d\n%.300s\n%.300s", seed, one.sql, len(rows), strings.Count(want, "\n")+1, got, want)
		}
	}
	for one, w := range want {
		if len(one.rows) != len(w) && !strings.Contains(one.sql, "plain") {
			t.Errorf("seed %d: %s: %d rows, want %d", seed, one.sql, len(one.rows), len(w))
		}
	}
	s.must("ROLLBACK")
}

// TestIdlePortals: a portal that waits holds little, whatever it reads from, and what it
// holds is booked.
func TestIdlePortals(t *testing.T) {
	db := parkedDB(t)
	cols := make([]string, 20)
	for i := range cols {
		cols[i] = fmt.Sprintf("c%d TEXT DEFAULT 'some text'", i)
	}
	for _, table := range []string{"plain20", "salted20 SALT"} {
		name, salt, _ := strings.Cut(table, " ")
		if salt != "" {
			salt = " SALT_BUCKETS = 16"
		}
		for _, s := range []string{"CREATE TABLE " + name + " (k BIGINT PRIMARY KEY, " + strings.Join(cols, ", ") + ")" + salt, "INSERT INTO " + name + " (k) SELECT * FROM generate_series(1, 5000)"} {
			if _, err := db.Exec(context.Background(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, q := range []string{"SELECT * FROM plain20", "SELECT * FROM plain20 ORDER BY k DESC", "SELECT * FROM salted20", "SELECT * FROM salted20 ORDER BY k", "SELECT c1 || c2 FROM salted20 WHERE k > 10 ORDER BY k"} {
		c := newClient(t, db, SessionOptions{})
		c.must("BEGIN")
		st, err := c.s.Prepare(context.Background(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		const portals = 100
		before := heap()
		for i := range portals {
			p, err := c.s.Bind(context.Background(), fmt.Sprint("p", i), st, nil)
			if err != nil {
				t.Fatal(err)
			}
			(&stepper{p: p, sql: q}).step(t, 1)
		}
		held, booked := (heap()-before)/portals, c.s.held.Used()/portals
		t.Logf("%s: %d bytes a portal, %d are booked, %d goroutines", q, held, booked, runtime.NumGoroutine())
		if held > 64<<10 || held > 2*booked || runtime.NumGoroutine() > 60 {
			t.Errorf("%s: an idle portal holds %d bytes, of which %d are booked", q, held, booked)
		}
		c.must("ROLLBACK")
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
