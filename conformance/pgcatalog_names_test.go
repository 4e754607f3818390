package conformance

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// namesDiffer are parts of what is asked that is answered otherwise, with the reason.
var namesDiffer = map[string]string{
	"'lower'::": "there is one function of the name here: ranges have the other", "'||/(none,float8)'::regprocedure": "PostgreSQL 15 lets the parser's 42601 out",
	"'||/(none,float8)'::text::regprocedure": "as before",
}

// TestNamesAgainstPostgres reads texts as the types that name objects, and calls format_type.
func TestNamesAgainstPostgres(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	db, err := saltsql.Open(ctx, mem.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ours := asker(t, db)
	asked := []string{"format_type(23, -1)", "format_type(1043, 14)", "format_type(1042, -1)", "format_type(1007, null)", "format_type(0, 0)", "format_type(99999, 0)"}
	for _, ty := range []string{"regproc", "regprocedure", "regoper", "regoperator", "regnamespace", "regrole", "regcollation"} {
		for _, in := range []string{"", " ", "-", "0", "64", "2024", " 1 ", "1x", "+1", "-1", "4294967295", "4294967296", "99999999999999999999", "0x10", ".", "1.", ".a", "a.", "a..b", "a.b", "a.b.c", "a b", "\"", "\"\"", "\"a",
			"{1,2", "nosuch", "nosuch()", "nosuch(int4)", "nosuch(nosuch)", "now", "NOW", "\"NOW\"", " now ", "now()", "now(", "now)", "now( )", "pg_catalog.now", "pg_catalog.now()", "public.now", "lower", "lower(text)",
			"int4pl", "int4pl(int4,int4)", "int4pl(integer, integer)", "int4pl(int4)", "int4pl(int4,", "+", "+(int4,int4)", "||/", "||/(none,float8)", "||/(float8)", "pg_catalog.||/", "=(int4,nosuch)",
			"pg_catalog", "PG_CATALOG", "public", "pg_catalog.x", "\"é\"", "C", "\"C\"", "\"default\"", "default", "pg_catalog.\"C\""} {
			asked = append(asked, "'"+in+"'::"+ty, "'"+in+"'::text::"+ty)
		}
	}
	for _, x := range asked {
		if slices.ContainsFunc(slices.Collect(maps.Keys(namesDiffer)), func(part string) bool { return strings.HasPrefix(x, part) }) {
			continue
		}
		if want, got := codeOr(text(conn, x)), codeOr(first(ours("SELECT "+x))); got != want {
			t.Errorf("%s: %q, PostgreSQL has %q", x, got, want)
		}
	}
}

func text(conn *pgx.Conn, x string) (string, error) {
	res, err := conn.PgConn().Exec(context.Background(), "SELECT "+x).ReadAll()
	if err != nil {
		return "", err
	}
	return string(res[0].Rows[0][0]), nil
}

func first(rows [][]string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return rows[0][0], nil
}

// codeOr is the SQLSTATE of an error where there is one.
func codeOr(s string, err error) string {
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return "ERROR " + pe.Code
	case err != nil:
		return "ERROR " + sqlerr.CodeOf(err).String()
	}
	return strings.TrimSpace(s)
}
