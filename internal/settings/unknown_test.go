package settings

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestUnknown holds what the hints about names of no parameter say.
func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"statement_timout":                `"statement_timeout"`,
		"Serch_path":                      `"search_path"`,
		"enable_seqscan":                  "saltsql.join_order",
		"random_page_cost":                "saltsql.join_order",
		"max_parallel_workers_per_gather": "SERIAL",
		"maintenance_work_mem":            "--memory",
		"wal_compression":                 "",
		"x":                               "",
	} {
		e := Unknown(name)
		if e.Code != sqlerr.UndefinedObject || want == "" != (e.Hint == "") || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v %q, want %q", name, e.Code, e.Hint, want)
		}
	}
}
