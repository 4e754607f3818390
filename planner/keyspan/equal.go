package keyspan

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// equal gives what the leading key columns are equal to, where the condition says that and
// nothing else, with values of their types; else nil.
func (s *Condition) equal() []*eval.ConstProg {
	terms := s.cond.Or[0].Terms
	if len(terms) > len(s.schema.Columns) {
		return nil
	}
	values := make([]*eval.ConstProg, len(terms))
	for i, t := range terms {
		if t.Op != plan.KeyEq || t.Columns[0] >= len(values) || values[t.Columns[0]] != nil || !FitsKey(s.schema.Columns[t.Columns[0]].SQL, t.Args[0].Type()) {
			return nil
		}
		values[t.Columns[0]] = &s.args[0][i][0]
	}
	return values
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
	return s.prefix.Of(s.vals), nil
}
