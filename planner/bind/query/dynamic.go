package query

import (
	"github.com/saltsql/saltsql/planner/fail"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Dynamic gives t with a dynamic column as its last one.
func (b *Binder) Dynamic(t *catalog.Table, c *tree.ColDef, pos int) *catalog.Table {
	d := &catalog.DynamicColumn{Quoted: c.Quoted, FamilyQuoted: c.FamilyQuoted}
	d.Name, d.Family, d.Pos = c.Name, c.Family, pos
	var err error
	n := c.Type
	if t.FromPhoenix() {
		d.Type, d.Store, err = catalog.PhoenixType(n.Schema, n.Name, n.Mods, n.Array(), n.Bare)
	} else {
		d.Type, d.Store, err = catalog.NamedType(n.Schema, n.Name, n.Mods, n.Array())
	}
	fail.If(catalog.Positioned(err, pos))
	if c.Collation != "" {
		panic(sqlerr.Unsupported("COLLATE of a dynamic column is not supported", "Leave it out: text compares by bytes.").At(pos))
	}
	wide, _ := fail.Must2(t.WithDynamic(d))
	return wide
}

// dynamicTable is the table of FROM t (d INTEGER).
func (b *Binder) dynamicTable(rel catalog.Relation, list []tree.ColDef, pos int) *catalog.Table {
	t, ok := rel.(*catalog.Table)
	if !ok {
		panic(sqlerr.Unsupported("dynamic columns of a "+rel.RelKind()+" are not supported", "Name the table that it reads.").At(pos))
	}
	b.notInView("a dynamic column", pos)
	b.Uses(t)
	for i := range list {
		t = b.Dynamic(t, &list[i], pos)
	}
	return t
}
