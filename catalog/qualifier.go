package catalog

import (
	"bytes"
	"strconv"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// giveQualifier puts a new column that is not in the key into its family and
// gives it a qualifier that no column of the table has or had.
func (t *Table) giveQualifier(c *Column) error {
	if c.Family == "" {
		c.Family = t.Options.DefaultFamily
	}
	if !validFamily(c.Family) {
		return badFamily(c.Family)
	}
	if !contains(t.FamilyOrder, c.Family) {
		t.FamilyOrder = append(t.FamilyOrder[:len(t.FamilyOrder):len(t.FamilyOrder)], c.Family)
	}
	switch {
	case c.Qualifier != nil:
		return nil
	case t.Options.ColumnEncodedBytes == 0:
		c.Qualifier = t.plainQualifier(c)
		return nil
	}
	n := c.Number
	if n == 0 {
		n = t.nextNumber(c.Family)
	}
	q, err := rowcodec.Qualifier(n, t.Options.ColumnEncodedBytes)
	if err != nil {
		if e := sqlerr.As(err); e != nil && e.Hint == "" {
			_ = e.WithHint("COLUMN_ENCODED_BYTES = %d leaves room for fewer columns; the default, 2, is enough for any table.", t.Options.ColumnEncodedBytes)
		}
		return err
	}
	c.Number, c.Qualifier = n, q
	t.NextQualifier = max(t.NextQualifier, n+1)
	return nil
}

// nextNumber is the number for a new column. Packed rows count per family,
// since a number is a position in the family's cell; else the table counts.
func (t *Table) nextNumber(family string) int {
	if t.Options.Layout != rowcodec.SingleCellArrayWithOffsets {
		return max(t.NextQualifier, rowcodec.FirstQualifier)
	}
	next := rowcodec.FirstQualifier
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Family == family {
			next = max(next, c.Number+1)
		}
	}
	for _, d := range t.Dropped {
		if d.Family == family {
			next = max(next, d.Number+1)
		}
	}
	return next
}

// plainQualifier is the column's name, or the name with the column's number if
// the table has used that name before: old cells must not come back to life.
func (t *Table) plainQualifier(c *Column) []byte {
	if q := []byte(c.Name); c.Name != plainMarker && !t.usedQualifier(c.Family, q) {
		return q
	}
	for n := c.ID; ; n++ {
		if q := []byte(c.Name + "." + strconv.Itoa(n)); !t.usedQualifier(c.Family, q) {
			return q
		}
	}
}

func (t *Table) usedQualifier(family string, q []byte) bool {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Family == family && bytes.Equal(c.Qualifier, q) {
			return true
		}
	}
	for _, d := range t.Dropped {
		if d.Family == family && bytes.Equal(d.Qualifier, q) {
			return true
		}
	}
	return false
}
