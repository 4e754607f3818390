package pgcatalog

import (
	"errors"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Query is one reading of a relation.
type Query struct {
	World
	rel   *relation
	Snap  *catalog.Snapshot
	equal map[int]types.Datum
	yield func([]types.Datum) bool
	buf   []types.Datum // the row that yield has
}

// errEnough ends a reading whose reader wants no more rows.
var errEnough = errors.New("enough rows")

func unanswerable(relation string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not available here", relation).
		WithHint("Read it in a statement of a session.")
}

// Row gives a row, its values in the order of the columns.
func (q *Query) Row(values ...types.Datum) error {
	if n := len(q.rel.visible()); len(values) != n {
		return sqlerr.Internal(nil, "a row of %s.%s has %d values for %d columns", q.rel.Schema, q.rel.Name, len(values), n)
	}
	q.buf = append(q.buf[:0], values...)
	if q.rel.system > 0 {
		q.buf = append(q.buf, oid(q.rel.ID))
		for _, c := range systemColumns[1:] {
			q.buf = append(q.buf, num(c.value))
		}
	}
	if !q.yield(q.buf) {
		return errEnough
	}
	return nil
}

// wanted gives the value that a column must have; ok is false where it may have any.
func (q *Query) wanted(column string) (types.Datum, bool) {
	for i := range q.rel.Columns {
		if q.rel.Columns[i].Name == column {
			d, ok := q.equal[i]
			return d, ok
		}
	}
	return types.NullDatum, false
}

// wantOID is wanted of an OID.
func (q *Query) wantOID(column string) (uint32, bool) {
	d, ok := q.wanted(column)
	return uint32(d.Int), ok
}

// wantText is wanted of a name or a text.
func (q *Query) wantText(column string) (string, bool) {
	d, ok := q.wanted(column)
	return string(d.Bytes), ok
}

// isOID says that a column that has this OID is wanted.
func (q *Query) isOID(column string, oid uint32) bool {
	want, ok := q.wantOID(column)
	return !ok || want == oid
}

// IsText says that a column that has this text is wanted.
func (q *Query) IsText(column, text string) bool {
	want, ok := q.wantText(column)
	return !ok || want == text
}

// Values of rows.

var null = types.NullDatum

func oid(v uint32) types.Datum { return types.NewInt(int64(v)) }
func num[N int | int16 | int32 | int64 | uint8 | uint32](v N) types.Datum {
	return types.NewInt(int64(v))
}
func float(v float64) types.Datum { return types.NewFloat(v) }
func text(s string) types.Datum   { return types.NewText(s) }
func yes(v bool) types.Datum      { return types.NewBool(v) }
func char(c byte) types.Datum     { return types.NewBytes([]byte{c}) }

// optional is NULL for no text.
func optional(s string) types.Datum {
	if s == "" {
		return null
	}
	return text(s)
}

// when is NULL for no time.
func when(t time.Time) types.Datum {
	if t.IsZero() {
		return null
	}
	return types.NewInt(t.UnixMicro())
}

func array[E any](elem types.Kind, value func(E) types.Datum, list []E) types.Datum {
	elems := make([]types.Datum, len(list))
	for i, e := range list {
		elems[i] = value(e)
	}
	return types.NewArray(types.Of(elem), elems)
}

func vector[N int16 | uint32](k types.Kind, list []N) types.Datum {
	elems := make([]int64, len(list))
	for i, e := range list {
		elems[i] = int64(e)
	}
	return types.NewVector(types.Of(k), elems...)
}

// Named gives a row by the names of its columns; those not named are NULL. For wide rows.
func (q *Query) Named(values map[string]types.Datum) error {
	row := make([]types.Datum, len(q.rel.visible()))
	found := 0
	for i := range row {
		d, ok := values[q.rel.Columns[i].Name]
		if !ok {
			d = null
		} else {
			found++
		}
		row[i] = d
	}
	if found != len(values) {
		return sqlerr.Internal(nil, "a row of %s.%s names a column that it does not have", q.rel.Schema, q.rel.Name)
	}
	return q.Row(row...)
}
