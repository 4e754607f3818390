package oracle

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pgquery "github.com/wasilibs/go-pgquery"
	"github.com/wasilibs/go-pgquery/parser"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestMutations changes the corpus token by token and compares who accepts
// what. Nothing PostgreSQL rejects may be accepted, but for the spellings of
// Phoenix and the statements that are not read to their end.
func TestMutations(t *testing.T) {
	s := first(t)
	r := rand.New(rand.NewPCG(s, 2))
	var stmts [][]string
	files, _ := filepath.Glob("testdata/*.sql")
	more, _ := filepath.Glob("../testdata/corpus/pg_*.sql")
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range statements(t, string(text)) {
			if w := words(sql); len(w) > 1 && len(w) < 150 {
				stmts = append(stmts, w)
			}
		}
	}
	var same, position, message, bad int
	for i := 0; i < *rounds*2; i++ {
		w := append([]string(nil), stmts[r.IntN(len(stmts))]...)
		at := r.IntN(len(w))
		switch r.IntN(5) {
		case 0:
			w = append(w[:at], w[at+1:]...)
		case 1:
			w = append(w[:at], append([]string{w[at]}, w[at:]...)...)
		case 2:
			b := r.IntN(len(w))
			w[at], w[b] = w[b], w[at]
		case 3:
			other := stmts[r.IntN(len(stmts))]
			w[at] = other[r.IntN(len(other))]
		case 4:
			w = w[:at+1]
		}
		sql := strings.Join(w, " ")
		_, pgErr := pgquery.ParseToJSON(sql)
		_, err := dialect.Parse(sql)
		switch {
		case pgErr == nil && err == nil:
			same++
		case pgErr != nil && err != nil:
			same++
			var p *parser.Error
			if errors.As(pgErr, &p) {
				e := sqlerr.As(err)
				if p.Cursorpos == e.Position {
					position++
				}
				if p.Message == e.Message {
					message++
				}
			}
		case pgErr != nil:
			bad++
			t.Logf("accepted too much: %v\n  %s", pgErr, sql)
		case sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported:
		default:
			bad++
			t.Logf("refused: %v\n  %s", err, sql)
		}
	}
	t.Logf("%d agree, of the errors %d with the same position, %d with the same words; %d differ", same, position, message, bad)
	if bad*100 > same {
		t.Errorf("more than one in a hundred differ")
	}
}

// words splits text at its tokens.
func words(sql string) []string {
	var toks lex.Tokens
	if err := toks.Read(sql); err != nil {
		return nil
	}
	var w []string
	for _, tok := range toks.Toks {
		if tok.End > tok.Start {
			w = append(w, toks.Raw(tok))
		}
	}
	return w
}
