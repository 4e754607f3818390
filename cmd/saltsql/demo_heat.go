package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/storage/mem"
)

// The demo ends with heat maps of one log in tables that differ in their salt. The rows are written
// and counted; only the clock is the demo's own, which goes on a minute with each load, so that an
// hour is drawn in a second.

// demoLogs are the tables.
var demoLogs = []struct{ title, table, ddl string }{
	{"A log without salt: at any time all that is written goes to one place, the end of the table. A row is a range of keys.", "unsalted",
		`CREATE TABLE unsalted (ts timestamptz, tenant text, n int, PRIMARY KEY (ts, tenant, n))`},
	{"The same log, salted by its whole key: each bucket gets as much as any other.", "salted",
		`CREATE TABLE salted (ts timestamptz, tenant text, n int, PRIMARY KEY (ts, tenant, n)) SALT_BUCKETS = 8`},
	{"The same log, salted by tenant: when one tenant gets busy, so does its bucket, and the remark says so.", "by_tenant",
		`CREATE TABLE by_tenant (ts timestamptz, tenant text, n int, PRIMARY KEY (ts, tenant, n)) SALT_BUCKETS = 8, SALT_COLUMNS = (tenant)`},
}

// demoMinutes is how long the log is written.
const demoMinutes = 60

// drawLogs prints the maps.
func drawLogs(ctx context.Context, log *slog.Logger, out io.Writer) error {
	return withLogs(ctx, log, func(s *saltsql.Session) error {
		for _, l := range demoLogs {
			sql := "SELECT saltsql.draw_heatmap('" + l.table + "')"
			fmt.Fprintf(out, "\n-- %s\n%s;\n\n", l.title, sql)
			if err := printLines(ctx, s, out, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// withLogs writes the log into each table, and has them looked at.
func withLogs(ctx context.Context, log *slog.Logger, look func(*saltsql.Session) error) error {
	store := mem.New()
	defer store.Close()
	var clock atomic.Int64 // seconds
	clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Unix())
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log, Now: func() time.Time { return time.Unix(clock.Load(), 0) }})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.NewSession(saltsql.SessionOptions{ApplicationName: "saltsql demo"})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, l := range demoLogs {
		if _, err := s.Exec(ctx, l.ddl); err != nil {
			return err
		}
	}
	for minute := range demoMinutes {
		rows := 300 + 5*minute
		busy := max(0, minute-demoMinutes/2) // of 60 rows that many are acme's
		for _, l := range demoLogs {
			_, err := s.Exec(ctx, fmt.Sprintf(`INSERT INTO %s SELECT now(), CASE WHEN g %% 60 < %d THEN 'acme' ELSE 'tenant ' || g %% 97 END, g FROM generate_series(1, %d) g`,
				l.table, busy, rows))
			if err != nil {
				return err
			}
		}
		clock.Add(60)
		// Who asks for minutes ends the one that is over.
		if _, err := s.Exec(ctx, "SELECT count(*) FROM saltsql.heatmap"); err != nil {
			return err
		}
	}
	clock.Add(-1) // the last minute of the log is the last column
	return look(s)
}
