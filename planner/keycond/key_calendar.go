package keycond

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// readCalendar reads comparisons of date_trunc and of extract(year …), which grow
// with their argument:
//
//	date_trunc('month', ts) = '2024-05-01'   ts >= '2024-05-01' AND ts < '2024-06-01'
//	extract(year FROM ts) < 2024             ts < '2024-01-01'
func (r *Reader) readCalendar(c *expr.Call, op string, right expr.Expr) DNF {
	if len(c.Args) != 2 {
		return Nothing
	}
	unit, ok := c.Args[0].(*expr.Const)
	if !ok || unit.Value.Null {
		return Nothing
	}
	name := strings.ToLower(string(unit.Value.Bytes))
	switch c.Fn.Name {
	case "date_trunc":
		return r.truncCompare(c.Args[1], name, op, right)
	case "extract", "date_part":
		if name == "year" || name == "years" {
			return r.yearCompare(c.Args[1], op, right)
		}
	}
	return Nothing
}

// stepOf gives a unit of date_trunc as an interval.
var stepOf = map[string]types.IntervalValue{
	"second": {Micros: 1e6}, "minute": {Micros: 60e6}, "hour": {Micros: 3600e6}, "day": {Days: 1}, "week": {Days: 7},
	"month": {Months: 1}, "quarter": {Months: 3}, "year": {Months: 12}, "decade": {Months: 120},
	"century": {Months: 1200}, "millennium": {Months: 12000},
}

var (
	oneDay  = types.IntervalValue{Days: 1}
	lessDay = types.IntervalValue{Days: -1}
)

// lateTime is from where on adding a unit of date_trunc may go over the largest timestamp.
const lateTime = "250000-01-01"

// truncCompare reads date_trunc(unit, x) op e; a cast to date is one to the day.
//
// With t the start of e's unit and n that of the next:
//
//	=   t <= x < n, where e is t     <   x < n, or x < t where e is t     <=   x < n
//	                                 >=  x >= t, or x >= n where not      >    x >= n
//
// It is exact for a timestamp without time zone and a literal: zones move, and what a
// parameter is, is not known. A day's slack covers that.
func (r *Reader) truncCompare(x expr.Expr, unit, op string, e expr.Expr) DNF {
	step, ok := stepOf[unit]
	if !ok || !isTime(e.Type().Kind) || isNullConst(e) {
		return Nothing
	}
	x = withoutTimeCast(x)
	col, ok := r.Column(x)
	if !ok || !isTime(col.Type.Kind) {
		return Nothing
	}
	plain := types.Of(types.Timestamp)
	if e.Type().Kind == types.Timestamptz || col.Type.Kind == types.Timestamptz {
		plain = types.Of(types.Timestamptz)
	}
	e, err := expr.ResolveCast(e, plain, expr.Explicit, e.Pos())
	if err != nil {
		return Nothing
	}
	start, err := expr.ResolveFunc("date_trunc", []expr.Expr{textConst(unit), e}, e.Pos())
	if err != nil {
		return Nothing
	}
	next, err := plusInterval(start, step)
	if err != nil {
		return Nothing
	}
	if lit, ok := foldTime(e); ok && plain.Kind == types.Timestamp && col.Type.Kind == types.Timestamp {
		return r.truncLiteral(x, op, lit, start, next)
	}
	// Beyond lateTime the bound is infinity.
	late, err := expr.ResolveOp(">", e, timeConst(lateTime, plain), 0)
	if err != nil {
		return Nothing
	}
	if next, err = plusInterval(next, oneDay); err != nil {
		return Nothing
	}
	next = &expr.Case{Whens: []expr.When{{Cond: late, Then: timeConst("infinity", plain)}}, Else: next, T: plain}
	early, err := expr.ResolveOp("<", e, timeConst("4000-01-01 BC", plain), 0)
	if err != nil {
		return Nothing
	}
	before, err := plusInterval(start, lessDay)
	if err != nil {
		return Nothing
	}
	before = &expr.Case{Whens: []expr.When{{Cond: early, Then: timeConst("-infinity", plain)}}, Else: before, T: plain}
	out := alwaysTrue
	if op[0] != '<' {
		out, _ = out.And(r.readCompare(">=", x, before))
	}
	if op[0] != '>' {
		out, _ = out.And(r.readCompare("<=", x, next))
	}
	if len(out.Any) == 1 && len(out.Any[0].Terms) == 0 {
		return Nothing
	}
	out.Exact = false
	return out
}

