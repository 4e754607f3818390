package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/wire"
)

// serve answers the Postgres protocol for db as long as t lives, and gives the
// host and port.
func serve(t testing.TB, db *saltsql.DB) (host string, port int) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := wire.NewServer(db, wire.Config{Logger: quiet})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
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

func connect(t testing.TB, host string, port int) *pgx.Conn {
	c, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}
