package jsonpath

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestDepth holds that nesting of every kind is bounded, and that what is within the bound
// prints and reads back.
func TestDepth(t *testing.T) {
	for name, of := range map[string]func(n int) string{
		"parentheses": func(n int) string { return strings.Repeat("(", n) + "$" + strings.Repeat(")", n) },
		"steps":       func(n int) string { return "$" + strings.Repeat(".a", n) },
		"sums":        func(n int) string { return "$" + strings.Repeat(" + $", n) },
		"signs":       func(n int) string { return strings.Repeat("-", n) + "$" },
		"subscripts":  func(n int) string { return strings.Repeat("$[", n) + "0" + strings.Repeat("]", n) },
		"filters":     func(n int) string { return "$" + strings.Repeat("?(exists(@", n) + strings.Repeat("))", n) },
		"nots":        func(n int) string { return strings.Repeat("!(", n) + "1 == 1" + strings.Repeat(")", n) },
		"ors":         func(n int) string { return "1 == 1" + strings.Repeat(" || 1 == 1", n) },
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(of(1000))
			if err != nil {
				t.Fatal(err)
			}
			kept := p.AppendStored(nil)
			back, err := Parse(string(kept))
			if err != nil || string(back.AppendStored(nil)) != string(kept) {
				t.Errorf("read back: %v", err)
			}
			if _, err := Parse(of(1000000)); sqlerr.CodeOf(err) != sqlerr.StatementTooComplex {
				t.Errorf("a million levels: %v", err)
			}
		})
	}
}

// FuzzParse holds that every text is a path, which reads back from what is kept of it, or an
// error with a SQLSTATE that is not the internal one.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "$", "strict $.a[*] ? (@.b > 1 && !exists(@.c))", `lax $.**{1 to last}."k"`, `$x like_regex "^a" flag "i"`,
		`-(1 + 2).abs() * $["a" to last]`, `"\u00e4\x41\ud83d\ude00"`, `(($ > 1) is unknown).type()`, `$.datetime("yyyy-mm-dd")`, `$.a/**/.b`, "1e5ab", "00", "1.e", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
			t.Skip("no text")
		}
		p, err := Parse(s)
		if err != nil {
			if e := sqlerr.As(err); e == nil || e.Code == sqlerr.InternalError {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		kept := string(p.AppendStored(nil))
		back, err := Parse(kept)
		if err != nil {
			t.Fatalf("%q kept as %q: %v", s, kept, err)
		}
		if again := string(back.AppendStored(nil)); again != kept {
			t.Fatalf("%q kept as %q, then as %q", s, kept, again)
		}
		if a, b := string(p.Append(nil)), string(back.Append(nil)); a != b {
			t.Fatalf("%q prints as %q, from %q as %q", s, a, kept, b)
		}
	})
}
