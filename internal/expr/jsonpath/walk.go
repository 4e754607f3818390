package jsonpath

// Long because the steps of a path are one recursion, and read in one piece.

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// run takes an item through n and what follows it. In lax mode arrays are taken apart where
// n needs something else.
func (s *search) run(n *jsonpath.Node, it item, l *list) (status, error) {
	return s.runUnwrap(n, it, l, s.Path.Lax)
}

func (s *search) runUnwrap(n *jsonpath.Node, it item, l *list, unwrap bool) (status, error) {
	if s.depth++; s.depth > maxDepth {
		return fault, jsonpath.TooDeep()
	}
	defer func() { s.depth-- }()
	if err := s.step(0); err != nil {
		return fault, err
	}
	if n.Op.Predicate() {
		b, err := s.condition(n, it)
		if err != nil {
			return fault, err
		}
		return s.truth(n, b, l)
	}
	isArray := it.is(jsonval.Array)
	switch n.Op {
	case jsonpath.Add, jsonpath.Sub, jsonpath.Mul, jsonpath.Div, jsonpath.Mod:
		return s.binary(n, it, l)
	case jsonpath.Plus, jsonpath.Minus:
		return s.unary(n, it, l)
	case jsonpath.Key:
		return s.member(n, it, l, unwrap)
	case jsonpath.Root:
		before := s.base
		s.base = &base{v: s.Doc}
		st, err := s.next(n, item{v: s.Doc}, l)
		s.base = before
		return st, err
	case jsonpath.Current:
		return s.next(n, s.current, l)
	case jsonpath.AnyElement:
		switch {
		case isArray:
			return s.each(n.Next, it, l, s.Path.Lax)
		case s.Path.Lax:
			return s.next(n, it, l)
		case s.lenient:
			return none, nil
		}
		return s.fail(sqlerr.SqlJsonArrayNotFound, "jsonpath wildcard array accessor can only be applied to an array")
	case jsonpath.Index:
		return s.index(n, it, l)
	case jsonpath.AnyLevel:
		return s.levels(n, it, l)
	case jsonpath.AnyKey:
		switch {
		case it.is(jsonval.Object):
			return s.descend(n.Next, it, l, 1, 1, 1, false, s.Path.Lax)
		case unwrap && isArray:
			return s.each(n, it, l, false)
		case s.lenient:
			return none, nil
		}
		return s.fail(sqlerr.SqlJsonObjectNotFound, "jsonpath wildcard member accessor can only be applied to an object")
	case jsonpath.Filter:
		if unwrap && isArray {
			return s.each(n, it, l, false)
		}
		before := s.current
		s.current = it
		b, err := s.condition(n.Left, it)
		s.current = before
		if err != nil || b != yes {
			return none, err
		}
		return s.next(n, it, l)
	case jsonpath.Last:
		if s.size < 0 {
			return fault, sqlerr.New(sqlerr.InternalError, "evaluating jsonpath LAST outside of array subscript")
		}
		if n.Next == nil && l == nil {
			return found, nil
		}
		return s.next(n, number(apd.New(int64(s.size-1), 0)), l)
	case jsonpath.Null, jsonpath.True, jsonpath.False, jsonpath.Number, jsonpath.String, jsonpath.Variable:
		return s.literal(n, l)
	}
	return s.method(n, it, l, unwrap)
}

// next takes what n gave through what follows it, or to the list.
func (s *search) next(n *jsonpath.Node, it item, l *list) (status, error) {
	if n.Next != nil {
		return s.run(n.Next, it, l)
	}
	if l != nil {
		return found, s.add(l, it)
	}
	return found, nil
}

// each takes the elements of an array through n.
func (s *search) each(n *jsonpath.Node, it item, l *list, unwrapElements bool) (status, error) {
	return s.descend(n, it, l, 1, 1, 1, false, unwrapElements)
}

