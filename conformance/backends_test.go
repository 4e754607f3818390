package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestBackends holds what one session may know of, and do to, another: the same on PostgreSQL
// and here.
func TestBackends(t *testing.T) {
	t.Parallel()
	pg := pgtest.Start(t)
	host, port := harness.Serve(t, variant{store: "mem"}.open(t))
	want := backends(t, strings.NewReplacer("user=postgres", "user=%s").Replace(pg), "postgres")
	got := backends(t, fmt.Sprintf("host=%s port=%d user=%%s dbname=postgres sslmode=disable", host, port), "saltsql")
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			t.Errorf("PostgreSQL: %s\nsaltsql:    %s", want[i], got[min(i, len(got)-1)])
		}
	}
}

func backends(t *testing.T, dsn, super string) (answers []string) {
	ctx := context.Background()
	open := func(user string) *pgx.Conn {
		c, err := pgx.Connect(ctx, fmt.Sprintf(dsn, user))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(ctx) })
		return c
	}
	ask := func(c *pgx.Conn, format string, args ...any) {
		var out strings.Builder
		rows, err := c.Query(ctx, fmt.Sprintf(format, args...), pgx.QueryExecModeSimpleProtocol)
		if err == nil {
			for rows.Next() {
				v, _ := rows.Values()
				fmt.Fprint(&out, v, " ")
			}
			err = rows.Err()
		}
		var e *pgconn.PgError
		if errors.As(err, &e) {
			fmt.Fprint(&out, e.Severity, " ", e.Code, " ", e.Message)
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, format+": "+out.String())
	}
	boss := open(super)
	for _, text := range []string{"CREATE ROLE alice LOGIN", "CREATE ROLE bob LOGIN", "CREATE ROLE warden LOGIN IN ROLE pg_signal_backend",
		"CREATE ROLE watcher LOGIN IN ROLE pg_monitor", "CREATE TABLE t (k int PRIMARY KEY)", "GRANT SELECT, INSERT ON t TO bob"} {
		if _, err := boss.Exec(ctx, text); err != nil {
			t.Fatal(text, err)
		}
	}
	// What a role's sessions begin with.
	for _, text := range []string{"CREATE ROLE slow LOGIN", "ALTER ROLE slow SET statement_timeout = '50ms'", "ALTER ROLE slow SET log_min_duration_statement = '9min'"} {
		if _, err := boss.Exec(ctx, text); err != nil {
			t.Fatal(text, err)
		}
	}
	slow := open("slow")
	ask(slow, "SELECT current_setting('statement_timeout'), current_setting('log_min_duration_statement')")
	ask(slow, "SELECT pg_sleep(60)")
	ask(slow, "SET statement_timeout = 0; RESET statement_timeout")
	ask(slow, "SHOW statement_timeout")
	ask(slow, "RESET log_min_duration_statement")
	for _, user := range []string{"slow", super} {
		var e *pgconn.PgError
		c, err := pgx.Connect(ctx, fmt.Sprintf(dsn, user)+" options='-c log_min_duration_statement=0'")
		if err == nil {
			c.Close(ctx)
		}
		answers = append(answers, fmt.Sprint("asked for at login, ", user == super, errors.As(err, &e), e))
	}
	alice, bob, warden, watcher := open("alice"), open("bob"), open("warden"), open("watcher")
	pid := bob.PgConn().PID()
	ask(bob, "SELECT inet_server_addr(), inet_server_port() = split_part('%s', ':', 2)::int", bob.PgConn().Conn().RemoteAddr())
	// What is shown.
	if _, err := bob.Exec(ctx, "SELECT 'bob was here'"); err != nil {
		t.Fatal(err)
	}
	activity := "SELECT usename, state, left(query, 12) FROM pg_stat_activity WHERE pid = %d"
	for _, c := range []*pgx.Conn{boss, bob, alice, watcher} {
		ask(c, activity, pid)
	}
	// Locks.
	for _, text := range []string{"BEGIN", "SELECT pg_advisory_lock(7)", "SELECT pg_advisory_xact_lock_shared(1, 2)", "SELECT * FROM t", "INSERT INTO t VALUES (1)"} {
		if _, err := bob.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(text, err)
		}
	}
	locks := "SELECT locktype, relation::regclass::text, classid::int, objid::int, objsubid::int, mode, granted FROM pg_locks WHERE pid = %d AND (locktype = 'advisory' OR relation = 't'::regclass) ORDER BY 1, 2, 3, 4, 6"
	ask(boss, locks, pid)
	ask(boss, "SELECT mode, granted, virtualxid = virtualtransaction FROM pg_locks WHERE pid = %d AND locktype = 'virtualxid'", pid)
	// Waits.
	for _, text := range []string{"INSERT INTO t VALUES (1)", "SELECT pg_advisory_lock(7)"} {
		waiter := open("bob")
		ended := make(chan error, 1)
		go func() {
			_, err := waiter.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol)
			ended <- err
		}()
		const waits = "SELECT state, wait_event_type, wait_event FROM pg_stat_activity WHERE pid = %d AND wait_event_type = 'Lock'"
		for end := time.Now().Add(harness.Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			var n int
			if err := boss.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM ("+waits+") w", waiter.PgConn().PID())).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				break
			}
		}
		ask(boss, waits, waiter.PgConn().PID())
		ask(boss, "SELECT mode, waitstart <= clock_timestamp() FROM pg_locks WHERE pid = %d AND NOT granted", waiter.PgConn().PID())
		ask(boss, "SELECT pg_blocking_pids(%d) = ARRAY[%d], pg_blocking_pids(%[2]d), pg_blocking_pids(-1)", waiter.PgConn().PID(), pid)
		ask(boss, "SELECT pg_isolation_test_session_is_blocked(%[1]d, ARRAY[0, %[2]d]), pg_isolation_test_session_is_blocked(%[1]d, ARRAY[%[1]d])", waiter.PgConn().PID(), pid)
		ask(boss, "SELECT pg_cancel_backend(%d)", waiter.PgConn().PID())
		if <-ended == nil {
			t.Error(text, ": it did not wait")
		}
	}
	if _, err := bob.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	ask(boss, locks, pid)
	// Cancelling.
	slept := make(chan error, 1)
	sleep := func(c *pgx.Conn) {
		go func() {
			_, err := c.Exec(ctx, "SELECT pg_sleep(60)", pgx.QueryExecModeSimpleProtocol)
			slept <- err
		}()
		for range 400 {
			var n int
			if err := boss.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%sleep(60)%' AND pid <> pg_backend_pid()").Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatal("it does not sleep")
	}
	woken := func() {
		var e *pgconn.PgError
		if errors.As(<-slept, &e) {
			answers = append(answers, "woken: "+e.Severity+" "+e.Code+" "+e.Message)
		} else {
			answers = append(answers, "woken otherwise")
		}
	}
	sleep(bob)
	ask(alice, "SELECT pg_cancel_backend(%d)", pid)
	ask(watcher, "SELECT pg_terminate_backend(%d)", pid)
	ask(warden, "SELECT pg_cancel_backend(%d)", boss.PgConn().PID())
	ask(warden, "SELECT pg_terminate_backend(%d)", boss.PgConn().PID())
	ask(warden, "SELECT pg_cancel_backend(%d)", pid)
	woken()
	sleep(bob)
	ask(boss, "SELECT pg_terminate_backend(%d, 5000)", pid)
	woken()
	ask(boss, "SELECT count(*) FROM pg_stat_activity WHERE pid = %d", pid)
	ask(boss, "SELECT pg_cancel_backend(%d)", 2147483647)
	ask(boss, "SELECT pg_terminate_backend(%d)", alice.PgConn().PID()) // who is idle
	_, err := alice.Exec(ctx, "SELECT 1")
	answers = append(answers, fmt.Sprint("alice has ended: ", err != nil))
	return answers
}
