package estimate

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// selectivity says which part of a table's rows conditions let through, by what is known of
// its columns. Conditions are taken to be independent of each other.
type selectivity struct {
	by Known
	// column gives what is known of a column, and how many rows its table has; nil is nothing.
	column func(c *expr.Col) (*colstats.Column, float64)
}

// scanSelectivity is about the conditions of a scan.
func scanSelectivity(by Known, t *catalog.Table, cols []int) *selectivity {
	s := &selectivity{by: by}
	s.column = func(c *expr.Col) (*colstats.Column, float64) {
		if by.Estimator == nil || c.Index >= len(cols) {
			return nil, 0
		}
		known := by.Estimator.Column(t, t.Columns[cols[c.Index]].ID)
		if known == nil {
			return nil, 0
		}
		rows, ok := by.Estimator.TableRows(t)
		if !ok {
			return nil, 0
		}
		return known, max(float64(rows), 1)
	}
	return s
}

// part is the part of the rows for which e is true; ok is false where nothing is known of
// the columns that it reads.
func (s *selectivity) part(e expr.Expr) (part float64, ok bool) {
	switch e := e.(type) {
	case *expr.And:
		part, unknown := s.all(e.Args)
		for _, a := range unknown {
			part *= guessPart(a)
		}
		return part, len(unknown) < len(e.Args)
	case *expr.Or:
		none := 1.0
		for _, a := range e.Args {
			p, known := s.part(a)
			if ok = ok || known; !known {
				p = guessPart(a)
			}
			none *= 1 - p
		}
		return 1 - none, ok
	case *expr.InList:
		return s.inList(e)
	case *expr.Call:
		if p, ok := s.comparison(e); ok {
			return p, true
		}
	}
	return s.tried(e)
}

// all is the part of the rows for which all of conds are true, but for those of which nothing
// is known. The two ends of a column's range are one condition: most rows above the lower one
// may be above the upper one too.
func (s *selectivity) all(conds []expr.Expr) (part float64, unknown []expr.Expr) {
	part = 1
	var ranges []rangeParts
	for _, e := range conds {
		if call, ok := e.(*expr.Call); ok {
			if r, ok := s.end(call); ok {
				if i := slices.IndexFunc(ranges, func(o rangeParts) bool { return o.col == r.col }); i < 0 {
					ranges = append(ranges, r)
				} else {
					ranges[i].lo, ranges[i].hi = max(ranges[i].lo, r.lo), min(ranges[i].hi, r.hi)
				}
				continue
			}
		}
		p, ok := s.part(e)
		if !ok {
			unknown = append(unknown, e)
			continue
		}
		part *= p
	}
	for _, r := range ranges {
		part *= max(r.hi-r.lo, r.least)
	}
	return part, unknown
}

// rangeParts is a range of a column's values: the parts of the rows whose values are below its
// ends, and the part of one row.
type rangeParts struct {
	col           int
	lo, hi, least float64
}

// end is about a comparison that bounds a column's values.
func (s *selectivity) end(e *expr.Call) (r rangeParts, ok bool) {
	c, rows, col, op, y := s.compared(e)
	if c == nil {
		return r, false
	}
	d, valued := s.value(y, c)
	if !valued || d.Null {
		return r, false
	}
	r = rangeParts{col: col, hi: max(1-c.Nulls, 0)}
	switch op {
	case "<", "<=":
		r.hi, ok = c.Below(d, op == "<=")
		if ok && r.hi > 0 {
			r.least = min(1/rows, r.hi)
		}
	case ">", ">=":
		r.lo, ok = c.Below(d, op == ">")
		if ok && r.lo < r.hi {
			r.least = min(1/rows, r.hi-r.lo)
		}
	}
	return r, ok
}

// Range is a range of a column's values: the parts of the rows whose values are below its ends.
type Range struct{ lo, hi float64 }

// And is what is in both.
func (r Range) And(o Range) Range { return Range{max(r.lo, o.lo), min(r.hi, o.hi)} }

// Part is the part of the rows that are in it.
func (r Range) Part() float64 { return max(r.hi-r.lo, 0) }

// KeyRange is the range that a term <, <=, > or >= of a key condition bounds, by what is known of
// its column; ok is false for other terms, and where that, or the value, is not known.
func KeyRange(by Known, c *colstats.Column, t *plan.KeyTerm) (r Range, ok bool) {
	if c == nil || t.Op != plan.KeyLt && t.Op != plan.KeyLe && t.Op != plan.KeyGt && t.Op != plan.KeyGe {
		return r, false
	}
	s := selectivity{by: by}
	d, ok := s.value(t.Args[0], c)
	if !ok || d.Null {
		return r, false
	}
	r.hi = max(1-c.Nulls, 0)
	if t.Op == plan.KeyLt || t.Op == plan.KeyLe {
		r.hi, ok = c.Below(d, t.Op == plan.KeyLe)
	} else {
		r.lo, ok = c.Below(d, t.Op == plan.KeyGt)
	}
	return r, ok
}

// KeyEqual is the part of so many rows whose column has the value that e computes; ok is false
// where too little is known.
func KeyEqual(by Known, c *colstats.Column, rows float64, e expr.Expr) (part float64, ok bool) {
	if c == nil {
		return 0, false
	}
	s := selectivity{by: by}
	d, ok := s.value(e, c)
	if !ok || d.Null {
		return 0, false
	}
	return c.Equal(d, rows)
}

