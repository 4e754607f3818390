package pgcatalog

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestSplitName reads names of one to four parts, quoted and not, and what is none.
func TestSplitName(t *testing.T) {
	for text, want := range map[string][]string{
		"t": {"t"}, " T ": {"t"}, `"T"`: {"T"}, `"a""b"`: {`a"b`}, `""`: {""}, "s . t": {"s", "t"}, `S."T.u"`: {"s", "T.u"},
		"db.s.t": {"s", "t"}, `"db".s.t`: {"s", "t"},
	} {
		if got, err := SplitName(text, "db"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]sqlerr.Code{
		"": sqlerr.InvalidName, ".": sqlerr.InvalidName, "a.": sqlerr.InvalidName, ".a": sqlerr.InvalidName, `"a`: sqlerr.InvalidName,
		"a b": sqlerr.InvalidName, `"a"b`: sqlerr.InvalidName, `a"b"`: sqlerr.InvalidName,
		"other.s.t": sqlerr.FeatureNotSupported, "a.b.c.d": sqlerr.SyntaxError,
	} {
		if got, err := SplitName(text, "db"); sqlerr.CodeOf(err) != want {
			t.Errorf("%s: %q, %v; want %v", text, got, err, want)
		}
	}
}
