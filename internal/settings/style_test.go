package settings

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func TestDateStyle(t *testing.T) {
	for _, c := range []struct{ now, value, want, detail string }{
		{"ISO, MDY", "german", "German, DMY", ""},
		{"ISO, MDY", "german, us", "German, MDY", ""},
		{"ISO, MDY", "YMD , German", "German, YMD", ""},
		{"SQL, DMY", "iso", "ISO, DMY", ""},
		{"SQL, DMY", "noneuropean", "SQL, MDY", ""},
		{"SQL, DMY", "default", "ISO, MDY", ""},
		{"SQL, DMY", "german, default", "German, MDY", ""},
		{"SQL, DMY", "PostgreSQL, european", "Postgres, DMY", ""},
		{"SQL, DMY", " ", "SQL, DMY", ""},
		{"SQL, DMY", "iso,", "", "List syntax is invalid."},
		{"SQL, DMY", "iso, sql", "", `Conflicting "datestyle" specifications.`},
		{"SQL, DMY", "euro, mdy", "", `Conflicting "datestyle" specifications.`},
		{"SQL, DMY", "iso, Ical", "", `Unrecognized key word: "Ical".`},
	} {
		got, err := dateStyleOver(c.now, c.value)
		detail := ""
		if e := sqlerr.As(err); e != nil {
			detail = e.Detail
		}
		if got != c.want || detail != c.detail {
			t.Errorf("%q over %s: %q, %q", c.value, c.now, got, detail)
		}
	}
}
