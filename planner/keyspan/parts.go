package keyspan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// Compile makes a condition on a table's key ready for any number of executions; a nil cond is every row.
func Compile(t *catalog.Table, cond *plan.KeyCond) *Condition {
	s := compile(&t.Codec().Key, cond)
	if s.table = t; cond != nil && len(cond.Within) > 0 {
		s.within = eval.ConstProgs(cond.Within)
	}
	return s
}

// Spans gives what to read. The set is valid until the next compute. 22023 and 55000 are of parts: see
// part.Read.
func (s *Condition) Spans(env *expr.Env, noPrune bool) (*rowcodec.SpanSet, error) {
	set, err := s.spans(env, noPrune)
	for i := range s.within {
		if err != nil {
			return nil, err
		}
		set, err = s.inParts(env, set, &s.within[i])
	}
	return set, err
}

// inParts gives what of a set lies in a list of parts.
func (s *Condition) inParts(env *expr.Env, set *rowcodec.SpanSet, tokens *eval.ConstProg) (*rowcodec.SpanSet, error) {
	d, err := tokens.Eval(env)
	if err != nil {
		return nil, err
	}
	var spans []storage.Span
	if !d.Null {
		if spans, err = part.Spans(s.table, d); err != nil {
			return nil, err
		}
	}
	return set.Within(spans), nil
}
