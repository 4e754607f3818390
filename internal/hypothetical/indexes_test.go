package hypothetical

import (
	"context"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestIndexes makes and forgets indexes: their IDs differ and are used again, names are those of
// a schema, and what their tables lose they lose.
func TestIndexes(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	c, err := live.Open(ctx, mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"t", "u"} {
		_, _, err := c.CreateTable(ctx, &catalog.TableDef{
			Name:       catalog.Name{Name: name},
			Columns:    []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4), NotNull: true}, {Name: "b", Type: types.Of(types.Text)}},
			PrimaryKey: []catalog.KeyDef{{Name: "a"}},
		}, false)
		if err != nil {
			t.Fatal(err)
		}
	}
	var x Indexes
	add := func(table, name, column string) (string, error) {
		s := c.Snapshot()
		of := s.Table("public", table)
		ix, err := (&catalog.IndexDef{Name: name, Parts: []catalog.IndexPartDef{{Column: column}}}).Build(of)
		if err != nil {
			t.Fatal(err)
		}
		return x.Add(s, of, ix, 0)
	}
	shown := func() (list []string) {
		seen := map[uint32]bool{}
		for _, of := range x.Tables(c.Snapshot()) {
			for i := range of.Indexes {
				ix := &of.Indexes[i]
				if !catalog.Hypothetical(ix.ID) || seen[ix.ID] || !ix.Readable() {
					t.Errorf("%s has the ID %d, or is not read", ix.Name, ix.ID)
				}
				seen[ix.ID] = true
				list = append(list, of.Name+"."+ix.Name)
			}
		}
		return list
	}
	is := func(want string) {
		t.Helper()
		if got := fmt.Sprint(shown()); got != want {
			t.Errorf("there are %s, want %s", got, want)
		}
	}
	for _, a := range []struct{ table, name, column, gets string }{
		{"t", "", "b", "t_b_idx"}, {"t", "", "b", "t_b_idx1"}, {"u", "x", "b", "x"}, {"t", "y", "a", "y"},
	} {
		if name, err := add(a.table, a.name, a.column); name != a.gets || err != nil {
			t.Errorf("%v: %q, %v", a, name, err)
		}
	}
	for _, name := range []string{"x", "t", "t_pkey", "t_b_idx1"} {
		if _, err := add("t", name, "b"); sqlerr.CodeOf(err) != sqlerr.DuplicateTable {
			t.Errorf("%s twice: %v", name, err)
		}
	}
	is("[t.t_b_idx t.t_b_idx1 t.y u.x]")
	if len(c.Snapshot().Table("public", "t").Indexes) > 0 {
		t.Error("the catalog has them")
	}
	x.Drop(c.Snapshot(), []string{"public"}, "", "t_b_idx")
	x.Drop(c.Snapshot(), []string{"other"}, "", "x")
	if _, err := add("u", "z", "b"); err != nil {
		t.Error(err)
	}
	is("[t.t_b_idx1 t.y u.x u.z]")
	if _, err := c.AlterTable(ctx, catalog.Name{Name: "t"}, false, []live.AlterAction{live.DropColumn{Name: "b"}}, live.AlterHooks{}); err != nil {
		t.Fatal(err)
	}
	is("[u.x u.z t.y]")
	if !x.Named(c.Snapshot(), nil, "public", "x") || x.Named(c.Snapshot(), []string{"public"}, "", "t_b_idx1") {
		t.Error("names are not those that are there")
	}
	x.Clear()
	for n := range catalog.MaxHypothetical {
		if _, err := add("u", "", "b"); err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := add("u", "", "b"); sqlerr.CodeOf(err) != sqlerr.ProgramLimitExceeded {
		t.Errorf("one more: %v", err)
	}
}
