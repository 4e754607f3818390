package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// openShared opens a server of an emulator's store, with a door for the others.
func openShared(t *testing.T, store string) *saltsql.DB {
	t.Helper()
	s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test", Emulator: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	db, err := saltsql.Open(context.Background(), s, &saltsql.Options{Logger: harness.Quiet, Peers: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestAdvisoryLocks takes and gives back advisory locks in two sessions, beside PostgreSQL: of one
// server, and of two that share a store.
func TestAdvisoryLocks(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	t.Run("one server", func(t *testing.T) {
		w := newTwins(t, variant{store: "mem"}.open(t))
		advisoryLocks(t, w.session(t), w.session(t))
	})
	t.Run("two servers", func(t *testing.T) {
		store := emulator.Start(t)
		w := newTwins(t, openShared(t, store))
		other := *w
		other.host, other.port = harness.Serve(t, openShared(t, store))
		advisoryLocks(t, w.session(t), other.session(t))
	})
}

func advisoryLocks(t *testing.T, one, two twin) {
	for _, step := range []struct {
		in  twin
		sql string
	}{
		{one, "SELECT pg_advisory_lock(1), pg_advisory_lock(1)"}, {two, "SELECT pg_try_advisory_lock(1), pg_try_advisory_lock_shared(1), pg_try_advisory_lock(0, 1)"},
		{one, "SELECT pg_advisory_unlock(1)"}, {two, "SELECT pg_try_advisory_lock(1)"}, {one, "SELECT pg_advisory_unlock(1), pg_advisory_unlock(1)"}, {two, "SELECT pg_try_advisory_lock(1)"},
		{one, "SET lock_timeout = '50ms'"}, {one, "SELECT pg_advisory_lock_shared(1)"}, {two, "SELECT pg_advisory_unlock_all()"}, {one, "SELECT pg_advisory_lock_shared(1)"},
		{two, "SELECT pg_try_advisory_lock_shared(1), pg_try_advisory_lock(1)"}, {one, "SELECT pg_advisory_unlock(1), pg_advisory_unlock_shared(1)"}, {two, "SELECT pg_try_advisory_lock(1)"}, {two, "SELECT pg_advisory_unlock_all()"},
		{one, "SELECT pg_advisory_xact_lock(7)"}, {two, "SELECT pg_try_advisory_xact_lock(7)"}, {one, "BEGIN; SELECT pg_advisory_xact_lock(7), pg_advisory_lock(8)"}, {two, "SELECT pg_try_advisory_lock(7), pg_try_advisory_lock(8)"},
		{one, "SELECT pg_advisory_unlock(7)"}, {one, "SAVEPOINT s; SELECT pg_advisory_xact_lock(9); ROLLBACK TO s"}, {two, "SELECT pg_try_advisory_lock(9), pg_advisory_unlock(9)"},
		{one, "ROLLBACK"}, {two, "SELECT pg_try_advisory_lock(7), pg_try_advisory_lock(8)"}, {one, "DISCARD ALL"}, {two, "SELECT pg_try_advisory_lock(8)"}, {two, "SELECT pg_advisory_unlock_all()"},
		{one, "SELECT pg_advisory_lock(NULL), pg_try_advisory_lock(-1, -1), pg_try_advisory_lock(-1)"}, {two, "SELECT pg_try_advisory_lock(-1, -1), pg_try_advisory_lock(-1)"},
		{one, "SELECT current_timestamp(3) = date_trunc('milliseconds', current_timestamp(3)), localtimestamp(0) = date_trunc('second', localtimestamp(0)), pg_typeof(localtime(2)), current_timestamp(9) = now()"},
	} {
		step.in.same(t, step.sql)
	}
	// Two sessions that wait for each other: one of them is refused, the other goes on.
	for _, pair := range [][2]*pgconn.PgConn{{one.ours, two.ours}, {one.theirs, two.theirs}} {
		a, b := pair[0], pair[1]
		answer(a, "SELECT pg_advisory_lock(101)")
		answer(b, "SELECT pg_advisory_lock(102)")
		first := make(chan string, 1)
		go func() {
			got := answer(a, "SELECT pg_advisory_lock(102)")
			answer(a, "SELECT pg_advisory_unlock_all()")
			first <- got
		}()
		second := answer(b, "SELECT pg_advisory_lock(101)")
		answer(b, "SELECT pg_advisory_unlock_all()")
		if n := strings.Count(<-first+second, "ERROR 40P01"); n != 1 {
			t.Errorf("%d of two sessions in a circle are refused", n)
		}
	}
}
