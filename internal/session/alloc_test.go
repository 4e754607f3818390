package session

import (
	"context"
	"io"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

func allocSession(t *testing.T) *Session {
	t.Helper()
	ctx := context.Background()
	store := mem.New()
	db, err := Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	for _, sql := range []string{
		"CREATE TABLE acc (id INT PRIMARY KEY, bal INT) SALT_BUCKETS = 16",
		"INSERT INTO acc SELECT g, g FROM generate_series(1, 100) AS g",
	} {
		rows, err := s.Query(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return s
}

// TestPlanningOfCachedStatements asserts that a statement that was planned before is
// neither parsed nor bound again.
func TestPlanningOfCachedStatements(t *testing.T) {
	ctx := context.Background()
	s := allocSession(t)
	const text = "SELECT bal FROM acc WHERE id = $1"
	hints := []types.T{types.Of(types.Int4)}
	prepare := func() *Stmt {
		st, err := s.Prepare(ctx, text, hints)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	first := prepare()
	if again := prepare(); again.plan != first.plan {
		t.Fatal("planned twice")
	}
	if n := alloctest.PerRun(100, func() { prepare() }); n > 1 {
		t.Errorf("Prepare of a cached text allocates %v times: more than the Stmt", n)
	}
	params := []types.Datum{types.NewInt(7)}
	bind := func() *Portal {
		p, err := s.Bind(ctx, "", first, params)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	n := alloctest.PerRun(100, func() {
		p := bind()
		for {
			if _, err := p.Next(ctx); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Logf("Bind and execute, with the store's part, allocate %v times", n)
	if n := alloctest.PerRun(100, func() {
		if err := s.refresh(ctx, first); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("finding the plan of a prepared statement allocates %v times", n)
	}
}
