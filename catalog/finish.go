package catalog

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Qualifiers of tables with plain names.
const plainMarker = "_0"

// Finish checks a descriptor and makes its codec. Every Table of a Snapshot is
// finished; a Table made otherwise must be before it is used. What it refuses
// carries the SQLSTATE of the definition's fault: 42P16 (no key), 42701
// (a name twice), 54011 (too many columns), 0A000, 22023.
func (t *Table) Finish() error {
	if len(t.Columns) > MaxTableColumns {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", MaxTableColumns)
	}
	if err := t.checkColumns(); err != nil {
		return err
	}
	key, err := t.keySchema()
	if err != nil {
		return err
	}
	s := &rowcodec.Schema{Key: key, Layout: t.Options.Layout, MarkerFamily: t.Families()[0], Unmarked: t.KeyFormat != nil}
	if t.Options.ColumnEncodedBytes == 0 {
		s.MarkerQualifier = []byte(plainMarker)
	} else if s.MarkerQualifier, err = rowcodec.Qualifier(0, t.Options.ColumnEncodedBytes); err != nil {
		return err
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.KeyPos >= 0 {
			continue
		}
		cell := rowcodec.CellColumn{Column: c.Store, Name: c.Name, Family: c.Family, Qualifier: c.Qualifier, Missing: c.Missing,
			Whole: c.Whole, OfFamily: c.OfMap}
		cell.Phoenix = t.FromPhoenix()
		if c.Number > 0 {
			cell.Ordinal = c.Number - rowcodec.FirstQualifier + 1
		}
		s.Cells = append(s.Cells, cell)
	}
	if err := s.Validate(); err != nil {
		return err
	}
	t.codec = s
	t.useKeyFormat()
	return t.finishIndexes()
}

func (t *Table) checkColumns() error {
	names := make(map[string]bool, len(t.Columns))
	ids := make(map[int]bool, len(t.Columns)+len(t.Dropped))
	cells := make(map[string]bool, len(t.Columns)+len(t.Dropped))
	claim := func(id int, family string, qualifier []byte) bool {
		k := family + "\x00" + string(qualifier)
		if id < 1 && id != hiddenKeyID || ids[id] || len(qualifier) > 0 && cells[k] {
			return false
		}
		ids[id], cells[k] = true, true
		return true
	}
	families := t.Families()
	for i := range t.Columns {
		c := &t.Columns[i]
		if names[c.Name] {
			return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, c.Name)
		}
		names[c.Name] = true
		if !claim(c.ID, c.Family, c.Qualifier) || c.ID >= t.NextColumnID {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has a number or qualifier that another column has or had`, c.Name)
		}
		if err := checkStoreFits(c); err != nil {
			return err
		}
		if c.KeyPos >= 0 {
			continue
		}
		if len(c.Qualifier) == 0 && !c.Whole || !contains(families, c.Family) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has no qualifier or no column family`, c.Name)
		}
		if c.Number != 0 && c.Number < rowcodec.FirstQualifier || t.Options.Layout == rowcodec.SingleCellArrayWithOffsets && c.Number == 0 {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has the reserved qualifier number %d`, c.Name, c.Number)
		}
	}
	for _, d := range t.Dropped {
		if !claim(d.ID, d.Family, d.Qualifier) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "dropped column %d has a number or qualifier that another column has", d.ID)
		}
	}
	for _, f := range families {
		if !validFamily(f) {
			return badFamily(f)
		}
	}
	return nil
}

func badFamily(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidName, `"%s" is not a valid column family name`, name).
		WithDetail("A column family name is 1 to 64 characters of [-_.a-zA-Z0-9], the first of them a letter, a digit or an underscore.")
}

func (t *Table) keySchema() (rowcodec.KeySchema, error) {
	key := rowcodec.KeySchema{Table: t.Name, Adopted: t.FromPhoenix(), Format: t.KeyFormat, Buckets: t.Options.SaltBuckets, Hash: t.Options.Hash}
	if len(t.PrimaryKey) == 0 {
		return key, NoPrimaryKey(t.Name)
	}
	for pos, i := range t.PrimaryKey {
		if i < 0 || i >= len(t.Columns) || t.Columns[i].KeyPos != pos {
			return key, sqlerr.New(sqlerr.InvalidTableDefinition, "key column %d of table %q is not a column of it", pos, t.Name)
		}
		c := &t.Columns[i]
		k := rowcodec.KeyColumn{Column: c.Store, Name: c.Name, Desc: c.Desc, Nullable: t.FromPhoenix() && !c.NotNull}
		k.Phoenix = t.FromPhoenix()
		key.Columns = append(key.Columns, k)
	}
	if t.KeyFormat != nil {
		return key, nil // which says what is hashed
	}
	var err error
	if key.Epochs, err = t.saltEpochs(); err != nil || key.Epochs != nil {
		return key, err
	}
	for _, name := range t.Options.SaltColumns {
		c := t.ColumnByName(name)
		if c == nil || c.KeyPos < 0 {
			return key, saltColumnNotInKey(name)
		}
		key.SaltColumns = append(key.SaltColumns, c.KeyPos)
	}
	return key, nil
}

func NoPrimaryKey(table string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidTableDefinition, `table "%s" has no primary key`, table).
		WithHint("Rows are stored by their primary key: mark a column PRIMARY KEY, or add CONSTRAINT pk PRIMARY KEY (a, b DESC).")
}

func saltColumnNotInKey(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, `SALT_COLUMNS names "%s", which is not a column of the primary key`, name).
		WithHint("The salt must follow from the row key: name columns of the primary key only.")
}
