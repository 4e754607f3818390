package saltsql

import (
	"database/sql/driver"
	"math"
	"reflect"
	"strings"
	"time"
)

// driverRows tells database/sql of a result's columns.
type driverRows struct{ r *Rows }

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*driverRows)(nil)
	_ driver.RowsColumnTypeLength           = (*driverRows)(nil)
	_ driver.RowsColumnTypeNullable         = (*driverRows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*driverRows)(nil)
	_ driver.RowsColumnTypeScanType         = (*driverRows)(nil)
)

func (d *driverRows) Columns() []string {
	cols := d.r.r.Columns()
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names
}

func (d *driverRows) typeOf(i int) Type { return Type{d.r.r.Columns()[i].Type} }

// ColumnTypeDatabaseTypeName is the type's name in pg_type, as other drivers of PostgreSQL
// give it: "VARCHAR", "INT8", "_TEXT".
func (d *driverRows) ColumnTypeDatabaseTypeName(i int) string {
	return strings.ToUpper(d.typeOf(i).Name())
}

func (d *driverRows) ColumnTypeLength(i int) (length int64, ok bool) {
	t := d.typeOf(i)
	if n, ok := t.Length(); ok {
		return int64(n), true
	}
	switch t.Name() {
	case "text", "varchar", "bytea", "json", "jsonb":
		return math.MaxInt64, true
	}
	return 0, false
}

func (d *driverRows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	p, s, ok := d.typeOf(i).Precision()
	return int64(p), int64(s), ok
}

// ColumnTypeNullable is told of a stored column that the rows come from unchanged.
func (d *driverRows) ColumnTypeNullable(i int) (nullable, ok bool) { return d.r.r.Nullable(i) }

// ColumnTypeScanType is a type that takes every value of the column that is not NULL.
func (d *driverRows) ColumnTypeScanType(i int) reflect.Type {
	switch d.typeOf(i).Name() {
	case "bool":
		return reflect.TypeFor[bool]()
	case "int2":
		return reflect.TypeFor[int16]()
	case "int4":
		return reflect.TypeFor[int32]()
	case "int8", "oid":
		return reflect.TypeFor[int64]()
	case "float4":
		return reflect.TypeFor[float32]()
	case "float8":
		return reflect.TypeFor[float64]()
	case "bytea":
		return reflect.TypeFor[[]byte]()
	case "date", "timestamp", "timestamptz":
		return reflect.TypeFor[time.Time]()
	}
	return reflect.TypeFor[string]()
}
