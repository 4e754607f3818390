package rowcodec

import (
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
)

// Keys in formats of others are keyform's. Columns keep the encodings of this package for all
// that concerns conditions.

// formClasses are the types of which keys of others may have columns.
var formClasses = map[Type]keyform.Class{
	Varchar: keyform.Text, Varbinary: keyform.Bytes, Binary: keyform.Fixed,
	SmallInt: keyform.Int16, Integer: keyform.Int32, BigInt: keyform.Int64,
	Date: keyform.Millis, Timestamp: keyform.Micros,
}

// bindFormat has the format say how the columns are written, and what the salt is.
func (s *KeySchema) bindFormat() error {
	cols := make([]keyform.Column, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		cols[i] = keyform.Column{Name: c.Name, Class: formClasses[c.Type], SQL: c.SQL, Desc: c.Desc}
	}
	f, i, err := s.Format.Bind(cols)
	switch {
	case err != nil && i >= 0:
		return nameColumn(err, s.Table, s.Columns[i].Name)
	case err != nil:
		return err
	}
	s.Format = f
	for i := range cols {
		s.Columns[i].Form = &cols[i]
	}
	if f.Salt != nil {
		s.Buckets, s.SaltColumns = f.Salt.Buckets, f.Salt.Columns()
	}
	return nil
}

// UnorderedKey says that keys do not sort as the values of the column do.
func (c *KeyColumn) UnorderedKey() bool { return c.Form != nil && c.Form.Unordered() }

// FixedWidth is the size of the column's values in the key, without a separator; 0 where
// it varies.
func (c *KeyColumn) FixedWidth() int {
	if c.Form != nil {
		return c.Form.Width
	}
	return c.Column.FixedWidth()
}

// prefix gives what stands before the logical keys of a bucket; do not change it.
func (s *KeySchema) prefix(bucket int) []byte {
	if s.Format != nil {
		return s.Format.Prefix(bucket)
	}
	return bucketByte(bucket)
}

// PrefixLen is how many bytes stand before the logical keys of a bucket.
func (s *KeySchema) PrefixLen(bucket int) int { return len(s.prefix(bucket)) }
