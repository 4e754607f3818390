package regex

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func must(t testing.TB, pattern string, f Flags) *Regex {
	t.Helper()
	re, err := Compile(pattern, f)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return re
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		flags         Flags
		want          bool
	}{
		{`^abc`, "abcd", 0, true},
		{`^abc`, "xabc", 0, false},
		{`^(pg_class)$`, "pg_class", 0, true},
		{`^(pg_class)$`, "pg_classes", 0, false},
		{`A.C`, "abc", IgnoreCase, true},
		{`b$`, "b\na", 0, false},
		{`b$`, "b\na", NewlineAnchor, true},
		{`a.b`, "a\nb", 0, true},
		{`a.b`, "a\nb", NewlineStop, false},
		{`\mé`, "à é", 0, true},
		{`\mé`, "àé", 0, false},
		{`a.b`, "axb", Literal, false},
	} {
		if got := must(t, c.pattern, c.flags).Match([]byte(c.text)); got != c.want {
			t.Errorf("%q ~ %q: %v", c.text, c.pattern, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		`(`:                           "2201B invalid regular expression: parentheses () not balanced",
		`[`:                           "2201B invalid regular expression: brackets [] not balanced",
		`a{2,1}`:                      "2201B invalid regular expression: invalid repetition count(s)",
		`a{1`:                         "2201B invalid regular expression: braces {} not balanced",
		`*`:                           "2201B invalid regular expression: quantifier operand invalid",
		`\q`:                          `2201B invalid regular expression: invalid escape \ sequence`,
		`[z-a]`:                       "2201B invalid regular expression: invalid character range",
		`[[:x:]]`:                     "2201B invalid regular expression: invalid character class",
		`(a)\1`:                       "0A000 back references in regular expressions are not supported",
		`(a\1)`:                       "2201B invalid regular expression: invalid backreference number",
		`a(?=b)`:                      "0A000 lookahead and lookbehind in regular expressions are not supported",
		`a(?!b)`:                      "0A000 lookahead and lookbehind in regular expressions are not supported",
		`(?<=b)a`:                     "0A000 lookahead and lookbehind in regular expressions are not supported",
		`(?<!b)a`:                     "0A000 lookahead and lookbehind in regular expressions are not supported",
		`(?b)a`:                       "0A000 basic (BRE) regular expressions are not supported",
		`(((a{255}){255}){255}){255}`: "2201B invalid regular expression: regular expression is too complex",
		`(((){255}){255}){255}`:       "2201B invalid regular expression: regular expression is too complex",
		strings.Repeat("(", 600):      "2201B invalid regular expression: regular expression is too complex",
	} {
		_, err := Compile(pattern, 0)
		if err == nil {
			t.Errorf("%q: no error", pattern)
			continue
		}
		if got := sqlerr.CodeOf(err).String() + " " + err.Error(); got != want {
			t.Errorf("%q: got %s, want %s", pattern, got, want)
		}
		if e := sqlerr.As(err); e.Code == sqlerr.FeatureNotSupported && e.Hint == "" {
			t.Errorf("%q: no hint", pattern)
		}
	}
	if _, _, err := ParseFlags("iz"); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
		t.Errorf("flags: %v", err)
	}
	if f, g, err := ParseFlags("gix"); f != IgnoreCase|Expanded || !g || err != nil {
		t.Errorf("flags: %v %v %v", f, g, err)
	}
}

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		pattern, prefix string
		exact           bool
		flags           Flags
	}{
		{`^abc`, "abc", false, 0},
		{`^abc$`, "abc", true, 0},
		{`^(abc)$`, "abc", true, 0},
		{`^abc.*`, "abc", false, 0},
		{`^abcd*`, "abc", false, 0},
		{`^abcd?`, "abc", false, 0},
		{`^ab{3}c`, "abbbc", false, 0},
		{`^a\.b[x]`, "a.bx", false, 0},
		{`\Aab\Z`, "ab", true, 0},
		{`abc`, "", false, 0},
		{`^a|b`, "", false, 0},
		{`^(a|b)`, "", false, 0},
		{`^a`, "", false, IgnoreCase},
		{`^-a`, "-", false, IgnoreCase},
		{`(?w)^abc`, "", false, 0},
		{`^$`, "", true, 0},
		{`^é$`, "é", true, 0},
		{`^a$b`, "a", false, 0},
		{`(`, "", false, 0},
	} {
		prefix, exact := Prefix(c.pattern, c.flags)
		if prefix != c.prefix || exact != c.exact {
			t.Errorf("%q: got %q %v", c.pattern, prefix, exact)
		}
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		pattern, text, repl string
		from, n             int
		want                string
	}{
		{`b*`, "abc", "-", 0, 0, "-a--c-"},
		{`b`, "abcb", "X", 0, 1, "aXcb"},
		{`b`, "abcb", "X", 0, 2, "abcX"},
		{`b`, "abcb", "X", 2, 1, "abcX"},
		{`(a)(b)?`, "ac", `\2\1\\\&\x\`, 0, 1, `a\a\x\c`},
		{`^a`, "aaa", "x", 0, 0, "xaa"},
		{`\ya`, "aa a", "x", 1, 0, "aa x"},
	} {
		got, _ := must(t, c.pattern, 0).AppendReplace(nil, []byte(c.text), []byte(c.repl), c.from, c.n, anyLength)
		if string(got) != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// TestWorstCases ends only if no pattern backtracks exponentially.
func TestWorstCases(t *testing.T) {
	text := []byte(strings.Repeat("a", 2000))
	for _, p := range []string{`(a+)+b`, `(a|a)*b`, `(a|aa)+$`, `((a*)*)*b`, `(x+x+)+y`, `(.*)(.*)(.*)b`} {
		if must(t, p, 0).Match(text) != strings.HasSuffix(p, "$") {
			t.Errorf("%q", p)
		}
	}
	must(t, `^((a|b|ab)*)(c?)$`, 0).Find(nil, text, 0)
	must(t, `((a|aa){2,}?)*`, 0).Find(nil, text[:300], 0)
	// More states than the table holds.
	wide := []byte(strings.Repeat("ab", 5000))
	if must(t, `(a|b)*a(a|b){14}x`, 0).Match(wide) {
		t.Error("matched")
	}
}

func TestConcurrent(t *testing.T) {
	re := must(t, `(\w+)@(\w+)\.com`, 0)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var loc []int
			for i := range 200 {
				s := fmt.Appendf(nil, "x user%d@host%d.com y", g, i)
				loc = re.Find(loc, s, 0)
				if got, want := string(s[loc[2]:loc[3]]), fmt.Sprintf("user%d", g); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if _, err := Compile(fmt.Sprintf("p%d", i*7+g), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(cache) > maxCached {
		t.Errorf("%d patterns cached", len(cache))
	}
}

func TestNoAllocation(t *testing.T) {
	re := must(t, `(\w+)@(\w+)\.com$`, 0)
	s := []byte("some text with user@example.com")
	loc := re.Find(nil, s, 0)
	if n := alloctest.PerRun(100, func() {
		re.Match(s)
		loc = re.Find(loc, s, 0)
		_, _ = Compile(`(\w+)@(\w+)\.com$`, 0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRegex(f *testing.F) {
	for i, p := range patterns {
		f.Add(p, texts[i%len(texts)], byte(i))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, flags byte) {
		if len(pattern) > 60 || len(text) > 60 {
			t.Skip()
		}
		Prefix(pattern, Flags(flags))
		_, _ = Similar(pattern, text)
		re, err := Compile(pattern, Flags(flags)&(1<<5-1))
		if err != nil {
			if sqlerr.As(err) == nil {
				t.Fatalf("%T", err)
			}
			return
		}
		s := []byte(text)
		loc := re.Find(nil, s, 0)
		if re.Match(s) != (loc != nil) {
			t.Fatal("Match and Find disagree")
		}
		for i := 0; i < len(loc); i += 2 {
			if loc[i] > loc[i+1] || loc[i] >= 0 && (loc[i] < loc[0] || loc[i+1] > loc[1]) {
				t.Fatalf("loc %v", loc)
			}
			if loc[i] >= 0 && utf8.ValidString(text) && !utf8.ValidString(text[loc[i]:loc[i+1]]) {
				t.Fatalf("loc %v splits a character", loc)
			}
		}
		re.AppendReplace(nil, s, []byte(`\1\&`), 0, 0, anyLength)
	})
}

func BenchmarkMatch(b *testing.B) {
	s := []byte(strings.Repeat("GET /index.html HTTP/1.1 ", 4) + "user@example.com tail")
	for _, p := range []string{`user`, `\w+@\w+\.com`, `^GET`, `(?i)EXAMPLE`, `HTTP/1\.[01] user`} {
		re := must(b, p, 0)
		b.Run(p, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				re.Match(s)
			}
		})
	}
	re := must(b, `(\w+)@(\w+)\.com`, 0)
	b.Run("find", func(b *testing.B) {
		var loc []int
		b.ReportAllocs()
		for b.Loop() {
			loc = re.Find(loc, s, 0)
		}
	})
}

func anyLength(int) error { return nil }

// TestUntil asserts that a search that has been told to end does, in the midst of one long
// text.
func TestUntil(t *testing.T) {
	done := make(chan struct{})
	close(done)
	s := bytes.Repeat([]byte("ab"), pollBytes)
	re := must(t, "(b|c)$", 0)
	if re.Find(nil, s, 0) == nil {
		t.Fatal("no match")
	}
	if re.Until(done).Find(nil, s, 0) != nil {
		t.Fatal("the search did not end")
	}
	if re.Find(nil, s, 0) == nil {
		t.Fatal("a search after one that ended finds nothing")
	}
}
