package catalog

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// A map is a column family of an attached table whose qualifiers are data: family.* type.
// It is no column, since a row has as many cells there as it likes. A statement that names
// one of them, family['qualifier'], or all, unnest(family), is bound to a descriptor of its
// own, which has that as one more column at its end.

// Map gives the map of a family; nil if there is none. Its name is *.
func (t *Table) Map(family string) *Column {
	for i := range t.Maps {
		if t.Maps[i].Family == family {
			return &t.Maps[i]
		}
	}
	return nil
}

// AddMap makes a family a map whose values are stored as def says: 42701 for a second one,
// 0A000 where rows are packed.
func (t *Table) AddMap(def *ColumnDef) error {
	if t.Map(def.Family) != nil {
		return DuplicateColumn(def.Family + ".*").At(def.Pos)
	}
	if t.Options.Layout == rowcodec.SingleCellArrayWithOffsets {
		return sqlerr.Unsupported("a map of cells in a table of packed rows", "Attach its columns one by one: they have no cells of their own.").At(def.Pos)
	}
	c := Column{Name: "*", Type: def.Type, Store: def.Store, Family: def.Family, KeyPos: -1}
	if c.Family == "" {
		c.Family = t.Options.DefaultFamily
	}
	if c.Store.Type == rowcodec.Invalid {
		st, err := StorageColumn(c.Type)
		if err != nil {
			return OfColumn(err, t.Name, def)
		}
		c.Store = st
	}
	c.Store.SQL = c.Type
	t.Maps = append(t.Maps, c)
	if t.FamilyOrder == nil && t.KeyFormat == nil {
		t.FamilyOrder = []string{t.Options.DefaultFamily} // where Phoenix has the marker cell
	}
	if !contains(t.FamilyOrder, c.Family) {
		t.FamilyOrder = append(t.FamilyOrder, c.Family)
	}
	return nil
}

// WithCell gives t with the cell of a map as a column, and which one it is. That of a column
// of the table is that column. 0A000 for the cell by which rows are told to be there.
func (t *Table) WithCell(family string, qualifier []byte) (*Table, int, error) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.KeyPos < 0 && c.Family == family && string(c.Qualifier) == string(qualifier) && !c.Whole {
			return t, i, nil
		}
	}
	m := t.Map(family)
	name := fmt.Sprintf("%s[%s]", ident.Quote(family), quoteLiteral(string(qualifier)))
	if marker, _ := t.codec.Marker(); len(qualifier) == 0 || family == marker.Family && string(qualifier) == string(marker.Qualifier) {
		return nil, 0, sqlerr.Unsupported("the cell "+name+" cannot be named", "It is the one that each row has; name another.")
	}
	return t.with(Column{Name: name, Type: m.Type, Store: m.Store, Family: family, Qualifier: qualifier, OfMap: true})
}

// WithMap gives t with all cells of a map as a column of bytes, for rowcodec.FamilyReader,
// and which one it is.
func (t *Table) WithMap(family string) (*Table, int, error) {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Whole && c.Family == family {
			return t, i, nil
		}
	}
	bytea := types.Of(types.Bytea)
	return t.with(Column{Name: ident.Quote(family) + ".*", Type: bytea, Store: rowcodec.Column{Type: rowcodec.Varbinary, SQL: bytea}, Family: family, OfMap: true, Whole: true})
}

func (t *Table) with(c Column) (*Table, int, error) {
	out := t.Clone()
	c.ID, c.KeyPos = out.NextColumnID, -1
	out.NextColumnID++
	out.Columns = append(out.Columns, c)
	return out, len(out.Columns) - 1, out.Finish()
}

// mapsText writes the maps as ATTACH TABLE lists them.
func (t *Table) mapsText(sep string) string {
	text := ""
	for i := range t.Maps {
		m := &t.Maps[i]
		family := ident.Quote(m.Family)
		if t.FromPhoenix() {
			family = `"` + m.Family + `"`
		}
		text += sep + family + ".* " + m.typeText(t.FromPhoenix())
		if t.KeyFormat != nil {
			text += m.cellFormatText()
		}
	}
	return text
}
