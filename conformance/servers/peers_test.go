package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
	"github.com/saltsql/saltsql/wire"
)

// openPeer opens a server of an emulator's store, with a door for the others, or none, and gives
// where clients reach it. All live as long as t.
func openPeer(t *testing.T, store, door string) (*saltsql.DB, string) {
	t.Helper()
	return openPeerEvery(t, store, door, 20*time.Millisecond)
}

// openPeerEvery is openPeer of one that looks for changes of the catalog after each refresh.
func openPeerEvery(t *testing.T, store, door string, refresh time.Duration) (*saltsql.DB, string) {
	t.Helper()
	s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test", Emulator: store})
	if err != nil {
		t.Fatal(err)
	}
	db, err := saltsql.Open(context.Background(), s, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: refresh, Lease: 30 * time.Second, Peers: door})
	if err != nil {
		t.Fatal(err)
	}
	server := wire.NewServer(db, wire.Config{Logger: harness.Quiet})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, ln.Addr().String()
}

func connectAs(t *testing.T, addr, user string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), fmt.Sprintf("postgres://%s@%s/saltsql?sslmode=disable", user, addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// TestSessionsOfPeers: three servers of one store are one to who looks at sessions, and cancels and
// ends them: by pg_cancel_backend, CANCEL, pg_terminate_backend and CancelRequest, sent to any.
func TestSessionsOfPeers(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), emulator.Start(t)
	var addrs [3]string
	for i := range addrs {
		_, addrs[i] = openPeer(t, store, "127.0.0.1:0")
	}
	boss := connectAs(t, addrs[0], "saltsql")
	if _, err := boss.Exec(ctx, "CREATE ROLE weak LOGIN"); err != nil {
		t.Fatal(err)
	}
	seen := map[uint32]bool{}
	for _, addr := range addrs {
		for range 3 {
			pid := connectAs(t, addr, "saltsql").PgConn().PID()
			if seen[pid] || int32(pid) <= 0 {
				t.Errorf("PID %d is not a number of its own", pid)
			}
			seen[pid] = true
		}
	}
	other := connectAs(t, addrs[1], "saltsql")
	pid := other.PgConn().PID()
	third := connectAs(t, addrs[2], "saltsql")
	soon(t, "the role", func() bool {
		var n int
		return third.QueryRow(ctx, "SELECT 1 FROM pg_roles WHERE rolname = 'weak'").Scan(&n) == nil
	})
	weak := connectAs(t, addrs[2], "weak")
	run := func() chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := other.Exec(ctx, "SELECT pg_sleep(600)")
			ended <- err
		}()
		soon(t, "the statement", func() bool {
			var state string
			err := boss.QueryRow(ctx, "SELECT state FROM pg_stat_activity WHERE pid = $1 AND query = 'SELECT pg_sleep(600)'", pid).Scan(&state)
			return err == nil && state == "active"
		})
		return ended
	}
	var servers, sessions int
	if err := boss.QueryRow(ctx, "SELECT count(DISTINCT server), count(*) FROM saltsql.sessions").Scan(&servers, &sessions); err != nil || servers != 3 || sessions != 13 {
		t.Errorf("%d sessions of %d servers are shown: %v", sessions, servers, err)
	}
	var key int
	if err := other.QueryRow(ctx, "SELECT 1 FROM pg_try_advisory_lock(77)").Scan(&key); err != nil {
		t.Fatal(err)
	}
	if err := boss.QueryRow(ctx, "SELECT objid::int FROM pg_locks WHERE locktype = 'advisory' AND pid = $1", pid).Scan(&key); err != nil || key != 77 {
		t.Errorf("the lock of another server's session: %d, %v", key, err)
	}
	for _, by := range []struct {
		name   string
		cancel func() error
	}{
		{"pg_cancel_backend", func() error { _, err := boss.Exec(ctx, "SELECT pg_cancel_backend($1)", pid); return err }},
		{"CANCEL", func() error { _, err := boss.Exec(ctx, fmt.Sprintf("CANCEL %d", pid)); return err }},
		{"CancelRequest", func() error { return cancelAt(addrs[2], other.PgConn()) }},
	} {
		ended := run()
		var e *pgconn.PgError
		if _, err := weak.Exec(ctx, "SELECT pg_cancel_backend($1)", pid); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("a stranger's cancel: %v", err)
		}
		began := time.Now()
		if err := by.cancel(); err != nil {
			t.Fatalf("%s: %v", by.name, err)
		}
		err := <-ended
		if !errors.As(err, &e) || e.Code != "57014" {
			t.Errorf("%s: %v", by.name, err)
		}
		t.Logf("%s: %v", by.name, time.Since(began))
	}
	var ok bool
	if err := boss.QueryRow(ctx, "SELECT pg_terminate_backend($1, 5000)", pid).Scan(&ok); err != nil || !ok {
		t.Errorf("pg_terminate_backend: %v, %v", ok, err)
	}
	if err := other.Ping(ctx); err == nil {
		t.Error("a session that was ended goes on")
	}
	if err := boss.QueryRow(ctx, "SELECT pg_cancel_backend($1)", pid).Scan(&ok); err != nil || ok {
		t.Errorf("cancel of a session that is gone: %v, %v", ok, err)
	}
}

// cancelAt sends the CancelRequest of a connection to another server's address, as a load balancer may.
func cancelAt(addr string, of *pgconn.PgConn) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	b, err := (&pgproto3.CancelRequest{ProcessID: of.PID(), SecretKey: of.SecretKey()}).Encode(nil)
	if err != nil {
		return err
	}
	if _, err := c.Write(b); err != nil {
		return err
	}
	_, _ = c.Read(b) // it is closed
	return nil
}

// TestPeersOff: who has no door, or asks one that has none, is told what it does not see.
func TestPeersOff(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), emulator.Start(t)
	_, with := openPeer(t, store, "127.0.0.1:0")
	_, without := openPeer(t, store, "")
	for _, addr := range []string{with, without} {
		cfg, err := pgx.ParseConfig(fmt.Sprintf("postgres://saltsql@%s/saltsql?sslmode=disable", addr))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { told = append(told, n.Message) }
		c, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(ctx, "SHOW SESSIONS"); err != nil || len(told) != 1 || !strings.Contains(told[0], "not known") {
			t.Errorf("%q, %v", told, err)
		}
		c.Close(ctx)
	}
}
