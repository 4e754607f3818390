package keyspan

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// Condition turns a KeyCond and an execution's parameters into what to read.
type Condition struct {
	table  *catalog.Table
	schema *rowcodec.KeySchema
	cond   *plan.KeyCond
	within []eval.ConstProg // of the parts of the table that it is cut to

	conjs   []rowcodec.Conj
	inexact bool // a term means more than its ranges say
	vals    []types.Datum
	point   [1][]byte
	set     rowcodec.SpanSet     // of a point
	args    [][][]eval.ConstProg // per conjunction and term
	full    []*eval.ConstProg    // per key column, where the condition is one full key
	exact   bool                 // keys are equal where the values are
	lead    []*eval.ConstProg    // per leading key column, where the condition is their values
	also    []alsoEqual          // of full and lead
	prefix  *rowcodec.PrefixSpan // of lead
}

func compile(schema *rowcodec.KeySchema, cond *plan.KeyCond) *Condition {
	s := &Condition{schema: schema, cond: cond}
	if cond == nil {
		return s
	}
	for _, c := range cond.Or {
		var args [][]eval.ConstProg
		for _, t := range c.Terms {
			args = append(args, eval.ConstProgs(t.Args))
		}
		s.args = append(s.args, args)
	}
	// In adopted tables a value may have several encodings.
	if schema.Adopted || len(cond.Or) != 1 {
		return s
	}
	switch values := s.equal(); {
	case values == nil:
	case len(values) == len(schema.Columns):
		s.full, s.exact = values, true
		for i := range schema.Columns {
			s.exact = s.exact && keptWhole(schema.Columns[i].Type)
		}
		s.vals = make([]types.Datum, len(values))
	default:
		s.compilePrefix(values)
	}
	return s
}

// spans is Spans of the whole table.
func (s *Condition) spans(env *expr.Env, noPrune bool) (*rowcodec.SpanSet, error) {
	if s.full != nil {
		if set, err := s.onePoint(env); set != nil || err != nil {
			return set, err
		}
	}
	if s.prefix != nil && !noPrune {
		if set, err := s.onePrefix(env); set != nil || err != nil {
			return set, err
		}
	}
	if err := s.conditions(env); err != nil {
		return nil, err
	}
	set, err := s.schema.Spans(s.conjs, rowcodec.SpanOptions{NoPrune: noPrune, MaxSpans: s.maxSpans()})
	if err != nil {
		return nil, err
	}
	if s.inexact {
		set.Exact = false
	}
	return set, nil
}

// Suffixes gives what of the rows to read lies behind the prefix of the first columns
// of a key, of which the condition says nothing; ok is false where that cannot be told.
func (s *Condition) Suffixes(env *expr.Env, from int) (spans []storage.Span, ok bool, err error) {
	if err := s.conditions(env); err != nil {
		return nil, false, err
	}
	return s.schema.SuffixSpans(s.conjs, from)
}

func (s *Condition) maxSpans() int {
	if s.cond == nil {
		return 0
	}
	return s.cond.MaxSpans
}

// conditions makes conjs for the parameters of env.
func (s *Condition) conditions(env *expr.Env) error {
	s.conjs, s.inexact = s.conjs[:0], false
	if s.cond == nil {
		s.conjs = append(s.conjs, rowcodec.Conj{})
		return nil
	}
	for i := range s.cond.Or {
		if err := s.conj(env, &s.cond.Or[i], s.args[i]); err != nil {
			return err
		}
	}
	return nil
}

