package jsonfunc

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// Records from JSON. json_populate_record and json_populate_recordset take the fields from
// the type of their first argument, json_to_record and json_to_recordset from the column
// definition list that follows the call: see RecordRows.

// NoDefinitions refuses a record whose columns nobody has defined.
func NoDefinitions() error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "function returning record called in context that cannot accept type record").
		WithHint("Try calling the function in the FROM clause using a column definition list.")
}

// RecordRows gives what json_to_record, json_to_recordset and their jsonb kin give for a
// column definition list: nil for other functions.
func RecordRows(name string, t types.T, shape *types.Shape) *expr.SetFunc {
	switch name {
	case t.TypName() + "_to_record", t.TypName() + "_to_recordset":
	default:
		return nil
	}
	made := shape.Kept(name, func() any {
		rows := func(env *expr.Env, ts []types.T, a []types.Datum) ([][]types.Datum, error) {
			v, err := parseAs(ts[0], a[0].Bytes)
			if err != nil {
				return nil, err
			}
			if name != ts[0].TypName()+"_to_recordset" {
				row, err := populate(env, name, shape, nil, v)
				return [][]types.Datum{row}, err
			}
			return populateAll(env, name, shape, nil, v)
		}
		cols := make([]expr.SetColumn, len(shape.Fields))
		for i, f := range shape.Fields {
			cols[i] = expr.SetColumn(f)
		}
		return &expr.SetFunc{Named: true, Sig: expr.NewFunc(name, []types.T{t}, types.Of(types.Record), nil), Cols: cols, Rows: rows}
	})
	return made.(*expr.SetFunc)
}

// rowShape gives the shape of the first argument: a value's own, or else its type's.
func rowShape(name string, t types.T, d types.Datum) (*types.Shape, error) {
	if t.Kind != types.Record {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "first argument of %s must be a row type", name)
	}
	shape := t.Shape()
	if !d.Null {
		shape = d.Array.Shape
	}
	if shape == nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "could not determine row type for result of %s", name).
			WithHint("Provide a non-null record argument, or call the function in the FROM clause using a column definition list.")
	}
	return shape, nil
}

// PopulateRecord is json_populate_record.
func PopulateRecord(name string) Func {
	return func(env *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		shape, err := rowShape(name, t[0], a[0])
		if err != nil || a[1].Null {
			return a[0], err
		}
		v, err := parseAs(t[1], a[1].Bytes)
		if err != nil {
			return types.NullDatum, err
		}
		row, err := populate(env, name, shape, a[0].Array, v)
		return types.NewRecord(shape, row), err
	}
}

// PopulateRecordset is json_populate_recordset.
func PopulateRecordset(name string) expr.RowsFunc {
	return func(env *expr.Env, t []types.T, a []types.Datum) ([][]types.Datum, error) {
		shape, err := rowShape(name, t[0], a[0])
		if err != nil || a[1].Null {
			return nil, err
		}
		v, err := parseAs(t[1], a[1].Bytes)
		if err != nil {
			return nil, err
		}
		rows, err := populateAll(env, name, shape, a[0].Array, v)
		for i, r := range rows {
			rows[i] = []types.Datum{types.NewRecord(shape, r)}
		}
		return rows, err
	}
}

// populateAll gives a row for each object of an array.
func populateAll(env *expr.Env, name string, shape *types.Shape, base *types.ArrayValue, v *jsonval.Value) ([][]types.Datum, error) {
	switch {
	case v.Kind != jsonval.Array && strings.HasPrefix(name, "jsonb_"):
		return nil, fault("cannot call %s on a non-array", name)
	case v.Kind == jsonval.Object:
		return nil, fault("cannot call %s on an object", name)
	case v.Kind != jsonval.Array:
		return nil, fault("cannot call %s on a scalar", name)
	}
	rows := make([][]types.Datum, len(v.Elems))
	for i, e := range v.Elems {
		if e.Kind != jsonval.Object {
			return nil, fault("argument of %s must be an array of objects", name)
		}
		var err error
		if rows[i], err = populate(env, name, shape, base, e); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// populate gives the fields of a shape from an object's members, and those that it has not
// from base, which may be nil.
func populate(env *expr.Env, name string, shape *types.Shape, base *types.ArrayValue, v *jsonval.Value) ([]types.Datum, error) {
	switch {
	case v.Kind == jsonval.Array:
		return nil, fault("cannot call populate_composite on an array") // as PostgreSQL calls it within
	case v.Kind != jsonval.Object:
		return nil, fault("cannot call populate_composite on a scalar")
	}
	row := make([]types.Datum, len(shape.Fields))
	for i, f := range shape.Fields {
		switch member := v.Field(f.Name); {
		case member != nil:
			var err error
			if row[i], err = fromJSON(env, name, f.T, member); err != nil {
				return nil, err
			}
		case base != nil:
			row[i] = base.Elems[i].Clone(f.T)
		default:
			row[i] = types.NullDatum
		}
	}
	return row, nil
}

// fromJSON reads a value of type t: strings as t's text, other things by their own text.
func fromJSON(env *expr.Env, name string, t types.T, v *jsonval.Value) (types.Datum, error) {
	switch {
	case v.Kind == jsonval.Null:
		return types.NullDatum, nil
	case t.Kind == types.JSON && v.Source != "":
		return types.NewText(v.Source), nil
	case t.Kind == types.JSONB && v.Source != "":
		return types.ParseString(t, v.Source, nil)
	case t.Kind == types.JSON || t.Kind == types.JSONB:
		return types.NewBytes(v.Append(nil)), nil
	case t.Kind == types.Record && v.Kind == jsonval.Object && t.Shape() != nil:
		row, err := populate(env, name, t.Shape(), nil, v)
		return types.NewRecord(t.Shape(), row), err
	case t.Kind == types.Array && v.Kind == jsonval.Array:
		return arrayFromJSON(env, name, t, v)
	case t.Kind == types.Array && v.Kind != jsonval.String:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected JSON array")
	}
	text := v.Source
	if v.Kind == jsonval.String {
		text = v.Str
	} else if text == "" {
		text = string(v.Append(nil))
	}
	return types.ParseString(t, text, env.TextIO())
}

// arrayFromJSON makes an array of nested ones, all of one size on each level.
func arrayFromJSON(env *expr.Env, name string, t types.T, v *jsonval.Value) (types.Datum, error) {
	out := types.NewArray(t.ElemType(), nil)
	a := out.Array
	for e := v; e.Kind == jsonval.Array && len(e.Elems) > 0; e = e.Elems[0] {
		a.Dims = append(a.Dims, int32(len(e.Elems)))
	}
	var fill func(v *jsonval.Value, dim int) error
	fill = func(v *jsonval.Value, dim int) error {
		if dim == len(a.Dims) {
			d, err := fromJSON(env, name, t.ElemType(), v)
			a.Elems = append(a.Elems, d)
			return err
		}
		if v.Kind != jsonval.Array {
			return sqlerr.New(sqlerr.InvalidTextRepresentation, "expected JSON array")
		}
		if len(v.Elems) != int(a.Dims[dim]) {
			return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed JSON array").
				WithDetail("Multidimensional arrays must have sub-arrays with matching dimensions.")
		}
		for _, e := range v.Elems {
			if err := fill(e, dim+1); err != nil {
				return err
			}
		}
		return nil
	}
	if len(a.Dims) == 0 {
		return out, nil
	}
	if len(a.Dims) > types.MaxDims {
		return out, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(a.Dims), types.MaxDims)
	}
	return out, fill(v, 0)
}
