package stored

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// A descriptor is stored as JSON, in fields of this package alone, so that the
// Go types may change without the stored form:
//
//	{"format":1,"kind":"table","id":16385,"version":7,"state":"public","schema":"public","name":"t", …}
//
// Types go by name and modifier ("numeric", 655366), storage types by
// Phoenix's names. A reader refuses a format above its own.
const descriptorFormat = 11

// epochsFormat is the format of a table whose salt has changed for new rows, whose keys servers that know
// of one layout would not find.
const epochsFormat = 11

// wideFormat is the format of a table that stores what servers of before have no bytes for.
const wideFormat = 9

// materializedFormat is the format of a materialized view, whose rows servers that take it for
// a table must not write.
const materializedFormat = 10

// domainFormat is the format of domains and of what names them, whose values servers that do
// not test them must not write.
const domainFormat = 8

// generatedFormat is the format of a table with generated columns, whose rows servers that do
// not compute them must not write.
const generatedFormat = 7

// typedFormat is the format of types of users, and of what names them.
const typedFormat = 6

// copiedFormat is the format of a table whose rows are being copied, which servers that do
// not fill its change log must not write.
const copiedFormat = 5

// viewFormat is the format of views.
const viewFormat = 4

// ownedFormat is the format of a descriptor with an owner or rights, which servers of
// before there were roles must not write anew.
const ownedFormat = 4

// indexedFormat is the format of a descriptor with indexes and no rights.
const indexedFormat = 3

// plainFormat is the format of a descriptor without bound expressions, which servers
// of before they were kept can read.
const plainFormat = 1

// boundFormat is the format of one with bound expressions and nothing that came later.
const boundFormat = 2

// hasColumnRights says that a column has rights of its own.
func hasColumnRights(t *catalog.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Rights != nil })
}

// keepsBound says that the table has an expression that is kept bound.
func keepsBound(t *catalog.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.DefaultExpr != "" }) ||
		slices.ContainsFunc(t.Checks, func(c catalog.Check) bool { return c.Cond != "" })
}

// storesWide says that a column, or a part of an index, is of a type that could once not be stored.
func storesWide(t *catalog.Table) bool {
	for i := range t.Columns {
		if isWide(&t.Columns[i].Store) {
			return true
		}
	}
	for i := range t.Indexes {
		for k := range t.Indexes[i].Parts {
			if isWide(&t.Indexes[i].Parts[k].Store) {
				return true
			}
		}
	}
	return false
}

func isWide(c *rowcodec.Column) bool {
	st, t := c.Type, c.SQL.Plain()
	if st == rowcodec.Array {
		st, t = c.Elem, t.ElemType()
	}
	switch st {
	case rowcodec.TimeMicros, rowcodec.Interval:
		return true
	case rowcodec.Decimal:
		p, _, ok := t.Precision()
		return ok && p > rowcodec.MaxDecimalDigits
	case rowcodec.BigInt:
		return t.Kind != types.Int8 && t.Kind != types.Enum
	case rowcodec.Varchar:
		return t.Kind == types.Name || t.Kind == types.JSONPath
	case rowcodec.Varbinary, rowcodec.VarbinaryEncoded:
		return t.Kind == types.CharOne
	}
	return false
}
