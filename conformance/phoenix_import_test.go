package conformance

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/storage/pebble"
)

var rewritePhoenix = flag.Bool("rewrite-phoenix", false, "rewrite testdata/phoenix/import")

// TestImportPhoenix imports a SYSTEM.CATALOG that Phoenix wrote, with tables, views,
// indexes and sequences of all kinds; the report and what is read afterwards are in
// testdata/phoenix/import.
func TestImportPhoenix(t *testing.T) {
	const golden = "testdata/phoenix/import"
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			f := openForeign(t, name)
			s := f.Session
			tables := readPhoenix(t, "testdata/phoenix/catalog.txt")
			for _, p := range tables {
				p.lift(t, f.Store)
			}
			var b strings.Builder
			out, indexes := map[string]bool{}, []string(nil)
			for _, sql := range []string{
				"IMPORT PHOENIX SCHEMA shop LIMIT TO (orders)", "IMPORT PHOENIX SCHEMA FROM 'SYSTEM.CATALOG'",
				"SHOW CREATE TABLE shop.orders", "SELECT * FROM shop.orders ORDER BY id", "SHOW CREATE TABLE shop.events", "SELECT * FROM shop.events",
				"SELECT * FROM shop.plain", "SELECT * FROM shop.three", "SHOW CREATE TABLE shop.allt", "SELECT k, c1, c7, c11, c19, c20 FROM shop.allt",
				"SELECT * FROM mt", "SELECT * FROM plainloc", "SELECT * FROM shop.loc", "SELECT * FROM deff", `SELECT * FROM "lowerT"`,
				"SELECT nextval('shop.seq'), nextval('shop.seq'), nextval('plainseq'), nextval('cyc'), nextval('down'), nextval('down')",
			} {
				b.WriteString(sql + "\n")
				_, rows := sessionRows(t, s, sql)
				for _, r := range rows {
					if len(r) == 4 && r[2] == "left out" && !strings.Contains(r[3], "already exists") {
						out[r[1]] = true
					}
					if _, create, ok := strings.Cut(r[len(r)-1], `CREATE INDEX "`); ok {
						indexes = append(indexes, `CREATE INDEX "`+strings.TrimSuffix(create, " makes it anew."))
					}
					b.WriteString("    " + strings.Join(r, " | ") + "\n")
				}
			}
			for _, create := range indexes {
				sessionRows(t, s, create)
			}
			for i := range tables {
				p := &tables[i]
				if len(p.rows) == 0 || out[p.name] {
					continue
				}
				cols, got := sessionRows(t, s, "SELECT * FROM "+p.here())
				if have, want := exactRows(t, cols, got), exactRows(t, cols, p.rows); !slices.Equal(have, want) {
					t.Errorf("%s\n%s", p.name, differing(have, want))
				}
			}
			isGolden(t, golden, b.String())
		})
	}
}

// TestImportPhoenixCommand imports into an embedded store from the shell.
func TestImportPhoenixCommand(t *testing.T) {
	path, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store, err := pebble.Open(dir, &pebble.Options{CacheBytes: 16 << 20, Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range readPhoenix(t, "testdata/phoenix/catalog.txt") {
		p.lift(t, store)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := childproc.Command(path, "import-phoenix", "--store", "pebble:"+dir, "--schema", "SHOP").CombinedOutput()
	const want = "7 tables attached, 0 left out; 1 sequences created, 1 left out; 2 views created, 1 left out; 3 indexes left out.\n"
	if err != nil || !strings.HasSuffix(string(out), want) {
		t.Fatalf("%v\n%s", err, out)
	}
}