// truncLiteral does so for a literal and a column of timestamps without time zone.
func (r *Reader) truncLiteral(x expr.Expr, op string, lit int64, start, next expr.Expr) DNF {
	from, ok := foldTime(start)
	to, ok2 := foldTime(next)
	if !ok || !ok2 {
		return Nothing
	}
	bound := func(op string, v int64) DNF {
		return r.readCompare(op, x, &expr.Const{Value: types.NewInt(v), T: types.Of(types.Timestamp)})
	}
	atStart := from == lit
	switch {
	case op == "=" && !atStart:
		return neverTrue
	case op == "=":
		out, _ := bound(">=", from).And(bound("<", to))
		return out
	case op == "<" && atStart:
		return bound("<", from)
	case op[0] == '<':
		return bound("<", to)
	case op == ">=" && atStart:
		return bound(">=", from)
	}
	return bound(">=", to)
}

// yearCompare reads extract(year FROM x) op e for a literal year of four digits.
func (r *Reader) yearCompare(x expr.Expr, op string, e expr.Expr) DNF {
	c, ok := e.(*expr.Const)
	if !ok || c.Value.Null {
		return Nothing
	}
	outcome, to, year := plan.WholeCompare(CompareOps[op], c.Value, c.T.Kind)
	if outcome == plan.WholeNever {
		return neverTrue
	}
	if outcome == plan.WholeUnknown || year < 2 || year > 9000 {
		return Nothing
	}
	x = withoutTimeCast(x)
	col, ok := r.Column(x)
	if !ok || !isTime(col.Type.Kind) {
		return Nothing
	}
	start := func(year int64) expr.Expr {
		return timeConst(strconv.FormatInt(10000+year, 10)[1:]+"-01-01", types.Of(types.Timestamp))
	}
	lo, hi := start(year), start(year+1)
	exact := col.Type.Kind == types.Timestamp || col.Type.Kind == types.Date
	if !exact { // clocks may be moved at midnight
		var err error
		if lo, err = plusInterval(lo, lessDay); err != nil {
			return Nothing
		}
		if hi, err = plusInterval(hi, oneDay); err != nil {
			return Nothing
		}
	}
	out := alwaysTrue
	switch to {
	case plan.KeyEq:
		out, _ = r.readCompare(">=", x, lo).And(r.readCompare("<", x, hi))
	case plan.KeyLt:
		if out = r.readCompare("<", x, lo); !exact {
			out = r.readCompare("<", x, hi)
		}
	case plan.KeyLe:
		out = r.readCompare("<", x, hi)
	case plan.KeyGe:
		out = r.readCompare(">=", x, lo)
	case plan.KeyGt:
		if out = r.readCompare(">=", x, hi); !exact {
			out = r.readCompare(">=", x, lo)
		}
	default:
		return Nothing
	}
	out.Exact = out.Exact && exact
	return out
}

// withoutTimeCast looks through a cast of a date to a timestamp, or between timestamps.
func withoutTimeCast(x expr.Expr) expr.Expr {
	if c, ok := x.(*expr.Cast); ok && isTime(c.X.Type().Kind) && isTime(c.To.Kind) && c.To.Kind != types.Date {
		return c.X
	}
	return x
}

func textConst(s string) expr.Expr {
	return &expr.Const{Value: types.NewText(s), T: types.Of(types.Text)}
}

// timeConst reads a text that is valid and does not depend on the session's zone by more
// than a day.
func timeConst(text string, t types.T) expr.Expr {
	c := &expr.Const{Value: types.NullDatum, T: t}
	if e, err := expr.ResolveCast(textConst(text), t, expr.Explicit, 0); err == nil {
		if d, err := eval.EvalConst(&expr.Env{TimeZone: time.UTC}, e); err == nil {
			c.Value = d
		}
	}
	return c
}

func plusInterval(e expr.Expr, step types.IntervalValue) (expr.Expr, error) {
	return expr.ResolveOp("+", e, &expr.Const{Value: types.Datum{Interval: step}, T: types.Of(types.Interval)}, 0)
}

// foldTime gives the value of a finite timestamp that depends on nothing.
func foldTime(e expr.Expr) (int64, bool) {
	if expr.Stable(e) || expr.Volatile(e) || !withoutParams(e) {
		return 0, false
	}
	d, err := eval.EvalConst(&expr.Env{}, e)
	if err != nil || d.Null || d.Int == math.MaxInt64 || d.Int == math.MinInt64 {
		return 0, false
	}
	return d.Int, true
}

func withoutParams(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		_, ok := x.(*expr.Param)
		found = found || ok
		return !found
	})
	return !found
}
