package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/wire"
)

// MustExec runs a text of statements, and ends the test where one fails.
func MustExec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	var r []*pgconn.Result
	r, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s\n%v\n%v", sql, err, r)
	}
}

// Serve answers the Postgres protocol for db as long as t lives, and gives the
// host and port.
func Serve(t testing.TB, db *saltsql.DB) (host string, port int) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := wire.NewServer(db, wire.Config{Logger: Quiet})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
		if err := <-done; !errors.Is(err, wire.ErrServerClosed) {
			t.Error(err)
		}
	})
	addr := ln.Addr().(*net.TCPAddr)
	return addr.IP.String(), addr.Port
}

// Connect makes a client as long as t lives.
func Connect(t testing.TB, host string, port int) *pgx.Conn {
	c, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// SQLState gives an error's SQLSTATE, of whatever driver; "" where it has none.
func SQLState(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return ""
}
