package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
)

// TestShowSessions shows what runs to those who may know of it, and cancels it for those who may.
func TestShowSessions(t *testing.T) {
	ctx := context.Background()
	host, port := harness.Serve(t, variant{store: "mem"}.open(t))
	open := func(user string) *pgx.Conn {
		c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=%s dbname=saltsql application_name=%[3]s-app sslmode=disable", host, port, user))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(ctx) })
		return c
	}
	boss := open("saltsql")
	harness.MustExec(t, boss, "CREATE ROLE alice LOGIN")
	harness.MustExec(t, boss, "CREATE ROLE bob LOGIN")
	alice, bob := open("alice"), open("bob")
	ended := make(chan error, 1)
	go func() {
		_, err := bob.Exec(ctx, "SELECT pg_sleep(600)")
		ended <- err
	}()
	type shown struct {
		PID                             int32
		User, App, State, Query, Server *string
		Client, Running, InTransaction  any
	}
	sessions := func(c *pgx.Conn, mode pgx.QueryExecMode) map[string]shown {
		t.Helper()
		rows, err := c.Query(ctx, "SHOW SESSIONS", mode)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]shown{}
		for rows.Next() {
			var s shown
			if err := rows.Scan(&s.PID, &s.User, &s.App, &s.Client, &s.State, &s.Running, &s.InTransaction, &s.Query, &s.Server); err != nil {
				t.Fatal(err)
			}
			out[*s.User] = s
		}
		if rows.Err() != nil || len(out) != 3 {
			t.Fatalf("%d sessions: %v", len(out), rows.Err())
		}
		return out
	}
	var b shown
	for b.State == nil || *b.State != "active" {
		b = sessions(boss, pgx.QueryExecModeCacheStatement)["bob"]
	}
	if uint32(b.PID) != bob.PgConn().PID() || *b.App != "bob-app" || *b.Query != "SELECT pg_sleep(600)" || b.Running == nil {
		t.Errorf("bob's is shown as %+v", b)
	}
	if got := sessions(alice, pgx.QueryExecModeSimpleProtocol)["bob"]; *got.Query != "<insufficient privilege>" || got.State != nil {
		t.Errorf("alice is shown %+v", got)
	}
	refused := func(c *pgx.Conn, sql, code string) {
		t.Helper()
		var e *pgconn.PgError
		if _, err := c.Exec(ctx, sql); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, want %s", sql, err, code)
		}
	}
	cancel := fmt.Sprintf("CANCEL %d", b.PID)
	refused(alice, cancel, "42501")
	refused(boss, "CANCEL 2147483647", "42704")
	refused(boss, "CANCEL", "42601")
	refused(boss, "CANCEL bob", "42601")
	if tag, err := boss.Exec(ctx, cancel); err != nil || tag.String() != "CANCEL" {
		t.Errorf("%s: %v", tag, err)
	}
	var e *pgconn.PgError
	if err := <-ended; !errors.As(err, &e) || e.Code != "57014" {
		t.Errorf("the statement ended with %v", err)
	}
}
