package jsonval

import (
	"bytes"
	"testing"
)

// FuzzFind finds in a text what is found in the tree made of it, and in any bytes nothing worse
// than nil.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		`{"b": [1, 2.50, -0, 1e3], "a": {"é": "\ud83d\ude00"}, "b": null}`, `"\u0061"`, `[[[`, ` { "a\nb" : [ ] , "" : { } } `,
		`[1, "]", {"a": "}"}, [[]], true,null]`, `{"a":1,}`, `{"\u0061": 1, "a": 2, "b\\": "\""}`, `x`, `{"a"`, `["`, `{"a": `, `{"a\`, ``,
	} {
		f.Add(s, "a", 1)
		f.Add(s, "b\\", -1)
	}
	f.Fuzz(func(t *testing.T, s, name string, n int) {
		member, element, has := FindMember([]byte(s), []byte(name), false), FindElement([]byte(s), n), HasKey([]byte(s), []byte(name))
		FindMember([]byte(s), []byte(name), true)
		text := TextOf([]byte(s))
		v, err := Parse(s)
		if err != nil {
			return
		}
		if v.Kind == String && s[0] == '"' && s[len(s)-1] == '"' && string(text) != v.Str {
			t.Fatalf("the text of %q is %q, not %q", s, text, v.Str)
		}
		if got := KindOf([]byte(s)); got != v.Kind {
			t.Fatalf("%q is of kind %d, not %d", s, got, v.Kind)
		}
		same := func(what string, got []byte, want *Value) {
			if (got == nil) != (want == nil) {
				t.Fatalf("%s of %q is %q, of the tree %v", what, s, got, want)
			}
			if got == nil {
				return
			}
			v, err := Parse(string(got))
			if err != nil || Compare(v, want) != 0 || len(bytes.TrimSpace(got)) != len(got) {
				t.Fatalf("%s of %q is %q, of the tree %s (%v)", what, s, got, want.Append(nil), err)
			}
		}
		same(name, member, v.Field(name))
		same("an element", element, v.Index(n))
		if v.Kind == Array && CountElements([]byte(s)) != len(v.Elems) {
			t.Fatalf("%q has %d elements, of the tree %d", s, CountElements([]byte(s)), len(v.Elems))
		}
		if v.Kind == Object && has != (v.Field(name) != nil) {
			t.Fatalf("%q has %q: %v", s, name, has)
		}
		// What is printed as jsonb has each name once, and its parts are printed as they stand there.
		printed := v.Append(nil)
		for i, key := range v.Keys {
			if got, want := FindMember(printed, []byte(key), true), v.Elems[i].Append(nil); !bytes.Equal(got, want) {
				t.Fatalf("%q of %q is %q, want %q", key, printed, got, want)
			}
		}
		for i, e := range v.Elems {
			if v.Kind == Array {
				if got, want := FindElement(printed, i), e.Append(nil); !bytes.Equal(got, want) {
					t.Fatalf("element %d of %q is %q, want %q", i, printed, got, want)
				}
			}
		}
	})
}

func BenchmarkFindMember(b *testing.B) {
	doc := []byte(`{"id": 17, "name": "a text of some length", "tags": ["red", "green", "blue"], "price": 12.50, "nested": {"ok": true, "none": null, "list": [1, 2, 3, 4, 5, 6, 7, 8]}}`)
	name := []byte("nested")
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if FindMember(doc, name, true) == nil {
			b.Fatal("not found")
		}
	}
}
