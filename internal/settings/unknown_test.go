package settings

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestUnknown holds what the hints about names of no parameter say.
func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"statement_timout":        `"statement_timeout"`,
		"Serch_path":              `"search_path"`,
		"enable_seqscam":          `"enable_seqscan"`,
		"enable_magic":            "saltsql.join_order",
		"remote_row_cost":         "saltsql.join_order",
		"parallel_writers_in_all": "SERIAL",
		"shared_buffers":          "--memory",
		"archive_library":         "",
		"x":                       "",
	} {
		e := Unknown(name)
		if e.Code != sqlerr.UndefinedObject || want == "" != (e.Hint == "") || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v %q, want %q", name, e.Code, e.Hint, want)
		}
	}
}
