package live

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/stored"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// someDescriptors gives stored forms of every kind.
func someDescriptors(t testing.TB) []string {
	ctx := catalog.AsProgram(context.Background())
	c := openTest(t, mem.New())
	defs := []string{
		"table a\ncol k varchar\ncol f.v numeric(10,2) default=1\ncol w int[]\nkey k desc\nopt SALT_BUCKETS = 8\nopt TTL = 5",
		"table b\ncol k int identity=a\ncol j bytea\ncol z jsonb\nkey j, k\nopt IMMUTABLE_ROWS = true\ncheck c k > 0",
		"table c\ncol k uuid\ncol v timestamp(3)\nkey k\nopt COLUMN_ENCODED_BYTES = 0",
	}
	for _, d := range defs {
		def, err := parseDef(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.CreateTable(ctx, def, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.AlterTable(ctx, catalog.Name{Name: "a"}, false, []AlterAction{DropColumn{Name: "w"}}, AlterHooks{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.CreateView(ctx, &catalog.ViewDef{Name: catalog.Name{Name: "v"}, Query: catalog.ViewQuery{Text: "select 1"}, Columns: []catalog.ViewColumn{{Name: "x"}}}, false); err != nil {
		t.Fatal(err)
	}
	of := &catalog.Materialized{Query: catalog.ViewQuery{Text: "select 1"}, Uses: []catalog.ViewColumnUse{{Relation: 1, Column: 2}}, DependsOn: []uint32{c.Snapshot().Table("public", "a").ID}}
	if _, _, err := c.CreateTable(ctx, &catalog.TableDef{Name: catalog.Name{Name: "m"}, Columns: []catalog.ColumnDef{{Name: "x", Type: types.Of(types.Int4)}}, Materialized: of}, false); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range c.Snapshot().Objects() {
		b, err := stored.Encode(o.Desc, o.State)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// TestDescriptorRoundTrip: decoding gives back what was encoded.
func TestDescriptorRoundTrip(t *testing.T) {
	for _, s := range someDescriptors(t) {
		d, st, err := stored.Decode("k", []byte(s), nil)
		if err != nil {
			t.Errorf("%v\n%s", err, s)
			continue
		}
		again, err := stored.Encode(d, st)
		if err != nil || string(again) != s {
			t.Errorf("%v\ngot  %s\nwant %s", err, again, s)
		}
	}
}

// TestDescriptorDamage: each damaged row is XX001 with the row's name.
func TestDescriptorDamage(t *testing.T) {
	for _, s := range []string{
		``, `null`, `{}`, `[]`, `{"format":1}`,
		`{"format":12,"kind":"schema","id":1,"name":"x","state":"public"}`,
		`{"format":1,"kind":"schema","id":1,"name":"x","state":"odd"}`,
		`{"format":1,"kind":"schema","id":0,"name":"x","state":"public"}`,
		`{"format":1,"kind":"table","id":1,"name":"x","state":"public"}`,
		`{"format":1,"kind":"table","id":1,"name":"x","state":"public","table":{}}`,
		`{"format":1,"kind":"what","id":1,"name":"x","state":"public"}`,
		`{"format":1,"kind":"sequence","id":1,"name":"x","state":"public","sequence":{"type":"int8"}}`,
		`{"format":1,"kind":"view","id":1,"name":"x","state":"public","view":{"columns":[{"name":"a","type":"nosuch"}]}}`,
	} {
		_, _, err := stored.Decode("desc/1", []byte(s), nil)
		if sqlerr.CodeOf(err) != sqlerr.DataCorrupted || !strings.Contains(err.Error(), `"desc/1"`) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// FuzzDescriptor: no bytes make decoding panic, and what decodes encodes to
// something that decodes to the same.
func FuzzDescriptor(f *testing.F) {
	for _, s := range someDescriptors(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, st, err := stored.Decode("k", b, nil)
		if err != nil {
			return
		}
		one, err := stored.Encode(d, st)
		if err != nil {
			t.Fatal(err)
		}
		d2, st2, err := stored.Decode("k", one, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		two, err := stored.Encode(d2, st2)
		if err != nil || string(one) != string(two) || !json.Valid(two) {
			t.Fatalf("%v\n%s\n%s", err, one, two)
		}
		if tab, ok := d.(*catalog.Table); ok {
			catalog.NewSnapshot(catalog.Root{}, catalog.LayeredOf(map[uint32]catalog.Object{tab.ID: {Desc: tab}}), nil).ShowCreateTable(tab)
		}
	})
}

// TestNames covers the names the catalog makes.
func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 40)
	for _, c := range []struct {
		schema, name string
		id           uint32
		want         string
	}{
		{"public", "metrics", 16385, "metrics.k3x9qa.16385"},
		{"app", "Käse", 16386, "app.K_se.k3x9qa.16386"},
		{"public", "-x", 1, "_x.k3x9qa.1"},
		{"public", long, 4294967294, strings.Repeat("_", 32) + ".k3x9qa.4294967294"},
	} {
		got := catalog.PhysicalName("k3x9qa", c.schema, c.name, c.id, false)
		if got != c.want {
			t.Errorf("%s.%s: %s, want %s", c.schema, c.name, got, c.want)
		}
		if id, ok := catalog.OwnsPhysical("k3x9qa", got); !ok || id != c.id {
			t.Errorf("%s: ID %d %v", got, id, ok)
		}
	}
	for _, s := range []string{"metrics", "a.b.c", "x.k3x9qa.", "x.k3x9qa.1x", ".1", "x.k3x9qb.1", "x.k3x9qa.99999999999999"} {
		if id, ok := catalog.OwnsPhysical("k3x9qa", s); ok {
			t.Errorf("%s passes for table %d", s, id)
		}
	}
	if got := catalog.MakeObjectName(long[:62], long[:60], "seq"); len(got) > catalog.MaxIdentifier || !strings.HasSuffix(got, "_seq") {
		t.Errorf("%s of %d bytes", got, len(got))
	}
	for in, want := range map[string]string{"a": "a", "A": `"A"`, "select": `"select"`, `a"b`: `"a""b"`, "1a": `"1a"`, "a1_": "a1_", "": `""`} {
		if got := ident.Quote(in); got != want {
			t.Errorf("ident.Quote(%s) = %s", in, got)
		}
	}
}
