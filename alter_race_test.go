package saltsql

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestAlterAgainstWriters holds that a constraint which ALTER TABLE has taken holds
// for every row, whatever was being written meanwhile: by statements of one row and
// of several, and by transaction blocks.
func TestAlterAgainstWriters(t *testing.T) {
	db := openSQL(t)
	ctx := context.Background()
	must := func(q string) {
		t.Helper()
		if _, err := db.ExecContext(ctx, q); err != nil {
			t.Fatal(q, err)
		}
	}
	must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT) WITH (salt_buckets = 4)")
	must("INSERT INTO t SELECT n, 1 FROM generate_series(1, 64) n")

	var stop atomic.Bool
	var wg sync.WaitGroup
	var fault atomic.Pointer[string]
	expected := func(err error) bool {
		switch sqlerr.CodeOf(err) {
		case sqlerr.NotNullViolation, sqlerr.CheckViolation, sqlerr.SerializationFailure, sqlerr.DeadlockDetected:
			return true
		}
		return err == nil
	}
	for w := range 4 {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				k := rand.IntN(64) + 1
				var err error
				switch w {
				case 0:
					_, err = db.ExecContext(ctx, "UPDATE t SET v = NULL WHERE k = $1", k)
				case 1:
					_, err = db.ExecContext(ctx, "UPDATE t SET v = -1 WHERE k IN ($1, $2)", k, k%64+1)
				case 2:
					_, err = db.ExecContext(ctx, "UPSERT INTO t VALUES ($1, NULL), ($2, -1)", k, k%64+1)
				default:
					tx, e := db.BeginTx(ctx, nil)
					if err = e; e != nil {
						break
					}
					if _, err = tx.ExecContext(ctx, "UPDATE t SET v = -1 WHERE k = $1", k); err == nil {
						runtime.Gosched()
						err = tx.Commit()
					} else {
						_ = tx.Rollback()
					}
				}
				if !expected(err) {
					text := fmt.Sprint(w, err)
					fault.Store(&text)
					return
				}
				for range rand.IntN(400) {
					runtime.Gosched()
				}
			}
		})
	}
	taken := 0
	for round := 0; round < 400 && taken < 25 && fault.Load() == nil; round++ {
		alter, undo, bad := "ALTER TABLE t ALTER v SET NOT NULL", "ALTER TABLE t ALTER v DROP NOT NULL", "v IS NULL"
		if round%2 == 1 {
			alter, undo, bad = "ALTER TABLE t ADD CONSTRAINT good CHECK (v >= 0)", "ALTER TABLE t DROP CONSTRAINT good", "v < 0"
		}
		if _, err := db.ExecContext(ctx, "UPDATE t SET v = 1 WHERE "+bad); !expected(err) {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(ctx, alter); err != nil {
			if !expected(err) {
				t.Fatal(err)
			}
			continue
		}
		taken++
		for range 3 {
			var n int
			if err := db.QueryRowContext(ctx, "SELECT count(*) FROM t WHERE "+bad).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				t.Errorf("%d rows where %s after %s", n, bad, alter)
			}
			runtime.Gosched()
		}
		must(undo)
	}
	stop.Store(true)
	wg.Wait()
	if f := fault.Load(); f != nil {
		t.Error(*f)
	}
	if taken == 0 {
		t.Skip("no ALTER found a moment without bad rows")
	}
	t.Logf("%d constraints taken", taken)
}

// TestAlterLetsLocksGo holds that ALTER TABLE, which waits for a write that waits for
// a row's lock, does not keep the lock's holder from committing.
func TestAlterLetsLocksGo(t *testing.T) {
	db := openSQL(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, q := range []string{"CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1), (2, 2)"} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE t SET v = 2 WHERE k = 1"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 2)
		go func() {
			_, err := db.ExecContext(ctx, "UPDATE t SET v = 3 WHERE k = 1")
			done <- err
		}()
		go func() {
			_, err := db.ExecContext(ctx, "ALTER TABLE t ALTER v SET NOT NULL")
			done <- err
		}()
		for range rand.IntN(2000) {
			runtime.Gosched()
		}
		// Before it commits, it may write more.
		if _, err := tx.ExecContext(ctx, "UPDATE t SET v = 4 WHERE k = 2"); err != nil {
			t.Fatal(err)
		}
		errs := []error{tx.Commit(), <-done, <-done}
		for _, err := range errs {
			if err != nil && sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
				t.Fatal(err)
			}
		}
		if _, err := db.ExecContext(ctx, "ALTER TABLE t ALTER v DROP NOT NULL"); err != nil {
			t.Fatal(err)
		}
	}
}
