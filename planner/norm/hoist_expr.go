package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// expr replaces the queries in e by columns that are added to cur. guard is what must be
// true for e to be evaluated at all.
func (h *hoister) expr(cur *logical.Node, e expr.Expr, guard []expr.Expr) expr.Expr {
	if !logical.HoldsQuery(e) {
		return e
	}
	return fail.Must(expr.Map(e, func(x expr.Expr) (expr.Expr, error) {
		if !logical.HoldsQuery(x) {
			return x, nil
		}
		switch x := x.(type) {
		case *logical.Subquery:
			return h.value(cur, x, guard), nil
		case *expr.Case:
			return h.ofCase(cur, x, guard), nil
		case *expr.Coalesce:
			args := h.inTurn(cur, x.Args, guard, func(e expr.Expr) expr.Expr { return fail.Must(expr.MakeIsNull(e, 0)) })
			return &expr.Coalesce{Args: args, T: x.T, At: x.At}, nil
		case *expr.And:
			args := h.inTurn(cur, x.Args, guard, func(e expr.Expr) expr.Expr { return fail.Must(expr.MakeIsTest(e, "false", true, 0)) })
			return &expr.And{Args: args, At: x.At}, nil
		case *expr.Or:
			args := h.inTurn(cur, x.Args, guard, func(e expr.Expr) expr.Expr { return fail.Must(expr.MakeIsTest(e, "true", true, 0)) })
			return &expr.Or{Args: args, At: x.At}, nil
		}
		return nil, nil
	}))
}

// inTurn hoists in expressions of which each is asked for only where, by goesOn, the one
// before has not decided.
func (h *hoister) inTurn(cur *logical.Node, args []expr.Expr, guard []expr.Expr, goesOn func(expr.Expr) expr.Expr) []expr.Expr {
	out := slices.Clone(args)
	guard = slices.Clip(guard)
	for i, a := range args {
		out[i] = h.expr(cur, a, guard)
		if logical.VolatileExpr(out[i]) {
			continue
		}
		test := goesOn(out[i])
		guard = append(guard, test)
	}
	return out
}

// ofCase hoists in a CASE: an arm is asked for where its condition is true and none before.
func (h *hoister) ofCase(cur *logical.Node, x *expr.Case, guard []expr.Expr) expr.Expr {
	out := &expr.Case{Whens: slices.Clone(x.Whens), Else: x.Else, T: x.T, At: x.At}
	guard = slices.Clip(guard)
	if x.Operand != nil {
		out.Operand = h.expr(cur, x.Operand, guard)
	}
	for i := range out.Whens {
		w := &out.Whens[i]
		w.Cond = h.expr(cur, w.Cond, guard)
		if logical.VolatileExpr(w.Cond) {
			w.Then = h.expr(cur, w.Then, guard)
			continue
		}
		w.Then = h.expr(cur, w.Then, append(slices.Clip(guard), w.Cond))
		not := fail.Must(expr.MakeIsTest(w.Cond, "true", true, 0))
		guard = append(guard, not)
	}
	if out.Else != nil {
		out.Else = h.expr(cur, out.Else, guard)
	}
	return out
}

// mayFail says that running a query for a row that does not ask for it could end the
// statement with an error, or do something.
func (h *hoister) mayFail(s *logical.Subquery, q logical.Node) bool {
	if s.Kind == logical.Scalar && !h.facts.Of(q).AtMostOne() {
		return true
	}
	return failsBelow(q) || s.Cond != nil && !neverFails(s.Cond)
}

func failsBelow(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Get:
		return n.Sample != nil
	case *logical.Virtual, *logical.Values, *logical.Select, *logical.Project, *logical.Sort, *logical.DistinctOn,
		*logical.Union, *logical.SetOp, *logical.WithRef:
	case *logical.GroupBy:
		for i := range n.Aggs {
			switch n.Aggs[i].Agg.Name {
			case "count", "min", "max", "bool_and", "bool_or", "every":
			default:
				return true
			}
		}
	case *logical.Join:
		if n.Kind == plan.Single {
			return true
		}
	case *logical.Limit:
		for _, e := range []expr.Expr{n.Count, n.Offset} {
			if c, ok := e.(*expr.Const); e != nil && (!ok || !c.Value.Null && c.Value.Int < 0) {
				return true
			}
		}
	default:
		return true
	}
	fails := false
	logical.VisitExprs(n, func(e expr.Expr) { fails = fails || !neverFails(e) })
	return fails || slices.ContainsFunc(n.Inputs(), failsBelow)
}