// conj appends one conjunction's rows, which may be several Conjs or none.
func (s *Condition) conj(env *expr.Env, c *plan.KeyConj, argsOf [][]eval.ConstProg) error {
	out := rowcodec.Conj{Columns: make([][]rowcodec.Range, len(s.schema.Columns))}
	var in *plan.KeyTerm // a tuple list multiplies the conjunction
	var inArgs []types.Datum
	var not [][]types.Datum // values that a column has not: their gaps are made once
	for i := range c.Terms {
		t := &c.Terms[i]
		args := make([]types.Datum, len(t.Args))
		for j := range t.Args {
			d, err := argsOf[i][j].Eval(env)
			if err != nil {
				return err
			}
			args[j] = Unpadded(t.Args[j].Type(), d)
		}
		if t.Op == plan.KeyTupleIn {
			if in != nil {
				s.inexact = true // one list of two is enough to find a superset
				continue
			}
			in, inArgs = t, args
			continue
		}
		if values, ok := excluded(t, args); ok {
			if not == nil {
				not = make([][]types.Datum, len(s.schema.Columns))
			}
			not[t.Columns[0]] = append(not[t.Columns[0]], values...)
			continue
		}
		possible, err := s.term(&out, t, args)
		if err != nil || !possible {
			return err
		}
	}
	for col, values := range not {
		if len(values) > 0 && !s.narrow(&out, col, gaps(s.schema.Columns[col].SQL, values)) {
			return nil
		}
	}
	if in == nil {
		s.conjs = append(s.conjs, out)
		return nil
	}
	w := len(in.Columns)
next:
	for ; len(inArgs) >= w; inArgs = inArgs[w:] {
		row := rowcodec.Conj{Columns: append([][]rowcodec.Range(nil), out.Columns...), Tuples: out.Tuples}
		for j, col := range in.Columns {
			if inArgs[j].Null {
				continue next
			}
			if !s.narrow(&row, col, []rowcodec.Range{Equal(inArgs[j])}) {
				continue next
			}
		}
		s.conjs = append(s.conjs, row)
	}
	return nil
}

// Unpadded drops the blanks at the end of a char(n), which do not matter to
// comparisons, and which a key has of its own.
func Unpadded(t types.T, d types.Datum) types.Datum {
	switch {
	case d.Null:
	case t.Kind == types.Bpchar:
		d.Bytes = bytes.TrimRight(d.Bytes, " ")
	case t.Kind == types.Array && t.Elem == types.Bpchar:
		a := *d.Array
		a.Elems = make([]types.Datum, len(d.Array.Elems))
		for i, e := range d.Array.Elems {
			a.Elems[i] = Unpadded(t.ElemType(), e)
		}
		d.Array = &a
	}
	return d
}

// term narrows out by one term; false if nothing can satisfy it.
func (s *Condition) term(out *rowcodec.Conj, t *plan.KeyTerm, args []types.Datum) (bool, error) {
	if t.Op == plan.KeyTuple {
		return s.tuple(out, t, args)
	}
	col := t.Columns[0]
	if t.Op == plan.KeyIsNull || t.Op == plan.KeyIsNotNull {
		return s.narrow(out, col, []rowcodec.Range{{Null: t.Op == plan.KeyIsNull}}), nil
	}
	if t.Op == plan.KeyIn {
		var list []rowcodec.Range
		for i, a := range args {
			if a.Null {
				continue
			}
			if kind := t.Args[i].Type().Kind; s.isWider(col, kind) {
				if r, ok := s.wholeRange(plan.KeyEq, a, kind); ok {
					list = append(list, r)
				}
				continue
			}
			list = append(list, Equal(a))
		}
		return s.narrow(out, col, list), nil
	}
	if len(args) != 1 {
		return false, sqlerr.Internal(nil, "key term %d has %d arguments", t.Op, len(args))
	}
	a := args[0]
	if a.Null {
		return false, nil
	}
	r := rowcodec.Range{}
	switch t.Op {
	case plan.KeyEq, plan.KeyLt, plan.KeyLe, plan.KeyGt, plan.KeyGe:
		if kind := t.Args[0].Type().Kind; s.isWider(col, kind) {
			ok := false
			if r, ok = s.wholeRange(t.Op, a, kind); !ok {
				return false, nil
			}
			break
		}
		r = compareRange(t.Op, a)
	case plan.KeyInArray:
		var list []rowcodec.Range
		for _, e := range a.Array.Elems {
			if !e.Null {
				list = append(list, Equal(e))
			}
		}
		return s.narrow(out, col, list), nil
	case plan.KeyPrefix:
		r = rowcodec.PrefixRange(a.Bytes)
	case plan.KeyLike:
		// The pattern is compared with the blanks that char(n) is padded with.
		s.inexact = s.inexact || s.schema.Columns[col].SQL.Kind == types.Bpchar
		prefix, whole, exact := LikePrefix(a.Bytes)
		switch {
		case whole:
			r = Equal(types.NewBytes(prefix))
		default:
			r = rowcodec.PrefixRange(prefix)
			s.inexact = s.inexact || !exact
		}
	case plan.KeyRegex:
		s.inexact = true
		prefix, _ := regex.Prefix(string(a.Bytes), 0)
		r = rowcodec.PrefixRange([]byte(prefix))
	default:
		return false, sqlerr.Internal(nil, "unknown key term %d", t.Op)
	}
	return s.narrow(out, col, []rowcodec.Range{r}), nil
}

