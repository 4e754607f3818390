package settings

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestUnits tells what is wrong with a time or a size as PostgreSQL does.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		check                func(name, value string) (string, error)
		value, want, message string
		hint                 bool
	}{
		{duration, "90s", "90s", "", false},
		{duration, "120000", "2min", "", false},
		{duration, "-5", "", `-5 ms is outside the valid range for parameter "p" (0 .. 2147483647)`, false},
		{duration, "soon", "", `invalid value for parameter "p": "soon"`, false},
		{duration, "1 week", "", `invalid value for parameter "p": "1 week"`, true},
		{bytesSize, "1MB", "1MB", "", false},
		{bytesSize, "1", "", `1 kB is outside the valid range for parameter "p" (64 .. 2147483647)`, false},
		{bytesSize, "abc", "", `invalid value for parameter "p": "abc"`, false},
		{bytesSize, "1XB", "", `invalid value for parameter "p": "1XB"`, true},
	} {
		got, err := c.check("p", c.value)
		message, hint := "", false
		if e := sqlerr.As(err); e != nil {
			message, hint = e.Message, e.Hint != ""
		}
		if got != c.want || message != c.message || hint != c.hint {
			t.Errorf("%q: %q, %q, hint %v", c.value, got, message, hint)
		}
	}
}
