package conformance

import (
	"context"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/utility"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nothing is a token that no statement goes on with, so that a parser says how far it would have
// read: its error is there, or at the first word that it does not take.
const nothing = "]"

// TestStatementsOfPostgres holds that PostgreSQL has each kind of statement that is refused.
func TestStatementsOfPostgres(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pg, err := pgconn.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(ctx)
	// taken says that PostgreSQL takes all words of the text.
	taken := func(text string) bool {
		_, err := pg.Exec(ctx, text+" "+nothing).ReadAll()
		e, ok := err.(*pgconn.PgError)
		if !ok || e.Code != sqlerr.SyntaxError.String() {
			t.Fatalf("%s: %v", text, err)
		}
		return int(e.Position) > len(text)
	}
	for commands := range utility.Refused() {
		for _, command := range commands {
			if command == "ALTER INDEX ... ON" {
				continue // Phoenix's
			}
			if !taken(strings.ReplaceAll(command, "...", "c")) {
				t.Errorf("PostgreSQL has no %s", command)
			}
		}
	}
}

// TestEveryStatementIsRun runs the statements of the parser's own tests: somebody runs each of
// them, or refuses it and says what to do.
func TestEveryStatementIsRun(t *testing.T) {
	kinds := map[string]bool{}
	eachSource(t, func(file string, _ *token.FileSet, f *ast.File) {
		if path.Dir(file) != "internal/dialect/tree" {
			return
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "Tag" {
				kinds[m.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = false
			}
		}
	})
	if len(kinds) < 50 {
		t.Fatalf("%d kinds only", len(kinds))
	}
	ctx := context.Background()
	db := openObserved(t, "mem", nil, nil)
	run := func(sql string) {
		stmts, err := dialect.Parse(sql)
		if err != nil || len(stmts) != 1 || stmts[0].Utility == nil {
			return
		}
		kind := typeName(stmts[0].Utility)
		s, err := db.NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, err = s.Exec(ctx, sql)
		e := sqlerr.As(err)
		switch {
		case err == nil:
		case e == nil, e.Code == sqlerr.InternalError:
			t.Errorf("%s: %v", sql, err)
		case kind == "Unsupported" && (e.Code != sqlerr.FeatureNotSupported || e.Hint == ""):
			t.Errorf("%s: %v, hint %q", sql, err, e.Hint)
		}
		kinds[kind] = true
	}
	files, err := filepath.Glob("../internal/dialect/testdata/golden/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split("\n"+string(text), "\nparse\n")[1:] {
			input, _, _ := strings.Cut(c, "\n----\n")
			stmts, err := dialect.Parse(input)
			for _, st := range stmts {
				if err == nil {
					run(st.Text)
				}
			}
		}
	}
	n := 0
	for _, seen := range kinds {
		if seen {
			n++
		}
	}
	if n < 40 {
		t.Errorf("%d kinds of statements only", n)
	}
}

// typeName is the name of the type that a pointer is to.
func typeName(v any) string {
	return reflect.TypeOf(v).Elem().Name()
}
