package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// twins opens pairs of sessions, one here and one in a PostgreSQL, that are to
// answer alike.
type twins struct {
	host string
	port int
	dsn  string
}

// twin is such a pair.
type twin struct{ ours, theirs *pgconn.PgConn }

func newTwins(t testing.TB, db *saltsql.DB) *twins {
	w := &twins{dsn: pgtest.Start(t)}
	w.host, w.port = harness.Serve(t, db)
	return w
}

// session opens a pair and runs setup in both.
func (w *twins) session(t testing.TB, setup ...string) twin {
	t.Helper()
	ctx := context.Background()
	theirs, err := pgx.Connect(ctx, w.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close(ctx) })
	p := twin{ours: harness.Connect(t, w.host, w.port).PgConn(), theirs: theirs.PgConn()}
	for _, sql := range setup {
		p.same(t, sql)
	}
	return p
}

// same runs a text in both and compares types, values and SQLSTATE.
func (p twin) same(t testing.TB, sql string) {
	t.Helper()
	if ours, theirs := answer(p.ours, sql), answer(p.theirs, sql); ours != theirs {
		t.Errorf("%s\n  here     %s\n  postgres %s", sql, ours, theirs)
	}
}

// answer is what a session gives for a text, as one line.
func answer(c *pgconn.PgConn, sql string) string {
	results, err := c.Exec(context.Background(), sql).ReadAll()
	var b strings.Builder
	for _, r := range results {
		if r.Err != nil {
			continue
		}
		if len(r.FieldDescriptions) == 0 {
			b.WriteString(r.CommandTag.String() + "; ")
		}
		for _, row := range r.Rows {
			for i, v := range row {
				text := "NULL"
				if v != nil {
					text = string(v)
				}
				fmt.Fprintf(&b, "%s:%d ", text, r.FieldDescriptions[i].DataTypeOID)
			}
			b.WriteString("; ")
		}
	}
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		b.WriteString("ERROR " + pe.Code)
	case err != nil:
		b.WriteString("ERROR " + err.Error())
	}
	return b.String()
}
