package lex

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

var kindNames = [...]string{"", "ident", "qident", "string", "bits", "hex", "int", "number", "param", "op", "cast", "colonEq",
	"arrow", "dotDot", "(", ")", "[", "]", ",", ";", ":", ".", "other"}

func TestRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"select Foo, \"Bar\"\"x\"", "ident<select> ident<Foo> , qident<Bar\"x>"},
		{"a.b.*", "ident<a> . ident<b> . op<*>"},
		{"1 1. .5 1.5e-3 1e5 1..2", "int<1> number<1.> number<.5> number<1.5e-3> number<1e5> int<1> dotDot int<2>"},
		{"1_000 0xfF 0b101 0o17", "int<1000> int<255> int<5> int<15>"},
		{"$1 $22", "param<$1> param<$22>"},
		{"a::int b:=c d=>e f:g", "ident<a> cast ident<int> ident<b> colonEq ident<c> ident<d> arrow ident<e> ident<f> : ident<g>"},
		{"a<>b a!=b a<=b a@>b a->>b a||b", "ident<a> op<<>> ident<b> ident<a> op<!=> ident<b> ident<a> op<<=> ident<b> ident<a> op<@>> ident<b> ident<a> op<->>> ident<b> ident<a> op<||> ident<b>"},
		{"a=-1 a@-1 a<--b", "ident<a> op<=> op<-> int<1> ident<a> op<@-> int<1> ident<a> op<<>"},
		{"a+/* x */b */*y*/ c", "ident<a> op<+> ident<b> op<*> ident<c>"},
		{"'it''s' E'\\x41\\n' e'\\'' N'x'", "string<it's> string<A\n> string<'> string<x>"},
		{"'a'\n'b' 'c' 'd'", "string<ab> string<c> string<d>"},
		{"$$a'b$$ $x$ $$ $x$ a$b", "string<a'b> string< $$ > ident<a$b>"},
		{"U&'\\0041\\+000042' u&\"\\0043\" U&'!0044' UESCAPE '!'", "string<AB> qident<C> string<D>"},
		{"B'01' x'aF'", "bits<01> hex<aF>"},
		{"/* a /* b */ c */ d -- e\n f", "ident<d> ident<f>"},
		{"ж \"ж\" 'ж'", "ident<ж> qident<ж> string<ж>"},
		{"a\\b", "ident<a> other<\\> ident<b>"},
		{"uescape U&'x' uescapes", "ident<uescape> string<x> ident<uescapes>"},
	} {
		var toks Tokens
		if err := toks.Read(c.text); err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for _, tok := range toks.Toks[:len(toks.Toks)-1] {
			s := kindNames[tok.Kind]
			if tok.Kind <= Op || tok.Kind == Other {
				s += "<" + toks.Value(tok) + ">"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	var toks Tokens
	if err := toks.Read("( a [ b ] ( ) ) ] ("); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{7, -1, 4, -1, 2, 6, 5, 0, -1, -1} {
		if got := toks.Toks[i].Match; got != want {
			t.Errorf("token %d: %d, want %d", i, got, want)
		}
	}
}

func TestKeywords(t *testing.T) {
	var toks Tokens
	if err := toks.Read("SeLeCt current_timestamp current_timestampx abort left value \"select\""); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		k    Keyword
		cat  Category
		bare bool
	}{{KSelect, Reserved, true}, {KCurrentTimestamp, Reserved, true}, {0, NoKeyword, false}, {KAbort, Unreserved, true}, {KLeft, TypeFunc, true}, {KValue, Unreserved, true}, {0, NoKeyword, false}} {
		k := toks.Toks[i].Keyword
		if k != want.k || k.Category() != want.cat || k.Bare() != want.bare {
			t.Errorf("token %d: %v %v %v", i, k, k.Category(), k.Bare())
		}
	}
}

func TestPosition(t *testing.T) {
	if got := Position("жx", 2); got != 2 {
		t.Errorf("got %d", got)
	}
	if got := Position("жx", 100); got != 3 {
		t.Errorf("got %d", got)
	}
}

// FuzzRead holds what is true of any text: no panic, errors with a code, and
// tokens that cover the text in order.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"select 1", "E'\\u0041'", "U&'\\D83D\\DE00' UESCAPE '!'", "$a$b$a$", "/*+ x */ 0x1F 1_0 'a'\n'b'", "\"", "'", "/*", "a\xff"} {
		f.Add(s)
	}
	var toks Tokens
	f.Fuzz(func(t *testing.T, text string) {
		if err := toks.Read(text); err != nil {
			if e := sqlerr.As(err); e == nil || e.Code == sqlerr.InternalError {
				t.Fatalf("%v\n%q", err, text)
			}
			return
		}
		end := int32(0)
		for _, tok := range toks.Toks {
			if tok.Start < end || tok.End < tok.Start || int(tok.End) > len(text) {
				t.Fatalf("token %+v after %d\n%q", tok, end, text)
			}
			end = tok.End
			if v := toks.Value(tok); !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				t.Fatalf("value %q\n%q", v, text)
			}
		}
	})
}

// TestQuotedKeywords: what is written as a name is read as one.
func TestQuotedKeywords(t *testing.T) {
	for k := Keyword(1); k < numKeywords; k++ {
		if got := ident.Reserved(k.String()); got != (k.Category() != Unreserved) {
			t.Errorf("%s is quoted: %v", k, got)
		}
	}
}
