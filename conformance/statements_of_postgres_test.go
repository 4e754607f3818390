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

// TestStatementsOfPostgres walks PostgreSQL's grammar by its key words: each sequence of them
// that begins a statement there begins one here, which is read or refused by a sentence of its own;
// and what is refused, PostgreSQL has.
func TestStatementsOfPostgres(t *testing.T) {
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
			if !taken(command) {
				t.Errorf("PostgreSQL has no %s", command)
			}
		}
	}
	list, err := pg.Exec(ctx, "SELECT upper(word) FROM pg_get_keywords()").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, row := range list[0].Rows {
		words = append(words, string(row[0]))
	}
	asked := 0
	var walk func(begin string, depth int)
	walk = func(begin string, depth int) {
		var next []string
		for _, w := range words {
			asked++
			text := strings.TrimSpace(begin + " " + w)
			if !taken(text) {
				continue
			}
			next = append(next, text)
			if _, err := dialect.Parse(text + " " + nothing); sqlerr.CodeOf(err) == sqlerr.SyntaxError && sqlerr.As(err).Position <= len(text) {
				t.Errorf("%s: %v at %d", text, err, sqlerr.As(err).Position)
			}
		}
		if depth == 0 || len(next) > len(words)/4 { // a name stands here
			return
		}
		for _, text := range next {
			walk(text, depth-1)
		}
	}
	for _, w := range words {
		switch text := w; w {
		case "SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE": // TestGolden has them
		case "CREATE", "ALTER", "DROP":
			walk(text, 2)
		default:
			if !taken(text) {
				continue
			}
			if _, err := dialect.Parse(text + " " + nothing); sqlerr.CodeOf(err) == sqlerr.SyntaxError && sqlerr.As(err).Position <= len(text) {
				t.Errorf("%s: %v", text, err)
				continue
			}
			walk(text, 1)
		}
	}
	t.Logf("%d sequences of words", asked)
}

// TestEveryStatementIsRun runs the statements of the parser's own tests: each kind of tree that
// the parser makes is among them, and somebody runs it, or refuses it and says what to do.
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
		case e == nil, e.Code == sqlerr.InternalError, e.Code == sqlerr.SyntaxError:
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
	for kind, seen := range kinds {
		if !seen {
			t.Errorf("no statement of the parser's tests is a %s", kind)
		}
	}
}

// typeName is the name of the type that a pointer is to.
func typeName(v any) string {
	return reflect.TypeOf(v).Elem().Name()
}