// descend takes what lies in it from level first to last through n.
func (s *search) descend(n *jsonpath.Node, it item, l *list, level, first, last uint32, lenient, unwrapNext bool) (status, error) {
	st := none
	if level > last {
		return st, nil
	}
	if s.depth++; s.depth > maxDepth {
		return fault, jsonpath.TooDeep()
	}
	defer func() { s.depth-- }()
	const leaves = jsonpath.LastLevel
	for _, e := range it.v.Elems {
		if err := s.step(0); err != nil {
			return fault, err
		}
		var err error
		within := e.Kind >= jsonval.Array
		if level >= first || first == leaves && last == leaves && !within {
			switch {
			case n != nil:
				before := s.lenient
				s.lenient = before || lenient
				st, err = s.runUnwrap(n, item{v: e}, l, unwrapNext)
				s.lenient = before
				if err != nil || st == fault || st == found && l == nil {
					return st, err
				}
			case l == nil:
				return found, nil
			default:
				if err := s.add(l, item{v: e}); err != nil {
					return fault, err
				}
			}
		}
		if level < last && within {
			st, err = s.descend(n, item{v: e}, l, level+1, first, last, lenient, unwrapNext)
			if err != nil || st == fault || st == found && l == nil {
				return st, err
			}
		}
	}
	return st, nil
}

func (s *search) member(n *jsonpath.Node, it item, l *list, unwrap bool) (status, error) {
	switch {
	case it.is(jsonval.Object):
		v := it.v.Field(n.Str)
		switch {
		case v != nil:
			return s.next(n, item{v: v}, l)
		case s.lenient:
			return none, nil
		}
		return s.fail(sqlerr.SqlJsonMemberNotFound, `JSON object does not contain key "%s"`, n.Str)
	case unwrap && it.is(jsonval.Array):
		return s.each(n, it, l, false)
	case s.lenient:
		return none, nil
	}
	return s.fail(sqlerr.SqlJsonMemberNotFound, "jsonpath member accessor can only be applied to an object")
}

func (s *search) levels(n *jsonpath.Node, it item, l *list) (status, error) {
	st := none
	if n.From == 0 {
		before := s.lenient
		s.lenient = true
		var err error
		st, err = s.next(n, it, l)
		s.lenient = before
		if err != nil || st == found && l == nil {
			return st, err
		}
	}
	if it.is(jsonval.Array) || it.is(jsonval.Object) {
		return s.descend(n.Next, it, l, 1, n.From, n.To, true, s.Path.Lax)
	}
	return st, nil
}

func (s *search) index(n *jsonpath.Node, it item, l *list) (status, error) {
	isArray := it.is(jsonval.Array)
	switch {
	case isArray || s.Path.Lax:
	case s.lenient:
		return none, nil
	default:
		return s.fail(sqlerr.SqlJsonArrayNotFound, "jsonpath array accessor can only be applied to an array")
	}
	before := s.size
	size := 1
	if isArray {
		size = len(it.v.Elems)
	}
	s.size = size
	st := none
	for _, sub := range n.Subs {
		from, fst, err := s.subscript(sub.From, it)
		to := from
		if err == nil && fst != fault && sub.To != nil {
			to, fst, err = s.subscript(sub.To, it)
		}
		if err != nil {
			return fault, err
		}
		if fst == fault {
			st = fault
			break
		}
		if !s.lenient && (from < 0 || from > to || to >= size) {
			return s.fail(sqlerr.InvalidSqlJsonSubscript, "jsonpath array subscript is out of bounds")
		}
		st = none
		for i := max(from, 0); i <= min(to, size-1); i++ {
			v := it
			if isArray {
				v = item{v: it.v.Elems[i]}
			}
			if n.Next == nil && l == nil {
				return found, nil
			}
			if st, err = s.next(n, v, l); err != nil {
				return st, err
			}
			if st == fault || st == found && l == nil {
				break
			}
		}
		if st == fault || st == found && l == nil {
			break
		}
	}
	s.size = before
	return st, nil
}

// subscript computes an index of an array.
func (s *search) subscript(n *jsonpath.Node, it item) (int, status, error) {
	var l list
	st, err := s.run(n, it, &l)
	if err != nil || st == fault {
		return 0, st, err
	}
	if len(l.items) != 1 || !l.items[0].is(jsonval.Number) {
		st, err = s.fail(sqlerr.InvalidSqlJsonSubscript, "jsonpath array subscript is not a single numeric value")
		return 0, st, err
	}
	var whole apd.Decimal
	if err := numeric.Trunc(&whole, l.items[0].v.Num, 0); err != nil {
		st, err = s.raise(err)
		return 0, st, err
	}
	i, ok := numeric.IsInt64(&whole)
	if !ok || i < math.MinInt32 || i > math.MaxInt32 {
		st, err = s.fail(sqlerr.InvalidSqlJsonSubscript, "jsonpath array subscript is out of integer range")
		return 0, st, err
	}
	return int(i), found, nil
}

