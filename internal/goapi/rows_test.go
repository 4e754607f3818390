package goapi

import (
	"context"
	"errors"
	"testing"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// newSession has a table acc of 100 rows.
func newSession(t *testing.T) *session.Session {
	t.Helper()
	store := mem.New()
	db, err := session.Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	for _, text := range []string{
		"CREATE TABLE acc (id INT PRIMARY KEY, bal INT) SALT_BUCKETS = 16",
		"INSERT INTO acc SELECT g, g FROM generate_series(1, 100) AS g",
	} {
		if _, err := Exec(context.Background(), s, text); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestReleasedPortalsAreTakenAgain: the portal of a result that is closed serves the next
// statement, with nothing of the one before; what is still open keeps its own.
func TestReleasedPortalsAreTakenAgain(t *testing.T) {
	ctx := context.Background()
	s := newSession(t)
	st, err := s.Prepare(ctx, "SELECT bal, $2::text FROM acc WHERE id = $1", nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func(id int64, text string) Rows {
		t.Helper()
		r, err := QueryStmt(ctx, s, st, id, text)
		if err != nil || !r.Next() {
			t.Fatal(err, r.Err())
		}
		if r.Value(0) != id || r.Value(1) != text {
			t.Fatalf("%d and %q gave %v and %v", id, text, r.Value(0), r.Value(1))
		}
		return r
	}
	first := read(1, "one")
	was := first.p
	second := read(2, "two") // beside the first
	if second.p == was {
		t.Fatal("a portal in use is another's")
	}
	if first.Next() || first.Close() != nil {
		t.Fatal(first.Err())
	}
	third := read(3, "three")
	if third.p != was {
		t.Error("the released portal is not taken again")
	}
	if second.Value(0) != int64(2) || second.Value(1) != "two" {
		t.Errorf("the open result has %v and %v", second.Value(0), second.Value(1))
	}
	// A closed result still tells of itself, and closing it again ends no other.
	if first.Close(); first.Tag() != "SELECT 1" || len(first.Columns()) != 2 || first.Columns()[0].Name != "bal" {
		t.Errorf("the closed result has tag %q and columns %v", first.Tag(), first.Columns())
	}
	if third.Next() || third.Err() != nil || third.Tag() != "SELECT 1" {
		t.Errorf("the third: %v, tag %q", third.Err(), third.Tag())
	}
	second.Close()
	third.Close()

	r, err := Query(ctx, s, "SELECT count(*) FROM acc")
	if err != nil || !r.Next() || r.Value(0) != int64(100) {
		t.Fatal(err, r.Err())
	}
	if r.p != was {
		t.Error("a statement without parameters has another portal")
	}
	r.Close()
}

// TestCanceledPortalsAreNotTakenAgain: what canceled a statement may come late, and must not
// meet the next one.
func TestCanceledPortalsAreNotTakenAgain(t *testing.T) {
	s := newSession(t)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Query(ctx, s, "SELECT * FROM generate_series(1, 1000000000)")
	if err != nil || !r.Next() {
		t.Fatal(err, r.Err())
	}
	was := r.p
	cancel()
	for r.Next() {
	}
	if err := r.Close(); !errors.Is(err, context.Canceled) || sqlerr.CodeOf(err) != sqlerr.QueryCanceled {
		t.Fatal(err)
	}
	r, err = Query(context.Background(), s, "SELECT 1")
	if err != nil || r.p == was {
		t.Fatal(err, "or the canceled portal serves another statement")
	}
	if !r.Next() || r.Close() != nil {
		t.Fatal(r.Err())
	}
}
