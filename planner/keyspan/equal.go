package keyspan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// alsoEqual is one more value that a key column is equal to.
type alsoEqual struct {
	col   int
	value *eval.ConstProg
}

// equal gives what the leading key columns are equal to, where the condition says that and
// nothing else, with values of their types; else nil. A column that several values are given
// for, as l.k = $1 AND l.k = o.k does, has the others in s.also.
func (s *Condition) equal() []*eval.ConstProg {
	terms := s.cond.Or[0].Terms
	values := make([]*eval.ConstProg, len(s.schema.Columns))
	n := 0
	for i, t := range terms {
		c := t.Columns[0]
		if t.Op != plan.KeyEq || !FitsKey(s.schema.Columns[c].SQL, t.Args[0].Type()) {
			return nil
		}
		value := &s.args[0][i][0]
		switch {
		case values[c] == nil:
			values[c] = value
			n++
		case s.schema.Columns[c].SQL.Kind == types.Bpchar: // blanks would have to be dropped
			return nil
		default:
			s.also = append(s.also, alsoEqual{c, value})
		}
	}
	if values = values[:n]; slices.Contains(values, nil) {
		return nil
	}
	return values
}

// contradicts says that a column would have to have two values, or a NULL.
func (s *Condition) contradicts(env *expr.Env) (bool, error) {
	for _, a := range s.also {
		d, err := a.value.Eval(env)
		if err != nil {
			return false, err
		}
		if d.Null || !types.Equal(s.schema.Columns[a.col].SQL, d, s.vals[a.col]) {
			return true, nil
		}
	}
	return false, nil
}

// compilePrefix makes s ready for onePrefix, if it can.
func (s *Condition) compilePrefix(values []*eval.ConstProg) {
	for i := range values {
		c := &s.schema.Columns[i]
		stored := c.Type
		if c.Stored != nil {
			stored = c.Stored.Type
		}
		if !keptWhole(stored) || c.SQL.Kind == types.Bpchar {
			return
		}
	}
	if s.prefix = s.schema.NewPrefixSpan(len(values)); s.prefix != nil {
		s.lead, s.vals = values, make([]types.Datum, len(values))
	}
}

// keptWhole says that a storage type keeps every value as it is or refuses it,
// so that a row found by the value's key has that value.
func keptWhole(t rowcodec.Type) bool {
	switch t {
	case rowcodec.Boolean, rowcodec.TinyInt, rowcodec.SmallInt, rowcodec.Integer, rowcodec.BigInt,
		rowcodec.Varchar, rowcodec.Varbinary, rowcodec.VarbinaryEncoded:
		return true
	}
	return false
}

// onePoint makes the one key that all columns bound by = name; nil where a
// value cannot be a key's, which Spans then answers.
func (s *Condition) onePoint(env *expr.Env) (*rowcodec.SpanSet, error) {
	for i, e := range s.full {
		d, err := e.Eval(env)
		if err != nil {
			return nil, err
		}
		if d.Null {
			s.set = rowcodec.SpanSet{AllPoints: true, Exact: true}
			return &s.set, nil
		}
		s.vals[i] = d
	}
	if no, err := s.contradicts(env); no || err != nil {
		s.set = rowcodec.SpanSet{AllPoints: true, Exact: true}
		return &s.set, err
	}
	key, err := s.schema.AppendKey(s.point[0][:0], s.vals)
	if err != nil {
		return nil, nil // no such key can be stored
	}
	s.point[0] = key
	s.set = rowcodec.SpanSet{Points: s.point[:], AllPoints: true, Exact: s.exact}
	return &s.set, nil
}

// onePrefix makes the one span of the leading columns' values; nil where one of them cannot
// be a key's, which Spans then answers.
func (s *Condition) onePrefix(env *expr.Env) (*rowcodec.SpanSet, error) {
	for i, e := range s.lead {
		d, err := e.Eval(env)
		if err != nil {
			return nil, err
		}
		if d.Null {
			s.set = rowcodec.SpanSet{Exact: true}
			return &s.set, nil
		}
		s.vals[i] = d
	}
	if no, err := s.contradicts(env); no || err != nil {
		s.set = rowcodec.SpanSet{Exact: true}
		return &s.set, err
	}
	return s.prefix.Of(s.vals), nil
}
