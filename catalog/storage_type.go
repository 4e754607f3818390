package catalog

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// StorageTypeFromName finds the types that Phoenix names and Postgres does
// not. ok is false for any other name; the error is 22023 for a bad modifier.
func StorageTypeFromName(name string, mods []int32, array bool) (t types.T, c rowcodec.Column, ok bool, err error) {
	simple := func(k types.Kind, st rowcodec.Type) {
		t, c, ok = types.Of(k), rowcodec.Column{Type: st}, true
	}
	switch name {
	case "tinyint":
		simple(types.Int2, rowcodec.TinyInt)
	case "unsigned_tinyint":
		simple(types.Int2, rowcodec.UnsignedTinyInt)
	case "unsigned_smallint":
		simple(types.Int2, rowcodec.UnsignedSmallInt)
	case "unsigned_int":
		simple(types.Int4, rowcodec.UnsignedInt)
	case "unsigned_long":
		simple(types.Int8, rowcodec.UnsignedLong)
	case "unsigned_float":
		simple(types.Float4, rowcodec.UnsignedFloat)
	case "unsigned_double":
		simple(types.Float8, rowcodec.UnsignedDouble)
	case "unsigned_date":
		simple(types.Timestamp, rowcodec.UnsignedDate)
	case "unsigned_time":
		simple(types.Time, rowcodec.UnsignedTime)
	case "unsigned_timestamp":
		simple(types.Timestamp, rowcodec.UnsignedTimestamp)
	case "varbinary":
		simple(types.Bytea, rowcodec.Varbinary)
		if len(mods) == 1 && mods[0] > 0 {
			mods = nil // Phoenix's VARBINARY(n) does not bound the length either
		}
	case "varbinary_encoded":
		simple(types.Bytea, rowcodec.VarbinaryEncoded)
	case "binary":
		if len(mods) != 1 || mods[0] < 1 || mods[0] > types.MaxVarcharLength {
			return t, c, true, sqlerr.New(sqlerr.InvalidParameterValue,
				"type binary takes a length in bytes from 1 to %d", types.MaxVarcharLength).
				WithHint("Write binary(16), or use bytea for values of any length.")
		}
		t, c, ok = types.Of(types.Bytea), rowcodec.Column{Type: rowcodec.Binary, Width: int(mods[0])}, true
		mods = nil
	default:
		return t, c, false, nil
	}
	if len(mods) > 0 {
		return t, c, true, sqlerr.New(sqlerr.SyntaxError, `type modifier is not allowed for type "%s"`, name)
	}
	if array {
		c = rowcodec.Column{Type: rowcodec.Array, Elem: c.Type, Width: c.Width}
		t = types.ArrayOf(t)
	}
	c.SQL = t
	return t, c, ok, nil
}

// StorageColumn chooses how a type is stored where the statement's type name
// left that open. 0A000 for types that exist in expressions only.
func StorageColumn(t types.T) (rowcodec.Column, error) {
	t = t.Plain()
	if t.IsVector() {
		return rowcodec.Column{SQL: t}, unstorable(t, "Use %s.", types.ArrayOf(t.ElemType()))
	}
	if t.Kind == types.Array {
		e, err := StorageColumn(t.ElemType())
		if err != nil {
			return e, err
		}
		return rowcodec.Column{Type: rowcodec.Array, Elem: e.Type, Width: e.Width, SQL: t}, nil
	}
	c := rowcodec.Column{SQL: t}
	switch t.Kind {
	case types.Bool:
		c.Type = rowcodec.Boolean
	case types.Int2:
		c.Type = rowcodec.SmallInt
	case types.Int4:
		c.Type = rowcodec.Integer
	case types.Int8:
		c.Type = rowcodec.BigInt
	case types.Enum: // the code of the value, which keeps the declared order
		c.Type = rowcodec.BigInt
	case types.Float4:
		c.Type = rowcodec.Float
	case types.Float8:
		c.Type = rowcodec.Double
	case types.Numeric:
		c.Type = rowcodec.Decimal
	case types.Text, types.Varchar, types.Name, types.JSON, types.JSONB, types.JSONPath:
		c.Type = rowcodec.Varchar
	case types.Bpchar:
		n, ok := t.Length()
		if !ok {
			return c, unstorable(t, "Write char(n) with a length, or use varchar.")
		}
		c.Type, c.Width = rowcodec.Char, n
	case types.Bytea, types.CharOne:
		c.Type = rowcodec.Varbinary
	case types.UUID:
		c.Type, c.Width = rowcodec.Binary, 16
	case types.Date:
		c.Type = rowcodec.Date
	case types.Time:
		c.Type = rowcodec.TimeStorage(t)
	case types.Timestamp, types.Timestamptz:
		c.Type = rowcodec.Timestamp
	case types.Interval:
		c.Type = rowcodec.Interval
	case types.OID, types.Regclass, types.Regtype, types.Regproc, types.Regprocedure, types.Regoper, types.Regoperator,
		types.Regnamespace, types.Regrole, types.Regcollation:
		c.Type = rowcodec.BigInt
	case types.XID, types.CID, types.PgLSN, types.TID:
		return c, unstorable(t, "Use bigint.")
	case types.Unknown, types.Void, types.Record:
		return c, sqlerr.New(sqlerr.InvalidTableDefinition, "type %s cannot be the type of a column", t)
	default:
		return c, unstorable(t, "Use text or bytea.")
	}
	return c, nil
}

