package ddl

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// splitMaps gives ATTACH TABLE's columns without family.* type, and the maps that those
// are: see catalog.Table.Map.
func (r *Runner) splitMaps(u *tree.AttachTable, typeOf typeResolver) (*tree.AttachTable, []catalog.ColumnDef, error) {
	if !slices.ContainsFunc(u.Columns, func(c tree.ColumnDef) bool { return c.Map }) {
		return u, nil, nil
	}
	rest := *u
	rest.Columns = nil
	var maps []catalog.ColumnDef
	for i := range u.Columns {
		c := &u.Columns[i]
		if !c.Map {
			rest.Columns = append(rest.Columns, *c)
			continue
		}
		if len(c.ConstraintNames) > 0 || c.NotNull || c.Default != nil || c.PrimaryKey || c.Unique || c.Checks != nil || c.References != nil ||
			c.Identity != "" || c.Generated != nil || c.HasQualifier || c.Number > 0 {
			return nil, nil, unsupportedAt(c.Pos, "Attach a cell that needs more as a column of its own: family.name type.", "family.* takes a type and FORMAT alone")
		}
		t, store, err := typeOf(c.Type)
		if err != nil {
			return nil, nil, err
		}
		def := catalog.ColumnDef{Family: c.Family, Name: c.Name, Type: t, Store: store, Pos: c.Pos}
		switch {
		case u.KeyFormat != nil:
			if def.Store, err = foreignCell(c, t); err != nil {
				return nil, nil, err
			}
		case c.Format != "":
			return nil, nil, formatOfPhoenix(c)
		case !c.FamilyQuoted:
			def.Family = strings.ToUpper(def.Family)
		}
		maps = append(maps, def)
	}
	return &rest, maps, nil
}

func formatOfPhoenix(c *tree.ColumnDef) error {
	return unsupportedAt(c.Pos, "FORMAT is for tables with KEY FORMAT: cells of Phoenix follow from their types.", "FORMAT of column %q is not supported", c.Name)
}

// mapOfOwn refuses family.* in a table of our own.
func mapOfOwn(c *tree.ColumnDef) error {
	return unsupportedAt(c.Pos, "Keep its entries as rows of a table with the name at the end of the primary key: they are read, written and indexed one by one.",
		"a family whose cells are data is for ATTACH TABLE")
}
