package catalog

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// SetType gives a column another type, and the storage of that; store, unless it is zero,
// is what was declared. last says of a key column that it is the last one.
func (c *Column) SetType(t types.T, store rowcodec.Column, last bool) error {
	if store.Type == rowcodec.Invalid {
		var err error
		if store, err = StorageColumn(t); err != nil {
			return err
		}
	}
	if adoptedOnly(store) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "this type is for tables made by Phoenix").WithHint("Use %s.", t)
	}
	c.Type, c.Store = t, store
	c.Store.SQL = t
	if c.KeyPos >= 0 {
		return KeyStorage(c, last, false)
	}
	if c.Store.Type == rowcodec.VarbinaryEncoded {
		c.Store.Type = rowcodec.Varbinary // outside the key there is nothing to escape
	}
	return nil
}

// AbsentValue is what rows without the cell of column i have in it.
func (t *Table) AbsentValue(i int) (types.Datum, error) {
	c := &t.Columns[i]
	return rowcodec.Absent(t.Name, &rowcodec.CellColumn{Column: c.Store, Name: c.Name, Missing: c.Missing})
}

// CastDefault makes a column's DEFAULT, which may name users, one of another type; 42804 where there is no assignment
// cast.
func (c *Column) CastDefault(users *types.Users, t types.T) error {
	x, err := c.DefaultExpr.Bind(users, func(int) (*expr.Col, bool) { return nil, false })
	if err != nil {
		return err
	}
	if x, err = expr.ResolveCast(x, t.Base(), expr.Assignment, 0); err != nil {
		if sqlerr.CodeOf(err) != sqlerr.CannotCoerce {
			return err
		}
		return sqlerr.New(sqlerr.DatatypeMismatch, `default for column "%s" cannot be cast automatically to type %s`, c.Name, t)
	}
	c.DefaultExpr, err = expr.Store(x, nil)
	return err
}
