package saltsql

import (
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
)

// Type is the SQL type of a column or parameter. Types are comparable; the zero Type is
// that of a value whose type is not known.
type Type struct{ t types.T }

// ParseType reads a type as SQL writes it: "bigint", "numeric(10, 2)", "text[]".
func ParseType(name string) (Type, error) {
	n, err := dialect.ParseTypeName(name)
	if err != nil {
		return Type{}, outward(err)
	}
	t, err := ddl.TypeOf(n)
	return Type{t}, outward(err)
}

// TypeOfOID finds a type by its number in pg_type, as pgtype knows it.
func TypeOfOID(oid uint32) (t Type, ok bool) {
	in, ok := types.FromOID(oid, -1)
	return Type{in}, ok
}

// Name is the type's name in pg_type: "int8", "numeric", "_text".
func (t Type) Name() string { return t.t.TypName() }

// String is the type as SQL writes it, with its modifier: "bigint", "numeric(10,2)",
// "text[]".
func (t Type) String() string { return t.t.String() }

// OID is the type's number in pg_type, as the protocol and pgtype know it.
func (t Type) OID() uint32 { return t.t.OID() }

// Elem is the type of an array's elements; ok is false for what is no array.
func (t Type) Elem() (elem Type, ok bool) {
	if t.t.Kind != types.Array {
		return Type{}, false
	}
	return Type{t.t.ElemType()}, true
}

// Length is n of varchar(n) and char(n); ok is false where the type has none.
func (t Type) Length() (n int, ok bool) {
	if t.t.Kind != types.Varchar && t.t.Kind != types.Bpchar {
		return 0, false
	}
	return t.t.Length()
}

// Precision is p and s of numeric(p,s); ok is false where the type has none.
func (t Type) Precision() (precision, scale int, ok bool) {
	if t.t.Kind != types.Numeric {
		return 0, 0, false
	}
	return t.t.Precision()
}

// Column describes one column of a result.
type Column struct {
	Name string
	Type Type
	// Table is the OID of the table that the column is stored in, and Number its number
	// there; 0 where it is computed.
	Table  uint32
	Number int
}

func columnsOf(cols []session.Column) []Column {
	if cols == nil {
		return nil
	}
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Name: c.Name, Type: Type{c.Type}, Table: c.TableOID, Number: int(c.Attnum)}
	}
	return out
}