// safeCalls are functions that give a value for all arguments; sums and products of numbers
// that no type holds are taken to be nobody's.
var safeCalls = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "lower": true, "upper": true, "length": true,
	"+": true, "-": true, "*": true, "||": true, "~~": true, "!~~": true, "abs": true, "date_part": true, "extract": true,
	"IS TRUE": true, "IS NOT TRUE": true, "IS FALSE": true, "IS NOT FALSE": true, "IS UNKNOWN": true, "IS NOT UNKNOWN": true,
}

// neverFails says that evaluating e for any row gives a value and no error.
func neverFails(e expr.Expr) bool {
	safe := true
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Col, *expr.Const, *expr.Param, *expr.And, *expr.Or, *expr.Not, *expr.IsNull, *expr.IsDistinct,
			*expr.Case, *expr.Coalesce, *expr.InList, *expr.AnyAll, *expr.RowCmp:
		case *expr.Call:
			safe = safe && !x.Fn.Volatile && (safeCalls[x.Fn.Name] || dividesByConstant(x))
		case *expr.Cast:
			safe = safe && (logical.CastFree(x) != expr.Expr(x) || x.To.Kind == types.Text)
		default:
			safe = false
		}
		return safe
	})
	return safe
}

func dividesByConstant(c *expr.Call) bool {
	if c.Fn.Name != "/" && c.Fn.Name != "%" || len(c.Args) != 2 {
		return false
	}
	by := c.Args[1]
	if cast, ok := by.(*expr.Cast); ok {
		by = cast.X
	}
	d, ok := by.(*expr.Const)
	return ok && !d.Value.Null && d.Value.Int != 0
}

// exprsFail says that an expression of a tree could fail for a row that nobody asks for.
func exprsFail(n logical.Node) bool {
	if j, ok := n.(*logical.Join); ok && j.Kind == plan.Single {
		return true
	}
	if _, ok := n.(*logical.FuncScan); ok {
		return true
	}
	fails := false
	logical.VisitExprs(n, func(e expr.Expr) { fails = fails || !neverFails(e) })
	return fails || slices.ContainsFunc(n.Inputs(), exprsFail)
}

// values hoists in VALUES: each row with a query is a branch of its own.
func (h *hoister) values(n *logical.Values) logical.Node {
	u := &logical.Union{Cols: n.Cols}
	var plain [][]expr.Expr
	fresh := func() []logical.ColumnID {
		cols := make([]logical.ColumnID, len(n.Cols))
		for i, c := range n.Cols {
			cols[i] = h.meta.Add(*h.meta.Column(c))
		}
		return cols
	}
	flush := func() {
		if len(plain) > 0 {
			u.Parts = append(u.Parts, &logical.Values{Rows: plain, Cols: fresh()})
			plain = nil
		}
	}
	for _, row := range n.Rows {
		if !slices.ContainsFunc(row, logical.HoldsQuery) {
			plain = append(plain, row)
			continue
		}
		flush()
		var cur logical.Node = &logical.Values{Rows: [][]expr.Expr{{}}}
		p := &logical.Project{Cols: fresh(), Exprs: make([]expr.Expr, len(row))}
		for i, e := range row {
			p.Exprs[i] = h.expr(&cur, e, nil)
		}
		p.Input = cur
		u.Parts = append(u.Parts, p)
	}
	flush()
	if len(u.Parts) == 1 {
		p := u.Parts[0].(*logical.Project)
		return &logical.Project{Input: p.Input, Exprs: p.Exprs, Cols: n.Cols}
	}
	return u
}
