package maintenance

import (
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func option(name, value string) tree.Option {
	return tree.Option{Name: name, Value: value, HasValue: value != ""}
}

func TestMaintenanceOptions(t *testing.T) {
	for _, c := range []struct {
		tag  string
		opts []tree.Option
		want maintenance
		code sqlerr.Code
	}{
		{tag: "VACUUM"},
		{tag: "VACUUM", opts: []tree.Option{option("verbose", ""), option("analyze", "off")}, want: maintenance{verbose: true}},
		{tag: "VACUUM", opts: []tree.Option{option("analyze", "1"), option("parallel", "2")}, want: maintenance{analyze: true, parallel: true}},
		{tag: "VACUUM", opts: []tree.Option{option("index_cleanup", "auto"), option("full", "TRUE")}, want: maintenance{full: true}},
		{tag: "ANALYZE", opts: []tree.Option{option("verbose", "on"), option("skip_locked", "")}, want: maintenance{verbose: true}},
		{tag: "ANALYZE", opts: []tree.Option{option("full", "")}, code: sqlerr.SyntaxError},
		{tag: "ANALYZE", opts: []tree.Option{option("verbose", "auto")}, code: sqlerr.SyntaxError},
		{tag: "VACUUM", opts: []tree.Option{option("parallel", "")}, code: sqlerr.SyntaxError},
		{tag: "VACUUM", opts: []tree.Option{option("parallel", "1025")}, code: sqlerr.SyntaxError},
		{tag: "VACUUM", opts: []tree.Option{option("full", ""), option("parallel", "1")}, code: sqlerr.FeatureNotSupported},
		{tag: "VACUUM", opts: []tree.Option{option("full", ""), option("process_toast", "off")}, code: sqlerr.FeatureNotSupported},
	} {
		got, err := maintenanceOptions(c.tag, c.opts)
		if code := sqlerr.CodeOf(err); err != nil && code != c.code || err == nil && (c.code != sqlerr.Code{} || got != c.want) {
			t.Errorf("%s %+v: %+v %v, want %+v %s", c.tag, c.opts, got, err, c.want, c.code)
		}
	}
}

func TestReindexOptions(t *testing.T) {
	for _, c := range []struct {
		u                     tree.Reindex
		verbose, concurrently bool
		code                  sqlerr.Code
	}{
		{u: tree.Reindex{Concurrently: true}, concurrently: true},
		{u: tree.Reindex{Options: []tree.Option{option("verbose", ""), option("concurrently", "on")}}, verbose: true, concurrently: true},
		{u: tree.Reindex{Options: []tree.Option{option("verbose", "0"), option("tablespace", "pg_default")}}},
		{u: tree.Reindex{Options: []tree.Option{option("tablespace", "other")}}, code: sqlerr.FeatureNotSupported},
		{u: tree.Reindex{Options: []tree.Option{option("verbose", "perhaps")}}, code: sqlerr.SyntaxError},
		{u: tree.Reindex{Options: []tree.Option{option("fast", "")}}, code: sqlerr.SyntaxError},
	} {
		verbose, concurrently, err := reindexOptions(&c.u)
		if code := sqlerr.CodeOf(err); err != nil && code != c.code || err == nil && (c.code != sqlerr.Code{} || verbose != c.verbose || concurrently != c.concurrently) {
			t.Errorf("%+v: %v %v %v", c.u, verbose, concurrently, err)
		}
	}
}
