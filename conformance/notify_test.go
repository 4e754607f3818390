package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
)

// listener is a connection that keeps what it is notified of.
type listener struct {
	*pgconn.PgConn
	heard []string // "channel payload"
	from  []uint32
}

func newListener(t testing.TB, dsn string) *listener {
	t.Helper()
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{}
	cfg.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		l.heard, l.from = append(l.heard, n.Channel+" "+n.Payload), append(l.from, n.PID)
	}
	if l.PgConn, err = pgconn.ConnectConfig(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(context.Background()) })
	return l
}

// until waits for a notification, without a word to the server.
func (l *listener) until(t testing.TB, last string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	for !slices.Contains(l.heard, last) {
		if err := l.WaitForNotification(ctx); err != nil {
			t.Fatalf("%v, having heard %q", err, l.heard)
		}
	}
}

// TestNotify runs a script over three sessions beside PostgreSQL, and compares what each is told.
func TestNotify(t *testing.T) {
	w := newTwins(t, variant{store: "mem"}.open(t))
	var ours, theirs []*listener
	for range 3 {
		ours = append(ours, newListener(t, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", w.host, w.port)))
		theirs = append(theirs, newListener(t, w.dsn))
	}
	for _, step := range []struct {
		in  int
		sql string
	}{
		{0, "LISTEN a"}, {0, "LISTEN a"}, {0, `LISTEN "Bé"`}, {1, "LISTEN b; LISTEN a"}, {0, "SELECT pg_listening_channels()"}, {2, "SELECT * FROM pg_listening_channels()"},
		{2, "NOTIFY a"}, {2, "NOTIFY a, 'one'; NOTIFY a, 'one'; NOTIFY b, 'two'; NOTIFY a, 'three'"}, {0, "NOTIFY a, 'own'"},
		{2, "BEGIN"}, {2, "NOTIFY a, 'in block'"}, {2, "SAVEPOINT s"}, {2, "NOTIFY a, 'undone'"}, {2, "LISTEN c"}, {2, "ROLLBACK TO s"}, {2, "NOTIFY a, 'in block'"},
		{2, "NOTIFY a, 'after'"}, {2, "COMMIT"}, {2, "SELECT count(*) FROM pg_listening_channels()"},
		{2, "BEGIN; NOTIFY a, 'rolled back'; ROLLBACK"}, {2, "BEGIN; NOTIFY a, 'failed'"}, {2, "SELECT 1/0"}, {2, "COMMIT"},
		{2, "SELECT pg_notify('a', 'f' || g) FROM generate_series(1, 3) g"}, {2, `SELECT pg_notify('Bé', NULL)`}, {2, "SELECT pg_notify(NULL, 'x')"}, {2, "SELECT pg_notify('', 'x')"},
		{2, "SELECT pg_notify('a', repeat('x', 7999)) IS NULL"}, {2, "SELECT pg_notify('a', repeat('x', 8000))"}, {2, "SELECT pg_notify(repeat('x', 64), '')"},
		{2, "NOTIFY a, 'ä''s'"}, {2, "SELECT pg_notification_queue_usage() < 0.5"},
		{1, "BEGIN"}, {2, "NOTIFY b, 'while in a block'"}, {1, "SELECT 1"}, {1, "UNLISTEN b"}, {2, "NOTIFY b, 'still'"}, {1, "COMMIT"}, {2, "NOTIFY b, 'not any more'"},
		{0, "UNLISTEN a"}, {2, "NOTIFY a, 'not to 0'"}, {0, "BEGIN; LISTEN d; NOTIFY d, 'both'; COMMIT"}, {0, "UNLISTEN *"}, {0, "LISTEN a; DISCARD ALL"}, {0, "DISCARD ALL"},
		{0, "SELECT count(*) FROM pg_listening_channels()"}, {2, "NOTIFY a, 'gone'"}, {0, "LISTEN e"}, {1, "LISTEN e"}, {2, "LISTEN e"}, {1, "NOTIFY e, 'end'"},
	} {
		twin{ours[step.in].PgConn, theirs[step.in].PgConn}.same(t, step.sql)
	}
	for i := range ours {
		ours[i].until(t, "e end")
		theirs[i].until(t, "e end")
		if !slices.Equal(ours[i].heard, theirs[i].heard) {
			t.Errorf("session %d hears\n%q\nand of PostgreSQL\n%q", i, ours[i].heard, theirs[i].heard)
		}
		if ours[i].from[len(ours[i].from)-1] != ours[1].PID() {
			t.Errorf("session %d is not told who sends", i)
		}
	}
}

// TestNotifyOrder: many sessions hear what many send, all in one order, which is that of each sender.
func TestNotifyOrder(t *testing.T) {
	db := variant{store: "mem"}.open(t)
	host, port := harness.Serve(t, db)
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port)
	listeners := make([]*listener, 64)
	for i := range listeners {
		listeners[i] = newListener(t, dsn)
		answer(listeners[i].PgConn, "LISTEN a")
	}
	const senders, each = 8, 50
	var wg sync.WaitGroup
	for k := range senders {
		s := newListener(t, dsn)
		wg.Go(func() {
			for n := range each {
				answer(s.PgConn, fmt.Sprintf("NOTIFY a, '%d:%d'", k, n))
			}
		})
	}
	wg.Wait()
	answer(listeners[0].PgConn, "NOTIFY a, 'end'")
	for i, l := range listeners {
		l.until(t, "a end")
		if !slices.Equal(l.heard, listeners[0].heard) {
			t.Fatalf("session %d hears another order", i)
		}
	}
	next := map[string]int{}
	for _, h := range listeners[0].heard[:senders*each] {
		sender, n, _ := strings.Cut(strings.TrimPrefix(h, "a "), ":")
		if n != fmt.Sprint(next[sender]) {
			t.Fatalf("sender %s: %s after %d others", sender, n, next[sender])
		}
		next[sender]++
	}
	// Who listens and takes nothing fills the room; the NOTIFY that is too much is refused with its transaction.
	slow, sender := listeners[1], listeners[2]
	answer(sender.PgConn, "UNLISTEN *; CREATE TABLE kept (k int PRIMARY KEY)")
	for _, l := range listeners[3:] {
		answer(l.PgConn, "UNLISTEN *")
	}
	answer(listeners[0].PgConn, "UNLISTEN *")
	answer(slow.PgConn, "BEGIN")
	sent := 0
	for {
		got := answer(sender.PgConn, fmt.Sprintf("BEGIN; INSERT INTO kept VALUES (%d); SELECT pg_notify('a', %d || repeat('x', 7000)); COMMIT", sent, sent))
		if strings.Contains(got, "ERROR 54000") {
			break
		}
		if sent++; sent > 10000 {
			t.Fatal("70 MB wait for a client")
		}
	}
	if got := answer(sender.PgConn, "SELECT count(*) FROM kept"); !strings.HasPrefix(got, fmt.Sprint(sent, ":")) {
		t.Errorf("%d transactions were committed, and the table has %s rows", sent, got)
	}
	slow.heard = nil
	answer(slow.PgConn, "COMMIT")
	if len(slow.heard) != sent {
		t.Errorf("%d were sent, and %d heard", sent, len(slow.heard))
	}
	if got := answer(sender.PgConn, "NOTIFY a, 'room again'"); strings.Contains(got, "ERROR") {
		t.Error(got)
	}
}
