package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// statements splits a file at its semicolons, by Postgres's lexical rules.
func statements(t *testing.T, text string) []string {
	var toks lex.Tokens
	if err := toks.Read(text); err != nil {
		t.Fatalf("lexing: %v", err)
	}
	var out []string
	start := -1
	depth := 0
	for _, tok := range toks.Toks {
		switch tok.Kind {
		case lex.LParen:
			depth++
		case lex.RParen:
			depth--
		}
		switch { // BEGIN ATOMIC … END
		case tok.Keyword == lex.KAtomic, tok.Keyword == lex.KCase:
			depth++
		case tok.Keyword == lex.KEnd && depth > 0:
			depth--
		}
		if tok.Kind == lex.EOF || tok.Kind == lex.Semicolon && depth == 0 {
			if start >= 0 {
				out = append(out, text[start:tok.Start])
			}
			start = -1
			continue
		}
		if start < 0 {
			start = int(tok.Start)
		}
	}
	return out
}

// check compares one statement's meaning with PostgreSQL's. It tells what it
// did: equal, utility, rejected by both, refused by us.
func check(sql string) (verdict, detail string) {
	want, pgErr := pgTree(sql)
	stmts, err := dialect.Parse(sql)
	switch {
	case pgErr != nil && err != nil:
		return "rejected", ""
	case pgErr != nil:
		return "accepted too much", pgErr.Error()
	case err != nil:
		if sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported {
			return "unsupported", err.Error()
		}
		return "refused", err.Error()
	}
	if len(stmts) != 1 {
		return "utility", ""
	}
	if inner := nested(stmts[0].Utility); inner != nil {
		if v, d := check(inner.Text); v != "equal" && v != "utility" {
			return v, d
		}
	}
	if stmts[0].DML == nil {
		return "utility", ""
	}
	printed := print(stmts[0])
	got, err := pgTree(printed)
	if err != nil {
		return "unprintable", err.Error() + "\n  " + printed
	}
	if d := diff("", want, got); d != "" {
		return "different", d + "\n  " + printed
	}
	return "equal", ""
}

// nested gives the statement inside a utility.
func nested(u tree.Utility) *tree.Statement {
	switch x := u.(type) {
	case *tree.CreateView:
		return x.Query
	case *tree.CreateTableAs:
		return x.Query
	case *tree.Explain:
		return x.Stmt
	case *tree.Prepare:
		return x.Stmt
	case *tree.DeclareCursor:
		return x.Query
	case *tree.Copy:
		return x.Query
	}
	return nil
}

func run(t *testing.T, name, text string, allowed map[string]bool) {
	counts := map[string]int{}
	for _, sql := range statements(t, text) {
		verdict, detail := check(sql)
		counts[verdict]++
		if !allowed[verdict] {
			t.Errorf("%s: %s: %s\n  %s", name, verdict, detail, sql)
		}
	}
	t.Logf("%s: %v", name, counts)
}

// TestCorpus checks the statements of testdata and of the front's own corpus:
// all that PostgreSQL accepts must mean the same.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.sql")
	more, _ := filepath.Glob("../testdata/corpus/pg_*.sql")
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		run(t, filepath.Base(f), string(text), map[string]bool{"equal": true, "utility": true})
	}
}

// TestExtra checks the .sql files of the directory SALTSQL_ORACLE_SQL, which
// are not part of the project; what we do not support is only counted.
func TestExtra(t *testing.T) {
	dir := os.Getenv("SALTSQL_ORACLE_SQL")
	if dir == "" {
		t.Skip("SALTSQL_ORACLE_SQL is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.sql"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		run(t, strings.TrimSuffix(filepath.Base(f), ".sql"), string(text),
			map[string]bool{"equal": true, "utility": true, "rejected": true, "unsupported": true})
	}
}

// TestRefused: what PostgreSQL does not take, and was once taken here.
func TestRefused(t *testing.T) {
	for _, sql := range []string{
		"select a between b is not distinct from c is not distinct from d and e",
		"select a not between symmetric b is distinct from 0 is distinct from x.y and true",
		"select a between b is distinct from c is document and true",
		"select a between b is distinct from c + 1 is distinct from 3 and true",
		"select position(a is distinct from b is distinct from c in d)",
		"create table t (a int default 1 is distinct from 2 is distinct from 3)",
	} {
		if verdict, detail := check(sql); verdict != "rejected" {
			t.Errorf("%s: %s\n  %s", verdict, detail, sql)
		}
	}
}