func unstorable(t types.T, hint string, args ...any) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "type %s cannot be stored in a table", t).WithHint(hint, args...)
}

// KeyStorage fits a column's storage to its place in the key: bytes of any
// length need their 00 escaped wherever something follows them or they are
// inverted. json and arrays have no order that keys could keep.
func KeyStorage(c *Column, last, adopted bool) error {
	switch {
	case c.Type.Kind == types.JSONPath:
		return sqlerr.New(sqlerr.FeatureNotSupported, `column "%s" of type %s cannot be part of the primary key`, c.Name, c.Type).
			WithHint("Paths have no order: keep the path in a column outside the key.")
	case c.Type.Kind == types.JSON || c.Type.Kind == types.JSONB:
		return sqlerr.New(sqlerr.FeatureNotSupported, `column "%s" of type %s cannot be part of the primary key`, c.Name, c.Type).
			WithHint("Keep the document in a column outside the key, and lead the key with a text, number, date or uuid column.")
	case c.Type.Kind == types.Array:
		return sqlerr.New(sqlerr.FeatureNotSupported, `column "%s" of type %s cannot be part of the primary key`, c.Name, c.Type).
			WithHint("Use one key column per element, or a text column that joins them.")
	case c.Type.Kind == types.Interval: // '1 mon' is '30 days' in a key, and neither could be told from it again
		return sqlerr.New(sqlerr.FeatureNotSupported, `column "%s" of type %s cannot be part of the primary key`, c.Name, c.Type).
			WithHint("Keep the interval in a column outside the key, and a bigint of its microseconds in the key.")
	case c.Generated != "":
		return sqlerr.Unsupported(`generated column "`+c.Name+`" in the primary key is not supported`,
			"Rows are found by their key before they are computed: give the key its value in the statement, or make a UNIQUE index of the column.")
	case c.Store.Type == rowcodec.Varbinary && (!last || c.Desc) && !adopted:
		c.Store.Type = rowcodec.VarbinaryEncoded
	}
	return nil
}

// checkStoreFits refuses a storage type that the column's SQL type does not
// go with: a fault of the caller, or a descriptor changed by hand.
func checkStoreFits(c *Column) error {
	base, err := StorageColumn(c.Type)
	if err != nil {
		return err
	}
	want, got := base.Type, c.Store.Type
	if want == rowcodec.Array && got == rowcodec.Array {
		want, got = base.Elem, c.Store.Elem
	}
	ok := want == got
	switch got {
	case rowcodec.TinyInt, rowcodec.UnsignedTinyInt, rowcodec.UnsignedSmallInt:
		ok = want == rowcodec.SmallInt
	case rowcodec.UnsignedInt:
		ok = want == rowcodec.Integer
	case rowcodec.UnsignedLong:
		ok = want == rowcodec.BigInt
	case rowcodec.UnsignedFloat:
		ok = want == rowcodec.Float
	case rowcodec.UnsignedDouble:
		ok = want == rowcodec.Double
	case rowcodec.VarbinaryEncoded, rowcodec.Binary:
		ok = want == rowcodec.Varbinary || want == got
	case rowcodec.UnsignedDate, rowcodec.UnsignedTime, rowcodec.UnsignedTimestamp:
		return nil // adopted tables only; rowcodec knows which SQL types go with them
	case rowcodec.Int16BE:
		ok = want == rowcodec.SmallInt
	case rowcodec.Int32BE:
		ok = want == rowcodec.Integer
	case rowcodec.Int64BE:
		ok = want == rowcodec.BigInt
	case rowcodec.Float32BE:
		ok = want == rowcodec.Float
	case rowcodec.Float64BE:
		ok = want == rowcodec.Double
	case rowcodec.AsText:
		ok = want != rowcodec.Array
	case rowcodec.Time: // of times that were rounded to milliseconds once
		ok = ok || want == rowcodec.TimeMicros
	case rowcodec.Date: // an adopted DATE keeps its time of day
		ok = ok || c.Type.Kind == types.Timestamp || c.Type.Kind == types.Array && c.Type.Elem == types.Timestamp
	}
	widthOK := c.Store.Width >= 0
	if got == rowcodec.Char || got == rowcodec.Binary {
		widthOK = c.Store.Width >= 1 && c.Store.Width <= types.MaxVarcharLength && (want != got || base.Width == c.Store.Width)
	}
	if !ok || !widthOK {
		return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" of type %s cannot be stored as %s(%d)`,
			c.Name, c.Type, c.Store.Type, c.Store.Width)
	}
	return nil
}
