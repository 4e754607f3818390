package rowcodec

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Validate refuses a key that the format cannot hold: 42P16 for the columns,
// 0A000 for a type that has no key encoding, 22023 for the salt.
func (s *KeySchema) Validate() error {
	if len(s.Columns) == 0 {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "a table needs a primary key of at least one column")
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		stored := &c.Column
		if c.Stored != nil {
			stored = c.Stored
		}
		if err := stored.validate(); err != nil {
			return nameColumn(err, s.Table, c.Name)
		}
		switch c.Type {
		case Int16BE, Int32BE, Int64BE, Float32BE, Float64BE, AsText:
			return s.unfit(c, "Its bytes do not sort as its values do.")
		case Array:
			return s.unfit(c, "Use one key column per element, or a text column that joins them.")
		case Interval:
			return s.unfit(c, "Equal intervals such as '1 mon' and '30 days' differ: use a bigint of microseconds there.")
		case VarbinaryEncoded:
			if c.Desc && c.Nullable && c.Stored == nil {
				return s.unfit(c, "Phoenix's NULL cannot be told from values that begin with FF FE there.")
			}
		case Varbinary:
			if s.Format == nil && (c.Desc || i < len(s.Columns)-1) {
				return s.unfit(c, "VARBINARY ends a key and ascends; use VARBINARY_ENCODED elsewhere.")
			}
		}
		if k := c.SQL.Kind; k == types.JSON || k == types.JSONB || k == types.JSONPath {
			return s.unfit(c, "Keep the value in a column outside the key.")
		}
	}
	return s.validateSalt()
}

func (s *KeySchema) unfit(c *KeyColumn, hint string) error {
	return sqlerr.Unsupported(`column "`+c.Name+`" of type `+c.Type.String()+" cannot stand there in the primary key", hint).
		WithColumn(s.Table, c.Name)
}

// Validate refuses what no column of a table can be: 42P16.
func (s *Schema) Validate() error {
	if err := s.Key.Validate(); err != nil {
		return err
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		if err := c.Column.validate(); err != nil {
			return nameColumn(err, s.Key.Table, c.Name)
		}
		if s.Layout == SingleCellArrayWithOffsets && (c.Ordinal < 1 || c.Ordinal > maxQualifier[2]) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" has no place in a packed row: position %d`, c.Name, c.Ordinal)
		}
	}
	return nil
}

// validate checks that the stored type and the SQL type go together.
func (c *Column) validate() error {
	bad := func() error {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "a column stored as %s cannot have this SQL type", c.Type)
	}
	phys, ok := c.SQL.Phys(), false
	switch c.Type {
	case Boolean:
		ok = phys == types.PhysBool
	case TinyInt, SmallInt, Integer, BigInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt:
		ok = phys == types.PhysInt
	case UnsignedLong:
		ok = phys == types.PhysInt || phys == types.PhysDecimal
	case Float, Double, UnsignedFloat, UnsignedDouble:
		ok = phys == types.PhysFloat
	case Decimal:
		ok = phys == types.PhysDecimal
	case Varchar, Varbinary, VarbinaryEncoded:
		ok = phys == types.PhysBytes
	case Char, Binary:
		ok = phys == types.PhysBytes && c.Width > 0
	case Date, UnsignedDate:
		ok = c.SQL.Kind == types.Date || c.SQL.Kind == types.Timestamp || c.SQL.Kind == types.Timestamptz
	case Time, UnsignedTime, TimeMicros:
		ok = c.SQL.Kind == types.Time
	case Timestamp, UnsignedTimestamp:
		ok = c.SQL.Kind == types.Timestamp || c.SQL.Kind == types.Timestamptz
	case Int16BE, Int32BE, Int64BE:
		ok = phys == types.PhysInt
	case Float32BE, Float64BE:
		ok = phys == types.PhysFloat
	case Interval:
		ok = phys == types.PhysInterval
	case AsText:
		ok = phys != types.PhysArray
	case Array:
		if c.SQL.Kind != types.Array || c.Elem == Array {
			return bad()
		}
		el := c.elem()
		return el.validate()
	}
	if !ok {
		return bad()
	}
	return nil
}
