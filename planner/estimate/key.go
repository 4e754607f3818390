package estimate

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// KeySpread tells of the rows that a scan's key condition selects. Spans are looked up where
// the values are known when planning; a parameter stands for an average value:
//
//	a = 1 AND b > 5       the rows of the span
//	a = 1 AND b = $1      the rows of a = 1, divided by the values of b there
//	a = $1 AND b > $2     all rows, divided by the values of a, and a fifth of that
func KeySpread(by Known, s *plan.Scan) (sp histogram.Spread, ok bool) {
	if by.Estimator == nil {
		return sp, false
	}
	if s.Key == nil {
		return by.Estimator.Spread(s.Table, nil, 0, by.Env)
	}
	if !s.Key.HasArg(func(e expr.Expr) bool { return !isKnown(by, e) }) {
		equal := len(s.Table.PrimaryKey)
		for i := range s.Key.Or {
			equal = min(equal, keycond.ValueRun(&s.Key.Or[i]))
		}
		key := *s.Key
		key.MaxSpans = 0 // what the condition selects, however it is read
		return by.Estimator.Spread(s.Table, &key, equal, by.Env)
	}
	for i := range s.Key.Or {
		one, ok := conjSpread(by, s, &s.Key.Or[i])
		if !ok {
			return sp, false
		}
		if i == 0 {
			sp = one
			continue
		}
		sp.Rows += one.Rows
		sp.Spans += one.Spans
		sp.Points += one.Points
		for k := range sp.Runs {
			sp.Runs[k] += one.Runs[k]
			sp.Distinct[k] += one.Distinct[k]
		}
		sp.Runs[0] = max(sp.Runs[0]-one.Runs[0], one.Runs[0])
	}
	return sp, true
}

// isKnown says that e has a value when planning. A parameter has one where its plan is priced
// for given values.
func isKnown(by Known, e expr.Expr) bool {
	known := true
	expr.Walk(e, func(x expr.Expr) bool {
		if p, ok := x.(*expr.Param); ok {
			known = by.Env != nil && p.N <= len(by.Env.Params)
		}
		return known
	})
	if _, ok := e.(*expr.Const); ok {
		return true
	}
	return known && by.Env != nil && !expr.Volatile(e)
}

// conjSpread is about one conjunction, some of whose arguments are not known.
func conjSpread(by Known, s *plan.Scan, c *plan.KeyConj) (histogram.Spread, bool) {
	var known plan.KeyConj
	for _, t := range c.Terms {
		if allKnown(by, t.Args) {
			known.Terms = append(known.Terms, t)
		}
	}
	equal := keycond.ValueRun(&known)
	var cond *plan.KeyCond
	if equal > 0 || keycond.Bounds(&known, 0) {
		cond = &plan.KeyCond{Or: []plan.KeyConj{known}}
	}
	sp, ok := by.Estimator.Spread(s.Table, cond, equal, by.Env)
	if !ok {
		return sp, false
	}
	run := keycond.ValueRun(c)
	for i := range c.Terms {
		t := &c.Terms[i]
		col := t.Columns[0]
		if cond != nil && col <= equal && allKnown(by, t.Args) || col > run {
			continue // in the spans, or no part of them
		}
		narrow(&sp, t, col)
	}
	return sp, true
}

func allKnown(by Known, args []expr.Expr) bool {
	for _, a := range args {
		if !isKnown(by, a) {
			return false
		}
	}
	return true
}

// ManyValues is how many an array of unknown length is taken to have.
const ManyValues = 10

// narrow applies a term with unknown values on column col to what the columns before leave.
func narrow(sp *histogram.Spread, t *plan.KeyTerm, col int) {
	let := 1.0
	values := 0.0 // that the column is bound to
	switch t.Op {
	case plan.KeyEq:
		values = 1
	case plan.KeyIn, plan.KeyTupleIn:
		values = float64(len(t.Args) / len(t.Columns))
	case plan.KeyInArray:
		values = ManyValues
	case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray, plan.KeyIsNull:
	default:
		let = PercentRange / 100.0
	}
	if values > 0 {
		let = PercentEq / 100.0
		if col+1 < len(sp.Distinct) && sp.Distinct[col+1] > 0 {
			let = max(sp.Distinct[col], 1) / sp.Distinct[col+1]
		}
		let = min(let*values, 1)
	}
	sp.Rows *= let
	for k := col + 1; k < len(sp.Runs); k++ {
		sp.Runs[k] *= let
		sp.Distinct[k] *= let
	}
}

// filterPart is the part of a scan's span that its filter lets through: told by what is
// known of the columns, and without that, what it says of the key by the keys that are known.
func filterPart(by Known, s *plan.Scan) float64 {
	if s.Filter == nil {
		return 1
	}
	if part, ok := ConditionsPart(by, s.Table, s.Cols, walk.Conjuncts(s.Filter)); ok {
		return part
	}
	rest := percentFilter / 100.0
	g, ok := keycond.ReadGaps(s)
	if !ok || g.Skip.HasArg(func(e expr.Expr) bool { return !isKnown(by, e) }) {
		return rest
	}
	cond := s.Key
	if cond.HasArg(func(e expr.Expr) bool { return !isKnown(by, e) }) {
		cond = nil
	}
	let, ok := by.Estimator.Part(s.Table, cond, g.Skip, g.From, by.Env)
	switch {
	case !ok:
		return rest
	case g.Exact:
		return let
	}
	return let * rest
}