func (s *search) literal(n *jsonpath.Node, l *list) (status, error) {
	if n.Next == nil && l == nil && n.Op != jsonpath.Variable {
		return found, nil
	}
	var v *jsonval.Value
	before := s.base
	switch n.Op {
	case jsonpath.Null:
		v = &jsonval.Value{Kind: jsonval.Null}
	case jsonpath.True, jsonpath.False:
		v = &jsonval.Value{Kind: jsonval.Bool, Bool: n.Op == jsonpath.True}
	case jsonpath.Number:
		v = &jsonval.Value{Kind: jsonval.Number, Num: n.Num}
	case jsonpath.String:
		v = str(n.Str)
	default:
		if s.Vars == nil {
			v = &jsonval.Value{Kind: jsonval.Null}
			break
		}
		if v = s.Vars.Field(n.Str); v == nil {
			return fault, sqlerr.New(sqlerr.UndefinedObject, `could not find jsonpath variable "%s"`, n.Str)
		}
		s.base = &base{v: s.Vars, id: 1}
	}
	st, err := s.next(n, item{v: v}, l)
	s.base = before
	return st, err
}

// operand runs n and, in lax mode, takes arrays that it gives apart.
func (s *search) operand(n *jsonpath.Node, it item, l *list, unwrap bool) (status, error) {
	if !unwrap || !s.Path.Lax {
		return s.run(n, it, l)
	}
	var seq list
	st, err := s.run(n, it, &seq)
	if err != nil || st == fault {
		return st, err
	}
	for _, x := range seq.items {
		if !x.is(jsonval.Array) {
			if err := s.add(l, x); err != nil {
				return fault, err
			}
			continue
		}
		for _, e := range x.v.Elems {
			if err := s.add(l, item{v: e}); err != nil {
				return fault, err
			}
		}
	}
	return found, nil
}

var sums = map[jsonpath.Op]func(z, x, y *apd.Decimal) error{
	jsonpath.Add: numeric.Add, jsonpath.Sub: numeric.Sub, jsonpath.Mul: numeric.Mul, jsonpath.Div: numeric.Div, jsonpath.Mod: numeric.Mod,
}

func (s *search) binary(n *jsonpath.Node, it item, l *list) (status, error) {
	var sides [2]list
	for i, x := range []*jsonpath.Node{n.Left, n.Right} {
		if st, err := s.operand(x, it, &sides[i], true); err != nil || st == fault {
			return st, err
		}
	}
	for i, side := range []string{"left", "right"} {
		if x := sides[i].items; len(x) != 1 || !x[0].is(jsonval.Number) {
			return s.fail(sqlerr.SingletonSqlJsonItemRequired, "%s operand of jsonpath operator %s is not a single numeric value", side, n.Op.Name())
		}
	}
	z := new(apd.Decimal)
	if err := sums[n.Op](z, sides[0].items[0].v.Num, sides[1].items[0].v.Num); err != nil {
		return s.raise(err)
	}
	return s.next(n, number(z), l)
}

func (s *search) unary(n *jsonpath.Node, it item, l *list) (status, error) {
	var seq list
	if st, err := s.operand(n.Left, it, &seq, true); err != nil || st == fault {
		return st, err
	}
	st := none
	for _, x := range seq.items {
		if !x.is(jsonval.Number) {
			if l == nil && n.Next == nil {
				continue
			}
			return s.fail(sqlerr.SqlJsonNumberNotFound, "operand of unary jsonpath operator %s is not a numeric value", n.Op.Name())
		}
		if l == nil && n.Next == nil {
			return found, nil
		}
		if n.Op == jsonpath.Minus {
			z := new(apd.Decimal)
			numeric.Neg(z, x.v.Num)
			x = number(z)
		}
		one, err := s.next(n, x, l)
		if err != nil || one == fault {
			return one, err
		}
		if one == found {
			if l == nil {
				return found, nil
			}
			st = found
		}
	}
	return st, nil
}
