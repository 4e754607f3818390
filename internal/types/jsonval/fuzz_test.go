package jsonval

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// FuzzParse reads any text: what is refused has an SQLSTATE, and what is read prints as a text
// that reads as an equal value and prints the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"b": [1, 2.50, -0, 1e3], "a": {"é": "\ud83d\ude00"}, "b": null}`, `"\u0000"`, `[[[`, `1e131072`, ` true `, `{"a":1,}`, "\"\n\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse(s)
		if err == nil && Validate(s) != nil {
			t.Fatalf("%q is read, and not valid", s)
		}
		if err != nil {
			if sqlerr.As(err) == nil {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		text := string(v.Append(nil))
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", s, text, err)
		}
		if string(again.Append(nil)) != text || Compare(v, again) != 0 || !Contains(v, again) {
			t.Fatalf("%q prints as %q, and that as %q", s, text, again.Append(nil))
		}
	})
}

// TestDepth: nesting is bounded where it is read, and not before.
func TestDepth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		closing := map[string]string{"[": "]"}[open]
		if closing == "" {
			closing = "}"
		}
		for _, depth := range []int{maxDepth, maxDepth + 1, 1 << 20} {
			s := strings.Repeat(open, depth) + "1" + strings.Repeat(closing, depth)
			_, err := Parse(s)
			if depth <= maxDepth && err != nil {
				t.Errorf("%d of %q: %v", depth, open, err)
			}
			if depth > maxDepth {
				if e := sqlerr.As(err); e == nil || e.Code != sqlerr.StatementTooComplex {
					t.Errorf("%d of %q: %v", depth, open, err)
				}
			}
		}
	}
}

// TestObjects: members come in jsonb's order, the last of a name wins, and are found.
func TestObjects(t *testing.T) {
	v, err := Parse(`{"bb": 1, "a": 2, "c": {"x": [10, 20]}, "a": 3}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(v.Append(nil)), `{"a": 3, "c": {"x": [10, 20]}, "bb": 1}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if v.Field("d") != nil || v.Field("a") == nil || string(v.Field("a").Append(nil)) != "3" {
		t.Error("members are not found")
	}
	x := v.Field("c").Field("x")
	for i, want := range map[int]string{0: "10", 1: "20", -1: "20", -2: "10", 2: "", -3: ""} {
		got := ""
		if e := x.Index(i); e != nil {
			got = string(e.Append(nil))
		}
		if got != want {
			t.Errorf("element %d is %q, want %q", i, got, want)
		}
	}
	source, err := ParseOrdered(`{"b":1.50 ,"a":[ 1 ],"b":2}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(source.Keys, " "); got != "b a b" {
		t.Errorf("members in the order of the text: %s", got)
	}
	if got := source.Elems[0].Source; got != "1.50" {
		t.Errorf("kept as it was written: %q", got)
	}
}