// guessPart is part where nothing is known.
func guessPart(e expr.Expr) float64 {
	switch e := e.(type) {
	case *expr.Call:
		switch e.Fn.Name {
		case "=":
			return PercentEq / 100.0
		case "<", "<=", ">", ">=":
			return PercentRange / 100.0
		}
	case *expr.InList:
		return min(PercentEq/100.0*float64(len(e.List)), 1)
	}
	return percentFilter / 100.0
}

// known gives the column that e is, cast or not, and what is known of it.
func (s *selectivity) known(e expr.Expr) (*colstats.Column, float64) {
	c, ok := logical.CastFree(e).(*expr.Col)
	if !ok {
		return nil, 0
	}
	return s.column(c)
}

// value computes e as a value of a column: ok is false where it has another type, or is not
// known yet.
func (s *selectivity) value(e expr.Expr, c *colstats.Column) (d types.Datum, ok bool) {
	if isDayOrTime(c.Type) && isDayOrTime(e.Type()) && e.Type().Base() != c.Type.Base() {
		cast, err := expr.ResolveCast(e, c.Type.Base(), expr.Explicit, 0)
		if err != nil {
			return d, false
		}
		e = cast
	}
	if !isKnown(s.by, e) || len(expr.Cols(e)) > 0 || !sameValues(e.Type(), c.Type) {
		return d, false
	}
	d, err := eval.EvalConst(s.by.Env, e)
	return d, err == nil
}

// sameValues says that values of a are held as those of b are.
func sameValues(a, b types.T) bool {
	if a.Base() == b.Base() {
		return true
	}
	if a.IsString() && b.IsString() {
		return a.Kind != types.Bpchar && b.Kind != types.Bpchar
	}
	return a.Phys() == types.PhysInt && b.Phys() == types.PhysInt && isInteger(a) && isInteger(b)
}

func isDayOrTime(t types.T) bool {
	return t.Kind == types.Date || t.Kind == types.Timestamp || t.Kind == types.Timestamptz
}

func isInteger(t types.T) bool {
	return t.Kind == types.Int2 || t.Kind == types.Int4 || t.Kind == types.Int8
}

// compared gives a column that is compared, what is known of it, and with what; c is nil where
// e is no such comparison.
func (s *selectivity) compared(e *expr.Call) (c *colstats.Column, rows float64, col int, op string, y expr.Expr) {
	if len(e.Args) != 2 {
		return nil, 0, 0, "", nil
	}
	op, x, y := e.Fn.Name, e.Args[0], e.Args[1]
	if c, rows = s.known(x); c == nil {
		if c, rows = s.known(y); c == nil {
			return nil, 0, 0, "", nil
		}
		switch x, y = y, x; op {
		case "<":
			op = ">"
		case "<=":
			op = ">="
		case ">":
			op = "<"
		case ">=":
			op = "<="
		}
	}
	return c, rows, logical.CastFree(x).(*expr.Col).Index, op, y
}

// comparison is about a column compared with a value by an operator of a btree.
func (s *selectivity) comparison(e *expr.Call) (part float64, ok bool) {
	c, rows, _, op, y := s.compared(e)
	if c == nil {
		return 0, false
	}
	d, valued := s.value(y, c)
	switch {
	case valued && d.Null:
		return 0, true
	case op == "=" || op == "<>":
		if valued {
			part, ok = c.Equal(d, rows)
		} else if len(expr.Cols(y)) == 0 && !isKnown(s.by, y) {
			part, ok = c.EqualAny(rows)
		}
		if ok && op == "<>" {
			part = max(1-c.Nulls-part, 0)
		}
	case valued && (op == "<" || op == "<="):
		part, ok = c.Below(d, op == "<=")
	case valued && (op == ">" || op == ">="):
		if part, ok = c.Below(d, op == ">"); ok {
			part = max(1-c.Nulls-part, 0)
		}
	}
	return part, ok
}

// inList adds up its values.
func (s *selectivity) inList(e *expr.InList) (part float64, ok bool) {
	c, rows := s.known(e.X)
	if c == nil || e.Eq.Name != "=" {
		return s.tried(e)
	}
	for _, x := range e.List {
		d, valued := s.value(x, c)
		p, known := 0.0, false
		if valued {
			p, known = c.Equal(d, rows)
		} else if !isKnown(s.by, x) {
			p, known = c.EqualAny(rows)
		}
		if !known {
			return s.tried(e)
		}
		part += p
	}
	return min(part, 1), true
}

// tried computes a condition on one column for the values that are known to be in it.
func (s *selectivity) tried(e expr.Expr) (part float64, ok bool) {
	var col *expr.Col
	several := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			several = several || col != nil && col.Index != c.Index
			col = c
		}
		return true
	})
	if col == nil || several || s.by.Env == nil || !isKnown(s.by, e) {
		return 0, false
	}
	c, _ := s.column(col)
	if c == nil {
		return 0, false
	}
	one := &expr.Const{T: col.T}
	test := expr.MapCols(e, func(*expr.Col) expr.Expr { return one })
	failed := false
	let := func(d types.Datum) bool {
		one.Value = d
		v, err := eval.EvalConst(s.by.Env, test)
		failed = failed || err != nil
		return err == nil && !v.Null && v.Bool
	}
	part, ok = c.Each(let(types.NullDatum), let)
	return part, ok && !failed
}

// ConditionsPart is the part that a scan's conditions let through, and whether more than
// rules of thumb says so: those of which nothing is known count as one of any kind.
func ConditionsPart(by Known, t *catalog.Table, cols []int, conds []expr.Expr) (part float64, known bool) {
	part, unknown := scanSelectivity(by, t, cols).all(conds)
	if len(unknown) > 0 {
		part *= percentFilter / 100.0
	}
	return part, len(unknown) < len(conds)
}
