package goapi_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestCopyFromSharesNothing loads while the statement's goroutine does all that it may of
// the session: defaults that draw, read and change settings, checks, a limit on rows. The
// race detector looks on.
func TestCopyFromSharesNothing(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := session.Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{Settings: map[string]string{"statement_timeout": "1min", "saltsql.max_scan_rows": "100000"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{
		"CREATE SEQUENCE q",
		`CREATE TABLE t (a INT PRIMARY KEY, ts TIMESTAMPTZ, n BIGINT DEFAULT nextval('q'),
			z TEXT DEFAULT current_setting('timezone'), w TEXT DEFAULT set_config('datestyle', 'ISO, MDY', false),
			c TEXT DEFAULT current_schemas(false)::text, CHECK (ts > '2000-01-01'))`,
	} {
		if _, err := goapi.Exec(ctx, s, text); err != nil {
			t.Fatal(text, err)
		}
	}
	const rows = 20_000
	r, w := io.Pipe()
	go func() {
		for i := range rows {
			fmt.Fprintf(w, "%d\t2024-01-01 00:00:00\n", i)
		}
		w.Close()
	}()
	n, err := goapi.CopyFrom(ctx, s, "COPY t (a, ts) FROM STDIN", r)
	if n != rows || err != nil {
		t.Fatal(n, err)
	}
	// An early end, and a table that refuses.
	for _, data := range []string{"x\ty\n", "1\t2024-01-01 00:00:00\n", "900000\t1999-01-01 00:00:00\n"} {
		if _, err := goapi.CopyFrom(ctx, s, "COPY t (a, ts) FROM STDIN", strings.NewReader(data)); err == nil {
			t.Errorf("%q was taken", data)
		}
	}
}
