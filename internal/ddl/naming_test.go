package ddl

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

func utility(t *testing.T, text string) tree.Utility {
	t.Helper()
	list, err := dialect.Parse(text)
	if err != nil || len(list) != 1 || list[0].Utility == nil {
		t.Fatalf("%s: %v, %v", text, list, err)
	}
	return list[0].Utility
}

// TestMakesTemporary: a table or view is temporary by its word, by its schema, or where the first schema of
// the path that exists is the one of temporary tables.
func TestMakesTemporary(t *testing.T) {
	c, err := live.Open(context.Background(), mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	public, temps := []string{"public"}, []string{"none", "pg_temp", "public"}
	for _, x := range []struct {
		text string
		path []string
		want bool
	}{
		{"CREATE TEMPORARY TABLE t (a INT)", public, true},
		{"CREATE TABLE t (a INT)", public, false},
		{"CREATE TABLE t (a INT)", temps, true},
		{"CREATE TABLE t (a INT)", []string{"public", "pg_temp"}, false},
		{"CREATE TABLE public.t (a INT)", temps, false},
		{"CREATE TABLE pg_temp.t (a INT)", public, true},
		{"CREATE TABLE pg_temp_3.t (a INT)", public, true},
		{"CREATE TABLE pg_temp_4.t (a INT)", public, false},
		{"CREATE TEMP TABLE t AS SELECT 1", public, true},
		{"CREATE TABLE t AS SELECT 1", public, false},
		{"CREATE TEMP VIEW t AS SELECT 1", public, true},
		{"CREATE VIEW t AS SELECT 1", public, false},
		{"CREATE VIEW t AS SELECT 1", temps, true},
		{"CREATE SEQUENCE t", temps, false},
	} {
		n := Naming{Snapshot: c.Snapshot(), Path: x.path, Temp: "pg_temp_3"}
		if got := n.MakesTemporary(utility(t, x.text)); got != x.want {
			t.Errorf("%s under %v: %v", x.text, x.path, got)
		}
	}
}

// TestNotInUse refuses to change, drop or empty the table that is used, and no other.
func TestNotInUse(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	c, err := live.Open(ctx, mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"used", "other"} {
		_, _, err := c.CreateTable(ctx, &catalog.TableDef{
			Name:       catalog.Name{Name: name},
			Columns:    []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4), NotNull: true}},
			PrimaryKey: []catalog.KeyDef{{Name: "a"}},
		}, false)
		if err != nil {
			t.Fatal(err)
		}
	}
	n := Naming{Snapshot: c.Snapshot(), Path: []string{"public"}}
	for text, tag := range map[string]string{
		"DROP TABLE other, used": "DROP TABLE", "DROP TABLE other": "", "DROP SCHEMA public": "DROP TABLE", "DROP SCHEMA none": "",
		"ALTER TABLE used ADD b INT": "ALTER TABLE", "ALTER TABLE other ADD b INT": "",
		"TRUNCATE used": "TRUNCATE", "TRUNCATE gone, other": "", "DROP VIEW used": "", "CREATE INDEX ON used (a)": "",
	} {
		err := n.NotInUse(utility(t, text), func(t *catalog.Table) bool { return t.Name == "used" })
		want := `cannot ` + tag + ` "used" because it is being used by active queries in this session`
		switch e := sqlerr.As(err); {
		case tag == "" && err != nil, tag != "" && (e == nil || e.Code != sqlerr.ObjectInUse || e.Message != want):
			t.Errorf("%s: %v", text, err)
		}
	}
}
