package cursor

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestPositions fails at each token of random texts: the error names the token as it is
// written, and its position counts characters, from 1, whatever stands before it.
func TestPositions(t *testing.T) {
	pieces := []string{"select", "ж", `"ä€"`, "'😀'", "1.5", "(", ")", ",", "::", "$1", "/* ж */", "-- 😀\n", "\t", "a$b"}
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		var b strings.Builder
		for range 1 + r.IntN(200) {
			b.WriteString(pieces[r.IntN(len(pieces))] + " ")
		}
		text := b.String()
		var p Cursor
		if err := p.Read(text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for i := range p.Tokens {
			tok := p.Tokens[i]
			var err error
			func() {
				defer Catch(&err)
				p.SyntaxErrorAt(i)
			}()
			e := sqlerr.As(err)
			if e == nil || e.Code != sqlerr.SyntaxError {
				t.Fatalf("%q, token %d: %v", text, i, err)
			}
			if want := utf8.RuneCountInString(text[:tok.Start]) + 1; e.Position != want {
				t.Fatalf("%q, token %d: position %d, want %d", text, i, e.Position, want)
			}
			if tok.Kind != lex.EOF && e.Message != `syntax error at or near "`+text[tok.Start:tok.End]+`"` {
				t.Fatalf("%q, token %d: %s", text, i, e.Message)
			}
		}
	}
}

// TestCatch lets through what is no error of a text.
func TestCatch(t *testing.T) {
	other := errors.New("other")
	defer func() {
		if got := recover(); got != other {
			t.Errorf("recovered %v", got)
		}
	}()
	var err error
	defer Catch(&err)
	panic(other)
}

// TestEnd stays at the last token, however often it is asked for the next.
func TestEnd(t *testing.T) {
	var p Cursor
	if err := p.Read("a b"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		p.Next()
	}
	if p.Kind() != lex.EOF || p.Peek(9).Kind != lex.EOF || p.Here() != 4 {
		t.Errorf("kind %v at %d", p.Kind(), p.Here())
	}
	if p.Accept2(lex.KFrom, lex.KFrom) || p.AcceptWord("b") || p.AcceptKind(lex.Comma) {
		t.Error("something was taken at the end")
	}
}
