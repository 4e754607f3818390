package jsonfunc

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

func fault(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
}

// parts reads a container; members of json stay in the order they are written
// in, repeated ones too.
func parts(t types.T, d types.Datum) (*jsonval.Value, error) {
	if t.Kind == types.JSON {
		return jsonval.ParseOrdered(string(d.Bytes))
	}
	return jsonval.Parse(string(d.Bytes))
}

func part(v *jsonval.Value, text bool) types.Datum {
	if text {
		return textOf(v)
	}
	return datum(v)
}

// Elements is json_array_elements and its kin.
func Elements(name string, text bool) expr.RowsFunc {
	return func(_ *expr.Env, t []types.T, a []types.Datum) ([][]types.Datum, error) {
		v, err := parts(t[0], a[0])
		if err != nil {
			return nil, err
		}
		jsonb := t[0].Kind == types.JSONB
		switch {
		case v.Kind == jsonval.Array:
		case v.Kind == jsonval.Object && jsonb:
			return nil, fault("cannot extract elements from an object")
		case v.Kind == jsonval.Object:
			return nil, fault("cannot call %s on a non-array", name)
		case jsonb:
			return nil, fault("cannot extract elements from a scalar")
		default:
			return nil, fault("cannot call %s on a scalar", name)
		}
		rows := make([][]types.Datum, len(v.Elems))
		for i, e := range v.Elems {
			rows[i] = []types.Datum{part(e, text)}
		}
		return rows, nil
	}
}

// Each is json_each and its kin.
func Each(name string, text bool) expr.RowsFunc {
	return func(_ *expr.Env, t []types.T, a []types.Datum) ([][]types.Datum, error) {
		v, err := parts(t[0], a[0])
		if err != nil {
			return nil, err
		}
		switch {
		case v.Kind == jsonval.Object:
		case t[0].Kind == types.JSONB:
			return nil, fault("cannot call %s on a non-object", name)
		case v.Kind == jsonval.Array:
			return nil, fault("cannot deconstruct an array as an object")
		default:
			return nil, fault("cannot deconstruct a scalar")
		}
		rows := make([][]types.Datum, len(v.Elems))
		for i, e := range v.Elems {
			rows[i] = []types.Datum{types.NewText(v.Keys[i]), part(e, text)}
		}
		return rows, nil
	}
}

// Keys is json_object_keys and its kin.
func Keys(name string) expr.RowsFunc {
	return func(_ *expr.Env, t []types.T, a []types.Datum) ([][]types.Datum, error) {
		v, err := parts(t[0], a[0])
		if err != nil {
			return nil, err
		}
		switch v.Kind {
		case jsonval.Object:
		case jsonval.Array:
			return nil, fault("cannot call %s on an array", name)
		default:
			return nil, fault("cannot call %s on a scalar", name)
		}
		rows := make([][]types.Datum, len(v.Keys))
		for i, k := range v.Keys {
			rows[i] = []types.Datum{types.NewText(k)}
		}
		return rows, nil
	}
}