// excluded gives the values that a term says its column has not; of none it is also true of NULL.
// ok is false for other terms, and for a list that is NULL, of which nothing is true.
func excluded(t *plan.KeyTerm, args []types.Datum) (values []types.Datum, ok bool) {
	switch t.Op {
	case plan.KeyNe, plan.KeyNotIn:
		return args, true
	case plan.KeyNotInArray:
		if len(args) == 1 && !args[0].Null {
			return args[0].Array.Elems, true
		}
	}
	return nil, false
}

// tuple adds a lexical bound. A NULL in it leaves what stands before it: there
// (a, b) > (1, NULL) is true for a > 1 only.
func (s *Condition) tuple(out *rowcodec.Conj, t *plan.KeyTerm, args []types.Datum) (bool, error) {
	cols, op := t.Columns, t.Tuple
	for i, a := range args {
		if a.Null {
			cols, args = cols[:i], args[:i]
			op = op[:1]
			break
		}
	}
	if len(cols) == 0 {
		return false, nil
	}
	for i := 1; i < len(cols); i++ {
		if cols[i] != cols[i-1]+1 {
			// With a hole, the columns before it bound a superset.
			cols, args = cols[:i], args[:i]
			if len(op) == 1 {
				op += "="
			}
			s.inexact = true
			break
		}
	}
	out.Tuples = append(out.Tuples[:len(out.Tuples):len(out.Tuples)], rowcodec.TupleBound{Columns: cols, Op: op, Values: args})
	return true, nil
}

// isWider says that a column of whole numbers is compared with a number of another type.
func (s *Condition) isWider(col int, arg types.Kind) bool {
	return IsWholeType(s.schema.Columns[col].SQL.Kind) && !IsWholeType(arg)
}

func Equal(d types.Datum) rowcodec.Range {
	return rowcodec.Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true}
}

// narrow intersects what column col may be with list; false if nothing is left.
func (s *Condition) narrow(out *rowcodec.Conj, col int, list []rowcodec.Range) bool {
	have := out.Columns[col]
	if have == nil {
		out.Columns[col] = list
		return len(list) > 0
	}
	t := s.schema.Columns[col].SQL
	if len(have)*len(list) > manyPairs {
		if both, ok := common(t, have, list); ok {
			out.Columns[col] = both
			return len(both) > 0
		}
	}
	both := make([]rowcodec.Range, 0, max(len(have), len(list)))
	for _, a := range have {
		for _, b := range list {
			if r, ok := intersect(t, a, b); ok {
				both = append(both, r)
			}
		}
	}
	out.Columns[col] = both
	return len(both) > 0
}

func intersect(t types.T, a, b rowcodec.Range) (rowcodec.Range, bool) {
	if a.Null || b.Null {
		return rowcodec.Range{Null: true}, a.Null && b.Null
	}
	r := a
	if b.Lo != nil {
		if r.Lo == nil {
			r.Lo, r.LoIncl = b.Lo, b.LoIncl
		} else if c := types.Compare(t, *b.Lo, *r.Lo); c > 0 {
			r.Lo, r.LoIncl = b.Lo, b.LoIncl
		} else if c == 0 {
			r.LoIncl = r.LoIncl && b.LoIncl
		}
	}
	if b.Hi != nil {
		if r.Hi == nil {
			r.Hi, r.HiIncl = b.Hi, b.HiIncl
		} else if c := types.Compare(t, *b.Hi, *r.Hi); c < 0 {
			r.Hi, r.HiIncl = b.Hi, b.HiIncl
		} else if c == 0 {
			r.HiIncl = r.HiIncl && b.HiIncl
		}
	}
	if r.Lo != nil && r.Hi != nil {
		c := types.Compare(t, *r.Lo, *r.Hi)
		if c > 0 || c == 0 && !(r.LoIncl && r.HiIncl) {
			return r, false
		}
	}
	return r, true
}
