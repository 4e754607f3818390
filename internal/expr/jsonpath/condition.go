package jsonpath

import (
	"cmp"
	"strings"

	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// truth values of predicates.
type truth uint8

const (
	no truth = iota
	yes
	unknown
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// truth gives a predicate's value as an item: unknown is null.
func (s *search) truth(n *jsonpath.Node, b truth, l *list) (status, error) {
	if n.Next == nil && l == nil {
		return found, nil
	}
	v := &jsonval.Value{Kind: jsonval.Bool, Bool: b == yes}
	if b == unknown {
		v = &jsonval.Value{Kind: jsonval.Null}
	}
	return s.next(n, item{v: v}, l)
}

// condition computes a predicate, without what follows it. Faults make it unknown.
func (s *search) condition(n *jsonpath.Node, it item) (truth, error) {
	if s.depth++; s.depth > maxDepth {
		return unknown, jsonpath.TooDeep()
	}
	defer func() { s.depth-- }()
	switch n.Op {
	case jsonpath.And, jsonpath.Or:
		ends := no // what decides without the other side
		if n.Op == jsonpath.Or {
			ends = yes
		}
		left, err := s.condition(n.Left, it)
		if err != nil || left == ends {
			return left, err
		}
		right, err := s.condition(n.Right, it)
		if err != nil || right != yes+no-ends {
			return right, err
		}
		return left, nil
	case jsonpath.Not:
		x, err := s.condition(n.Left, it)
		if err != nil || x == unknown {
			return x, err
		}
		return yes - x, nil
	case jsonpath.IsUnknown:
		x, err := s.condition(n.Left, it)
		return truthOf(x == unknown), err
	case jsonpath.Exists:
		return s.exists(n, it)
	case jsonpath.StartsWith:
		return s.pairs(n, it, false, func(a, b item) (truth, error) {
			if !a.is(jsonval.String) || !b.is(jsonval.String) {
				return unknown, nil
			}
			return truthOf(strings.HasPrefix(a.v.Str, b.v.Str)), nil
		})
	case jsonpath.LikeRegex:
		re := n.Regex.Until(s.Done)
		return s.pairs(n, it, false, func(a, _ item) (truth, error) {
			if !a.is(jsonval.String) {
				return unknown, nil
			}
			ok := re.Match([]byte(a.v.Str))
			return truthOf(ok), s.canceled()
		})
	}
	return s.pairs(n, it, true, func(a, b item) (truth, error) { return s.compare(n.Op, a, b) })
}

// canceled asks whether a search of a pattern has been cut short.
func (s *search) canceled() error {
	if s.Step == nil {
		return nil
	}
	return s.Step(0)
}

func (s *search) exists(n *jsonpath.Node, it item) (truth, error) {
	before := s.throw
	s.throw = false
	var l *list
	if !s.Path.Lax {
		l = &list{}
	}
	st, err := s.run(n.Left, it, l)
	s.throw = before
	switch {
	case err != nil || st == fault:
		return unknown, err
	case l != nil:
		return truthOf(len(l.items) > 0), nil
	}
	return truthOf(st == found), nil
}

// pairs looks for a pair of what both sides give of which holds is true: any one in lax
// mode; in strict mode all are looked at, for one that is unknown.
func (s *search) pairs(n *jsonpath.Node, it item, unwrapRight bool, holds func(a, b item) (truth, error)) (truth, error) {
	var left, right list
	before := s.throw
	s.throw = false
	st, err := s.operand(n.Left, it, &left, true)
	if err == nil && st != fault && n.Right != nil {
		st, err = s.operand(n.Right, it, &right, unwrapRight)
	}
	s.throw = before
	if err != nil || st == fault {
		return unknown, err
	}
	if n.Right == nil {
		right.items = make([]item, 1)
	}
	var some, faults bool
	for _, a := range left.items {
		for _, b := range right.items {
			if err := s.step(0); err != nil {
				return unknown, err
			}
			t, err := holds(a, b)
			switch {
			case err != nil:
				return unknown, err
			case t == unknown && !s.Path.Lax:
				return unknown, nil
			case t == unknown:
				faults = true
			case t == yes && s.Path.Lax:
				return yes, nil
			case t == yes:
				some = true
			}
		}
	}
	switch {
	case some:
		return yes, nil
	case faults:
		return unknown, nil
	}
	return no, nil
}

func (s *search) compare(op jsonpath.Op, a, b item) (truth, error) {
	isNull := func(it item) bool { return it.is(jsonval.Null) }
	c := 0
	switch {
	case a.t != nil && b.t != nil:
		var ok bool
		var err error
		if c, ok, err = s.compareMoments(a.t, b.t); err != nil || !ok {
			return unknown, err
		}
	case isNull(a) && isNull(b):
	case isNull(a) || isNull(b):
		return truthOf(op == jsonpath.NotEqual), nil
	case a.t != nil || b.t != nil || a.v.Kind != b.v.Kind:
		return unknown, nil
	case a.v.Kind == jsonval.Bool:
		switch {
		case a.v.Bool == b.v.Bool:
		case a.v.Bool:
			c = 1
		default:
			c = -1
		}
	case a.v.Kind == jsonval.Number:
		c = numeric.Cmp(a.v.Num, b.v.Num)
	case a.v.Kind == jsonval.String:
		c = cmp.Compare(a.v.Str, b.v.Str)
	default:
		return unknown, nil
	}
	switch op {
	case jsonpath.Equal:
		return truthOf(c == 0), nil
	case jsonpath.NotEqual:
		return truthOf(c != 0), nil
	case jsonpath.Less:
		return truthOf(c < 0), nil
	case jsonpath.Greater:
		return truthOf(c > 0), nil
	case jsonpath.LessEqual:
		return truthOf(c <= 0), nil
	}
	return truthOf(c >= 0), nil
}
