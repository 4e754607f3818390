package lex

import (
	"strings"
	"testing"
)

func TestIndex(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("x", 1024), strings.Repeat("x", 5000), strings.Repeat("aä€😀", 700)} {
		x := NewIndex(text)
		for at := range text {
			if got, want := x.Position(text, at), Position(text, at); got != want {
				t.Fatalf("offset %d of %d bytes: %d, want %d", at, len(text), got, want)
			}
		}
		if got, want := x.Position(text, len(text)+9), Position(text, len(text)); got != want {
			t.Errorf("over the end: %d, want %d", got, want)
		}
	}
}
