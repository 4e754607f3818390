package ident

import "testing"

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "a1_": "a1_", "_": "_",
		"": `""`, "A": `"A"`, "1a": `"1a"`, "a$": `"a$"`, "a b": `"a b"`, `a"b`: `"a""b"`, "ä": `"ä"`,
		"order": `"order"`, "user": `"user"`, "int": `"int"`, "left": `"left"`, // of each class of key words
		"abort": "abort", "ORDER": `"ORDER"`,
	} {
		if got := Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
		if got := string(Append([]byte("x."), []byte(name))); got != "x."+want {
			t.Errorf("Append(%q) = %s", name, got)
		}
	}
}
