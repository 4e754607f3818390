package jsonpath

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

var kinds = [...]string{
	jsonval.Null: "null", jsonval.String: "string", jsonval.Number: "number", jsonval.Bool: "boolean",
	jsonval.Array: "array", jsonval.Object: "object",
}

func (s *search) method(n *jsonpath.Node, it item, l *list, unwrap bool) (status, error) {
	name := n.Op.Name()
	switch n.Op {
	case jsonpath.Type:
		if it.t != nil {
			return s.next(n, item{v: str(momentType(it.t))}, l)
		}
		return s.next(n, item{v: str(kinds[it.v.Kind])}, l)
	case jsonpath.Size:
		size := 1
		switch {
		case it.is(jsonval.Array):
			size = len(it.v.Elems)
		case s.Path.Lax:
		case s.lenient:
			return none, nil
		default:
			return s.fail(sqlerr.SqlJsonArrayNotFound, "jsonpath item method .%s() can only be applied to an array", name)
		}
		return s.next(n, number(apd.New(int64(size), 0)), l)
	}
	if unwrap && it.is(jsonval.Array) {
		return s.each(n, it, l, false)
	}
	switch n.Op {
	case jsonpath.Double:
		return s.double(n, it, l)
	case jsonpath.Datetime:
		return s.datetime(n, it, l)
	case jsonpath.KeyValue:
		return s.keyValue(n, it, l)
	}
	if !it.is(jsonval.Number) {
		return s.fail(sqlerr.NonNumericSqlJsonItem, "jsonpath item method .%s() can only be applied to a numeric value", name)
	}
	z := new(apd.Decimal)
	var err error
	switch n.Op {
	case jsonpath.Ceiling:
		err = numeric.Ceil(z, it.v.Num)
	case jsonpath.Floor:
		err = numeric.Floor(z, it.v.Num)
	default:
		if z.Set(it.v.Num); z.Negative {
			numeric.Neg(z, z)
		}
	}
	if err != nil {
		return fault, err
	}
	return s.next(n, number(z), l)
}

// double leaves a number as it is where it is in the range of double precision.
func (s *search) double(n *jsonpath.Node, it item, l *list) (status, error) {
	parse := func(text string) (float64, bool) {
		d, err := types.ParseString(types.Of(types.Float8), text, nil)
		return d.Float, err == nil && !math.IsInf(d.Float, 0) && !math.IsNaN(d.Float)
	}
	switch {
	case it.is(jsonval.Number):
		if _, ok := parse(numeric.String(it.v.Num)); !ok {
			return s.fail(sqlerr.NonNumericSqlJsonItem, "numeric argument of jsonpath item method .%s() is out of range for type double precision", n.Op.Name())
		}
	case it.is(jsonval.String):
		f, ok := parse(it.v.Str)
		if !ok {
			return s.fail(sqlerr.NonNumericSqlJsonItem, "string argument of jsonpath item method .%s() is not a valid representation of a double precision number", n.Op.Name())
		}
		z := new(apd.Decimal)
		const digits = 15
		if err := numeric.FromFloat(z, f, digits); err != nil {
			return fault, err
		}
		it = number(z)
	default:
		return s.fail(sqlerr.NonNumericSqlJsonItem, "jsonpath item method .%s() can only be applied to a string or numeric value", n.Op.Name())
	}
	return s.next(n, it, l)
}

// keyValue gives an object of each member, with an id of the object that it is of.
func (s *search) keyValue(n *jsonpath.Node, it item, l *list) (status, error) {
	if !it.is(jsonval.Object) {
		return s.fail(sqlerr.SqlJsonObjectNotFound, "jsonpath item method .%s() can only be applied to an object", n.Op.Name())
	}
	if len(it.v.Keys) == 0 {
		return none, nil
	}
	if n.Next == nil && l == nil {
		return found, nil
	}
	const perBase = 10000000000
	id := &jsonval.Value{Kind: jsonval.Number, Num: apd.New(s.base.place(it.v)+s.base.id*perBase, 0)}
	st := none
	for i, key := range it.v.Keys {
		obj := &jsonval.Value{Kind: jsonval.Object, Keys: []string{"id", "key", "value"}, Elems: []*jsonval.Value{id, str(key), it.v.Elems[i]}}
		before := s.base
		s.base = &base{v: obj, id: s.lastID}
		s.lastID++
		var err error
		st, err = s.next(n, item{v: obj}, l)
		s.base = before
		if err != nil || st == fault || st == found && l == nil {
			return st, err
		}
	}
	return st, nil
}
