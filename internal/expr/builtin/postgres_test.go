package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// TestAgainstPostgres evaluates the expressions of testdata/*.sql, one to a
// line, here and in a PostgreSQL server and compares type, text, SQLSTATE and
// message.
func TestAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	dsn := pgtest.Start(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SET timezone = 'America/New_York'"); err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	env := &expr.Env{TimeZone: zone, Ctx: ctx, User: "postgres", SessionUser: "postgres", Database: "postgres", SearchPath: []string{"public"}}
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".sql"), func(t *testing.T) {
			for _, line := range strings.Split(string(text), "\n") {
				line = strings.TrimSpace(line)
				if line == "" || strings.HasPrefix(line, "--") {
					continue
				}
				want := inPostgres(ctx, conn, line)
				if got := here(env, line); got != want {
					t.Errorf("%s\n  here     %s\n  postgres %s", line, got, want)
					continue
				}
				if !strings.HasPrefix(want, "ERROR") {
					compareBinary(ctx, t, conn, env, line)
				}
			}
		})
	}
}

// here evaluates with and without folding, which must agree.
func here(env *expr.Env, text string) string {
	e, err := exprtest.Parse(text, nil)
	if err != nil {
		return failure(err)
	}
	run := func(e expr.Expr) string {
		d, err := eval.EvalConst(env, e)
		if err != nil {
			return failure(err)
		}
		typ := e.Type().Base().String()
		if d.Null {
			return typ + " NULL"
		}
		return typ + " " + types.Format(e.Type(), d, env.TextIO())
	}
	plain, folded := run(e), run(eval.Fold(env, e))
	if plain != folded {
		return "folded: " + folded + " not folded: " + plain
	}
	return plain
}

func failure(err error) string {
	if e := sqlerr.As(err); e != nil {
		return errorText(e.Code.String(), e.Message, e.Detail, e.Hint, e.Position)
	}
	return "ERROR " + err.Error()
}

func errorText(code, message, detail, hint string, pos int) string {
	s := "ERROR " + code + " " + message
	if detail != "" {
		s += " DETAIL " + detail
	}
	if hint != "" {
		s += " HINT " + hint
	}
	if pos > 0 {
		s += fmt.Sprintf(" at %d", pos)
	}
	return s
}

func inPostgres(ctx context.Context, conn *pgx.Conn, text string) string {
	rr := conn.PgConn().Exec(ctx, "SELECT "+text)
	res, err := rr.ReadAll()
	if err != nil {
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			return errorText(pe.Code, pe.Message, pe.Detail, pe.Hint, max(0, int(pe.Position)-len("SELECT ")))
		}
		return "ERROR " + err.Error()
	}
	typ := "?"
	if t, ok := types.FromOID(res[0].FieldDescriptions[0].DataTypeOID, -1); ok {
		typ = t.String()
	}
	if res[0].Rows[0][0] == nil {
		return typ + " NULL"
	}
	return typ + " " + string(res[0].Rows[0][0])
}

// compareBinary compares the binary format and reads it back.
func compareBinary(ctx context.Context, t *testing.T, conn *pgx.Conn, env *expr.Env, text string) {
	t.Helper()
	e, err := exprtest.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := eval.EvalConst(env, e)
	if err != nil || d.Null {
		return
	}
	res := conn.PgConn().ExecParams(ctx, "SELECT "+text, nil, nil, nil, []int16{1}).Read()
	if res.Err != nil {
		t.Errorf("%s: %v", text, res.Err)
		return
	}
	want := res.Rows[0][0]
	got, err := types.AppendBinary(nil, e.Type(), d, env.TextIO())
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if !expr.Volatile(e) && !bytes.Equal(got, want) {
		t.Errorf("%s: binary\n  here     %x\n  postgres %x", text, got, want)
		return
	}
	back, err := types.ParseBinary(e.Type(), want, env.TextIO())
	if err != nil {
		t.Errorf("%s: reading %x: %v", text, want, err)
		return
	}
	if !expr.Volatile(e) && types.Format(e.Type(), back, env.TextIO()) != types.Format(e.Type(), d, env.TextIO()) {
		t.Errorf("%s: binary %x reads as %s", text, want, types.Format(e.Type(), back, env.TextIO()))
	}
}
