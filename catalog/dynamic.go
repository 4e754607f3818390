package catalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A dynamic column is a cell that a statement declares and the table does not, as Phoenix's
// FROM t (d INTEGER). Its qualifier is its name, also where those of columns are numbers,
// and its family that of the marker unless it names one:
//
//	CREATE TABLE t (k VARCHAR PRIMARY KEY, c INTEGER)      0 : 800B   of c
//	UPSERT INTO t (k, c, d INTEGER) VALUES ('a', 1, 2)     0 : 44     of d, in an attached table
//	                                                       0 : 64     in another one
//
// The statement is bound to a descriptor of its own, which has the cell as its last column.

// DynamicColumn is one as written.
type DynamicColumn struct {
	ColumnDef                 // Name, Family, Type, Store and Pos alone
	Quoted, FamilyQuoted bool // names of attached tables are in capitals unless quoted
}

// WithDynamic gives t with a dynamic column, and which one it is: 42701 where a column has
// the name, 42704 where the family is not there, 0A000 where rows have no such cells.
func (t *Table) WithDynamic(d *DynamicColumn) (*Table, int, error) {
	refuse := func(why, instead string) (*Table, int, error) {
		return nil, 0, sqlerr.Unsupported("dynamic columns are not supported "+why, instead).At(d.Pos)
	}
	switch {
	case t.HiddenKey() != nil:
		return refuse("in a table without a primary key", "Add the column with ALTER TABLE … ADD.")
	case t.KeyFormat != nil:
		return refuse("in a table with a KEY FORMAT", "Attach the table with family.* type, then name family['cell'].")
	case t.Options.Layout == rowcodec.SingleCellArrayWithOffsets:
		return refuse("in a table of packed rows", "Add the column with ALTER TABLE … ADD: such rows have no cells of their own.")
	}
	def := d.ColumnDef
	name := def.Name
	if t.FromPhoenix() && !d.FamilyQuoted {
		def.Family = strings.ToUpper(def.Family)
	}
	if t.FromPhoenix() && !d.Quoted {
		name = strings.ToUpper(name)
	}
	switch {
	case def.Family == "":
		def.Family = t.Families()[0]
	case !contains(t.Families(), def.Family):
		return nil, 0, sqlerr.New(sqlerr.UndefinedObject, "column family %s of relation %q does not exist", ident.Quote(def.Family), t.Name).
			WithHint("A dynamic column is in a family that the table has: leave it out, or ALTER TABLE … ADD family.column.").At(d.Pos)
	}
	if t.ColumnByName(def.Name) != nil {
		return nil, 0, DuplicateColumn(def.Name).WithHint("A dynamic column has a name that no column of the table has; a column needs no type here.").At(d.Pos)
	}
	def.Qualifier = []byte(name)
	marker, _ := t.codec.Marker()
	switch {
	case string(marker.Qualifier) == name, t.usedQualifier(def.Family, def.Qualifier):
		return refuse("where the table has, or had, a column in the cell "+ident.Quote(name), "Take another name.")
	case t.Options.ColumnEncodedBytes == 1 && len(name) == 1:
		return refuse("whose name is one letter where COLUMN_ENCODED_BYTES is 1", "Take a longer name: cells of numbered columns have such names.")
	}
	out := t.Clone()
	c, err := out.NewColumn(&def, -1, nil)
	if err != nil {
		return nil, 0, err
	}
	c.OfMap, c.Dynamic = true, true
	out.Columns = append(out.Columns, c)
	return out, len(out.Columns) - 1, Positioned(out.Finish(), d.Pos)
}
