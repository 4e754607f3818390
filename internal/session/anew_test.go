package session

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestStatementsStartAnew has many sessions change one row by what queries read of it: under READ
// COMMITTED all succeed, and none is lost; under REPEATABLE READ the first wins, as it must.
func TestStatementsStartAnew(t *testing.T) {
	const sessions, times = 8, 25
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := Open(ctx, store, &Options{NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(s *Session, stmts ...string) error {
		for _, q := range stmts {
			rows, err := s.Query(ctx, q)
			if err != nil {
				return err
			}
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
			if e := s.EndPipeline(ctx, err == nil); err == nil {
				err = e
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	open := func() *Session {
		s, err := db.NewSession(SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := open()
	defer first.Close()
	if err := run(first, "CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		stmts []string
		lost  bool
	}{
		{"query in SET", []string{"UPDATE t SET v = (SELECT count(*) FROM generate_series(1, t.v)) + 1 WHERE k = 1"}, false},
		{"query in WHERE", []string{"UPDATE t SET v = v + 1 WHERE v = (SELECT max(v) FROM t)"}, false},
		{"joined", []string{"UPDATE t SET v = s.v + 1 FROM t AS s WHERE s.v = t.v"}, false},
		{"merge", []string{"MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED AND t.v >= (SELECT min(v) FROM t) THEN UPDATE SET v = t.v + 1"}, false},
		{"upsert", []string{"INSERT INTO t VALUES (1, 7) ON CONFLICT (k) DO UPDATE SET v = (SELECT count(*) FROM generate_series(1, t.v)) + 1"}, false},
		{"first upsert", []string{"INSERT INTO t VALUES (2, 0) ON CONFLICT (k) DO UPDATE SET v = (SELECT count(*) FROM generate_series(1, t.v)) + 1 WHERE (SELECT t.v) >= 0", "UPDATE t SET v = v + 1 WHERE k = 1"}, false},
		{"block", []string{"BEGIN", "UPDATE t SET v = (SELECT count(*) FROM generate_series(1, t.v)) + 1 WHERE k = 1", "COMMIT"}, false},
		{"repeatable read", []string{"BEGIN ISOLATION LEVEL REPEATABLE READ", "UPDATE t SET v = (SELECT count(*) FROM generate_series(1, t.v)) + 1 WHERE k = 1", "COMMIT"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := run(first, "DELETE FROM t", "INSERT INTO t VALUES (1, 0)"); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			var mu sync.Mutex
			lost := 0
			for range sessions {
				wg.Go(func() {
					s := open()
					defer s.Close()
					for range times {
						err := run(s, c.stmts...)
						if err == nil {
							continue
						}
						if !c.lost || sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
							t.Error(err)
						}
						mu.Lock()
						lost++
						mu.Unlock()
						_ = run(s, "ROLLBACK")
					}
				})
			}
			wg.Wait()
			want := sessions*times - lost
			if err := run(first, fmt.Sprintf("SELECT 1 / (SELECT (v = %d)::int FROM t WHERE k = 1)", want)); err != nil {
				t.Errorf("%d were not lost, and v is another: %v", want, err)
			}
			if err := run(first, fmt.Sprintf("SELECT 1 / (v = %d)::int FROM t WHERE k = 2", want-1)); err != nil {
				t.Errorf("%d changed the row that the first of them made, and v is another: %v", want-1, err)
			}
		})
	}
}
