package catalog

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// NamedType finds a type by its name as written, and how it is stored where the name alone
// says it, as Phoenix's do: 42704, 22023 for a bad modifier.
func NamedType(schema, name string, mods []int32, array bool) (types.T, rowcodec.Column, error) {
	if schema == "" {
		if t, store, ok, err := StorageTypeFromName(name, mods, array); ok || err != nil {
			return t, store, err
		}
	} else {
		name = schema + "." + name
	}
	t, err := types.FromName(name, mods, array)
	return t, rowcodec.Column{}, err
}

// StoredTime gives time columns the precision they are stored with, so that values
// are rounded when they are assigned and not behind the statement's back.
func StoredTime(t types.T) (types.T, error) {
	const precision = 3 // the row format counts milliseconds
	if t.Kind != types.Time && (t.Kind != types.Array || t.Elem != types.Time) {
		return t, nil
	}
	if t.Typmod() > precision {
		return t, sqlerr.Unsupported(fmt.Sprintf("time(%d) is not supported as a column's type", t.Typmod()),
			"Use time(3), or a bigint of microseconds.")
	}
	if t.Typmod() < 0 {
		t = t.WithTypmod(precision)
	}
	return t, nil
}

// PhoenixType is NamedType as Phoenix means it: FLOAT has 4 bytes, DATE keeps its time of
// day. bare says that the name stands without modifiers.
func PhoenixType(schema, name string, mods []int32, array, bare bool) (types.T, rowcodec.Column, error) {
	t, store, err := NamedType(schema, name, mods, array)
	if err != nil {
		return t, store, err
	}
	elem := t
	if t.Kind == types.Array {
		elem = t.ElemType()
	}
	stored := store.Type
	if stored == rowcodec.Array {
		stored = store.Elem
	}
	const precision = 3 // milliseconds
	switch {
	case elem.Kind == types.Float8 && bare:
		elem, stored = types.Of(types.Float4), rowcodec.Float
	case elem.Kind == types.Date:
		elem, stored = types.Of(types.Timestamp).WithTypmod(precision), rowcodec.Date
	case stored == rowcodec.UnsignedDate:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.Time && stored == rowcodec.Invalid:
		elem, stored = types.Of(types.Time).WithTypmod(precision), rowcodec.Time
	case stored == rowcodec.UnsignedTime:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.JSON || elem.Kind == types.JSONB:
		return t, store, sqlerr.Unsupported(fmt.Sprintf("%s in ATTACH TABLE is not supported", elem),
			"Phoenix keeps BSON there: attach the column as VARBINARY, and decode it in the program.")
	default:
		t, err = StoredTime(t)
		return t, store, err
	}
	if t.Kind == types.Array {
		t = types.ArrayOf(elem)
		return t, rowcodec.Column{Type: rowcodec.Array, Elem: stored, Width: store.Width, SQL: t}, nil
	}
	return elem, rowcodec.Column{Type: stored, Width: store.Width, SQL: elem}, nil
}
