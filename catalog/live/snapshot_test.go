package live

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestResolve: names are found along the search path, and what is not there is
// told in the words of queries.
func TestResolve(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	c := openTest(t, mem.New())
	if _, err := c.CreateSchema(ctx, "app", 0, false); err != nil {
		t.Fatal(err)
	}
	for _, n := range []catalog.Name{{Name: "a"}, {Schema: "app", Name: "a"}, {Schema: "app", Name: "b"}} {
		def := simpleTable("")
		def.Name = n
		if _, _, err := c.CreateTable(ctx, def, false); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Snapshot()
	for _, tc := range []struct {
		path         []string
		schema, name string
		want, err    string
	}{
		{nil, "", "a", "public.a", ""},
		{[]string{"app", "public"}, "", "a", "app.a", ""},
		{[]string{"nosuch", "public", "app"}, "", "b", "app.b", ""},
		{nil, "app", "b", "app.b", ""},
		{nil, "", "b", "", `relation "b" does not exist`},
		{nil, "app", "c", "", `relation "app.c" does not exist`},
		{nil, "nosuch", "c", "", `relation "nosuch.c" does not exist`},
		{nil, "", "a_id_seq", "", `"a_id_seq" is not a table`},
	} {
		got, err := s.ResolveTable(tc.path, tc.schema, tc.name)
		switch {
		case err != nil && err.Error() != tc.err:
			t.Errorf("%v %s.%s: %v, want %s", tc.path, tc.schema, tc.name, err, tc.err)
		case err == nil && got.Schema+"."+got.Name != tc.want:
			t.Errorf("%v %s.%s: %s.%s, want %s%s", tc.path, tc.schema, tc.name, got.Schema, got.Name, tc.want, tc.err)
		}
	}
	if _, err := s.CreationSchema(catalog.Name{Path: []string{"nosuch"}, Name: "x"}); err == nil || err.Error() != "no schema has been selected to create in" {
		t.Errorf("creation schema: %v", err)
	}
	tab := s.Table("app", "b")
	if s.TableByID(tab.ID) != tab || s.ByID(1) != nil || len(s.OwnedSequences(tab.ID)) != 1 || tab.ID < catalog.FirstNormalOID {
		t.Errorf("lookup by ID %d failed", tab.ID)
	}
}

// TestTruncate: rows go, the table stays, and its sequence starts again where
// that is asked.
func TestTruncate(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	c := openTest(t, store)
	def, err := parseDef("table t\ncol k text\ncol n int identity=s\nkey k")
	if err != nil {
		t.Fatal(err)
	}
	tab, _, err := c.CreateTable(ctx, def, false)
	if err != nil {
		t.Fatal(err)
	}
	q := tab.ColumnByName("n").Sequence
	next := func() int64 {
		v, err := c.NextVal(ctx, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		return v.First
	}
	s := &script{t, store, c}
	for _, restart := range []bool{false, true} {
		if err := s.putRow(catalog.Name{Name: "t"}, "x"); err != nil {
			t.Fatal(err)
		}
		if has, err := c.HasRows(ctx, tab); err != nil || !has {
			t.Errorf("rows before: %v %v", has, err)
		}
		before := next()
		if err := c.TruncateTable(ctx, []catalog.Name{{Name: "t"}}, restart); err != nil {
			t.Fatal(err)
		}
		if has, err := c.HasRows(ctx, tab); err != nil || has {
			t.Errorf("rows after: %v %v", has, err)
		}
		if got := next(); restart != (got == 1) || !restart && got != before+1 {
			t.Errorf("restart %v: %d after %d", restart, got, before)
		}
	}
	err = c.TruncateTable(ctx, []catalog.Name{{Name: "nosuch"}}, false)
	if sqlerr.CodeOf(err) != sqlerr.UndefinedTable || err.Error() != `relation "nosuch" does not exist` {
		t.Error(err)
	}
}

// TestStorageTypeFromName covers the names that only Phoenix has.
func TestStorageTypeFromName(t *testing.T) {
	for _, tc := range []struct {
		name  string
		mods  []int32
		array bool
		kind  types.Kind
		store rowcodec.Type
		width int
		code  sqlerr.Code
	}{
		{"tinyint", nil, false, types.Int2, rowcodec.TinyInt, 0, sqlerr.Code{}},
		{"unsigned_tinyint", nil, false, types.Int2, rowcodec.UnsignedTinyInt, 0, sqlerr.Code{}},
		{"unsigned_smallint", nil, false, types.Int2, rowcodec.UnsignedSmallInt, 0, sqlerr.Code{}},
		{"unsigned_int", nil, false, types.Int4, rowcodec.UnsignedInt, 0, sqlerr.Code{}},
		{"unsigned_long", nil, false, types.Int8, rowcodec.UnsignedLong, 0, sqlerr.Code{}},
		{"unsigned_float", nil, false, types.Float4, rowcodec.UnsignedFloat, 0, sqlerr.Code{}},
		{"varbinary", []int32{20}, false, types.Bytea, rowcodec.Varbinary, 0, sqlerr.Code{}},
		{"binary", []int32{20}, false, types.Bytea, rowcodec.Binary, 20, sqlerr.Code{}},
		{"binary", []int32{20}, true, types.Array, rowcodec.Array, 20, sqlerr.Code{}},
		{"binary", nil, false, 0, 0, 0, sqlerr.InvalidParameterValue},
		{"binary", []int32{0}, false, 0, 0, 0, sqlerr.InvalidParameterValue},
		{"tinyint", []int32{3}, false, 0, 0, 0, sqlerr.SyntaxError},
	} {
		typ, st, ok, err := catalog.StorageTypeFromName(tc.name, tc.mods, tc.array)
		if !ok || err != nil {
			if sqlerr.CodeOf(err) != tc.code || !ok {
				t.Errorf("%s%v: %v %v", tc.name, tc.mods, ok, err)
			}
			continue
		}
		if typ.Kind != tc.kind || st.Type != tc.store || st.Width != tc.width || st.SQL != typ {
			t.Errorf("%s%v: %v %+v", tc.name, tc.mods, typ, st)
		}
	}
	if _, _, ok, err := catalog.StorageTypeFromName("integer", nil, false); ok || err != nil {
		t.Errorf("integer: %v %v", ok, err)
	}
}
