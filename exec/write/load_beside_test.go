package write_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/pebble"
)

// manyRows are more than the transactions of these tests may hold, so that they need a load.
const manyRows = 30_000

// insertMany inserts rows from first on, which no transaction of the session could hold.
func insertMany(d *side, first int) {
	d.t.Helper()
	d.must("SET saltsql.max_transaction_size = '512kB'")
	text := fmt.Sprintf("INSERT INTO b SELECT i, i FROM generate_series(%d, %d) AS g(i)", first, first+manyRows-1)
	_, err := d.run(text)
	if sqlerr.CodeOf(err) == sqlerr.SerializationFailure {
		d.t.Log("the salt changed before the rows were committed:", err) // on a slow machine
		_, err = d.run(text)
	}
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
}

// wantRows fails where b has not n rows with a sum of k.
func wantRows(d *side, when string, n, sum int) {
	d.t.Helper()
	if got, want := d.must("SELECT count(*), coalesce(sum(k), 0) FROM b")[0], fmt.Sprintf("|%d|%d", n, sum); got != want {
		d.t.Errorf("%s: %s, want %s", when, got, want)
	}
}

func sumFrom(first, n int) int { return n*first + n*(n-1)/2 }

// TestLoadBesideTemporary loads a table in a session that has a temporary one: its store, which is
// laid over the database's, passes loads on.
func TestLoadBesideTemporary(t *testing.T) {
	d := pebbleSides(t)()
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
	d.must("CREATE UNIQUE INDEX b_u ON b (u)")
	d.must("CREATE TEMPORARY TABLE mine (k int PRIMARY KEY)")
	d.must("INSERT INTO mine VALUES (1)")
	insertMany(d, 1)
	wantRows(d, "loaded", manyRows, sumFrom(1, manyRows))
	d.indexed("loaded")
	if _, err := d.run("INSERT INTO mine SELECT i FROM generate_series(2, 40000) AS g(i)"); err == nil || !strings.Contains(err.Error(), "transaction") {
		t.Errorf("rows of a temporary table beyond the size of a transaction: %v", err)
	}
	if n := d.must("SELECT count(*) FROM mine")[0]; n != "|1" {
		t.Errorf("%s rows of the temporary table", n)
	}
}

// resalting begins a change of b's salt that copies rate rows a second, and gives what waits for
// its end. Some rows are copied when it returns.
func resalting(d, other *side, rate int) (end func() error) {
	d.t.Helper()
	done := make(chan error, 1)
	other.must(fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d", rate))
	go func() {
		_, err := other.run("ALTER TABLE b SET (SALT_BUCKETS = 8)")
		done <- err
	}()
	for !copying(d, "rows_done > 0") {
		select {
		case err := <-done:
			d.t.Fatalf("the change of salt has ended before it was seen: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	return func() error { return <-done }
}

func copying(d *side, cond string) bool {
	return len(d.must("SELECT 1 FROM saltsql.jobs WHERE table_name = 'b' AND state = 'copying' AND "+cond)) > 0
}

// TestLoadDuringResalt writes more rows in one statement than a transaction may hold while the
// table's rows are being copied: the load tells the change log of them.
func TestLoadDuringResalt(t *testing.T) {
	seeds.Sometimes(t)
	open := pebbleSides(t)
	d := open()
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
	d.must("CREATE UNIQUE INDEX b_u ON b (u)")
	insertMany(d, 1)
	end := resalting(d, open(), manyRows/2)
	insertMany(d, manyRows+1)
	wantRows(d, "while rows are copied", 2*manyRows, sumFrom(1, 2*manyRows))
	if !copying(d, "true") {
		t.Log("the rows were copied before the load was committed: nothing was tested")
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	wantRows(d, "copied", 2*manyRows, sumFrom(1, 2*manyRows))
	d.indexed("copied")
}

// TestTruncateDuringResalt removes all rows while they are being copied: no copy of one stays, and
// rows that come afterwards do.
func TestTruncateDuringResalt(t *testing.T) {
	seeds.Sometimes(t)
	for _, index := range []bool{false, true} {
		open := pebbleSides(t)
		d := open()
		d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
		if index {
			d.must("CREATE UNIQUE INDEX b_u ON b (u)")
		}
		insertMany(d, 1)
		end := resalting(d, open(), manyRows/2)
		d.must("TRUNCATE b")
		wantRows(d, "truncated", 0, 0)
		d.must("INSERT INTO b VALUES (7, 7), (8, 8)")
		if err := end(); err != nil {
			t.Fatal(err)
		}
		wantRows(d, "copied", 2, 15)
		d.indexed("copied")
	}
}

// TestTruncateDiesDuringResalt opens what a process leaves that dies when all rows are in the change
// log and none is removed yet: they are all there when they are copied, or none where the table has
// an index, whose TRUNCATE is finished at the start.
func TestTruncateDiesDuringResalt(t *testing.T) {
	seeds.Sometimes(t)
	quiet := &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true}
	if testing.Short() {
		t.Skip("what is left waits for the lease, which a slow server must keep meanwhile")
	}
	options := &session.Options{Lease: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)}
	for _, index := range []bool{false, true} {
		inner, err := pebble.Open(t.TempDir(), quiet)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { inner.Close() })
		died, once := filepath.Join(t.TempDir(), "died"), sync.Once{}
		st := fault.Wrap(inner)
		open := sidesOf(t, st, options)
		d := open()
		d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
		if index {
			d.must("CREATE UNIQUE INDEX b_u ON b (u)")
		}
		insertMany(d, 1)
		end := resalting(d, open(), manyRows/2)
		st.Add(fault.Rule{Op: storage.OpTruncate, If: func([]byte) bool {
			once.Do(func() {
				if err := inner.Checkpoint(context.Background(), died); err != nil {
					t.Error(err)
				}
			})
			return false
		}})
		d.must("TRUNCATE b")
		if err := end(); err != nil {
			t.Fatal(err)
		}
		left, err := pebble.Open(died, quiet)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { left.Close() })
		c := sidesOf(t, left, options)()
		for until := time.Now().Add(time.Minute); len(c.must("SELECT 1 FROM saltsql.jobs")) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("the rows are not copied to the end")
			}
		}
		if text := c.must("SHOW CREATE TABLE b"); !strings.Contains(strings.Join(text, " "), "SALT_BUCKETS = 8") {
			t.Errorf("the salt has not changed: %s", text)
		}
		n := manyRows
		if index {
			n = 0
		}
		wantRows(c, "opened anew", n, sumFrom(1, n))
		c.indexed("opened anew")
	}
}
