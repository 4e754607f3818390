package query

import (
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// What Apache Phoenix means by forms that PostgreSQL has not, or gives another meaning.
// They mean it where the schema of Phoenix's functions is on the search path.

// ofPhoenix says that the search path has Phoenix's functions.
func (b *Binder) ofPhoenix() bool { return slices.Contains(b.Ctx.SearchPath, expr.PhoenixSchema) }

// phoenixBytes is X'0AFF', which is bytes there, or B'0101', of whole bytes.
func phoenixBytes(n *tree.Const, pos int) expr.Expr {
	digits := n.Text[1:]
	if n.Text[0] == 'b' {
		if len(digits)%8 != 0 {
			panic(sqlerr.New(sqlerr.InvalidTextRepresentation, "a binary constant needs 8 digits for each byte").At(pos))
		}
		v := make([]byte, len(digits)/8)
		for i := range v {
			n, _ := strconv.ParseUint(digits[8*i:8*i+8], 2, 8) // the lexer takes 0 and 1 alone
			v[i] = byte(n)
		}
		return &expr.Const{Value: types.NewBytes(v), T: types.Of(types.Bytea), At: pos}
	}
	v, err := hex.DecodeString(digits)
	if err != nil {
		panic(sqlerr.New(sqlerr.InvalidTextRepresentation, "a hexadecimal constant needs two digits for each byte").At(pos))
	}
	return &expr.Const{Value: types.NewBytes(v), T: types.Of(types.Bytea), At: pos}
}

// phoenixOp is ResolveOp where a NULL adds nothing to a text by ||, and days are added to
// dates as numbers.
func phoenixOp(name string, l, r expr.Expr, pos int) expr.Expr {
	switch name {
	case "||":
		e := fail.Must(expr.ResolveOp(name, l, r, pos))
		if e.Type().Kind != types.Text {
			return e
		}
		args := []expr.Expr{l, r}
		for i := range args {
			args[i] = fail.Must(expr.ResolveCast(args[i], types.Of(types.Text), expr.Explicit, pos))
		}
		return fail.Must(expr.ResolveFunc(expr.PhoenixSchema+".textcat", args, pos))
	case "+":
		if isNumber(l) && isMoment(r) {
			l, r = r, l
		}
		fallthrough
	case "-":
		if !isMoment(l) || !isNumber(r) || l.Type().Kind == types.Date && isWhole(r) {
			break
		}
		day := &expr.Const{Value: types.Datum{Interval: types.IntervalValue{Micros: 86400 * 1_000_000}}, T: types.Of(types.Interval), At: pos}
		days := fail.Must(expr.ResolveOp("*", r, day, pos))
		r = days
	}
	return fail.Must(expr.ResolveOp(name, l, r, pos))
}

// phoenixCall calls Phoenix's function of that name; nil where it has none of these arguments.
func phoenixCall(name string, args []expr.Expr, pos int) expr.Expr {
	text := func(s string) expr.Expr {
		return &expr.Const{Value: types.NewText(s), T: types.Of(types.Text), At: pos}
	}
	switch {
	case name == "array_elem" && len(args) == 2:
		return fail.Must(expr.MakeSubscript(args[0], []expr.SubscriptRange{{Range: expr.Range{High: args[1]}}}, pos))
	case name == "regexp_replace" && len(args) == 2: // it takes all away
		return fail.Must(expr.ResolveFunc(name, append(args, text(""), text("g")), pos))
	case name == "regexp_replace" && len(args) == 3:
		return fail.Must(expr.ResolveFunc(name, append(args, text("g")), pos))
	}
	own, ok := expr.FuncName(expr.PhoenixSchema, name)
	if !ok {
		return nil
	}
	e, err := expr.ResolveFunc(own, args, pos)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedFunction {
		return nil
	}
	fail.If(err)
	return e
}

// phoenixClock is CURRENT_DATE(), which has its time of day, or CURRENT_TIME(): in UTC, to
// the millisecond.
func phoenixClock(name string, pos int) expr.Expr {
	now := fail.Must(expr.ResolveFunc("now", nil, pos))
	utc := &expr.Const{Value: types.NewText("UTC"), T: types.Of(types.Text), At: pos}
	now = fail.Must(expr.ResolveFunc("timezone", []expr.Expr{utc, now}, pos))
	to := types.Of(types.Timestamp)
	if name == "current_time" {
		to = types.Of(types.Time)
	}
	return fail.Must(expr.ResolveCast(now, to.WithTypmod(3), expr.Explicit, pos))
}

// Assign is expr.ResolveAssign. Phoenix's TIME is a moment, which can be stored as a date: 0A000, as
// one has the time of day alone here.
func (b *Binder) Assign(e expr.Expr, column string, to types.T, pos int) expr.Expr {
	x, err := expr.ResolveAssign(e, column, to, pos)
	if sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch && b.ofPhoenix() && e.Type().Kind == types.Time {
		switch to.Kind {
		case types.Date, types.Timestamp, types.Timestamptz:
			panic(sqlerr.Unsupported("a TIME, which has no date, in a column of type "+to.String()+" is not supported",
				"Write CURRENT_DATE() for CURRENT_TIME(): it has the time of day, too.").At(sqlerr.As(err).Position))
		}
	}
	fail.If(err)
	return x
}

func isMoment(e expr.Expr) bool {
	switch e.Type().Kind {
	case types.Date, types.Timestamp, types.Timestamptz:
		return true
	}
	return false
}

func isNumber(e expr.Expr) bool {
	switch e.Type().Kind {
	case types.Numeric, types.Float4, types.Float8:
		return true
	}
	return isWhole(e)
}

func isWhole(e expr.Expr) bool {
	switch e.Type().Kind {
	case types.Int2, types.Int4, types.Int8:
		return true
	}
	return false
}

// phoenixWithin is FIRST_VALUE(x) WITHIN GROUP (ORDER BY y), LAST_VALUE and NTH_VALUE, and
// FIRST_VALUES and LAST_VALUES, which give an array. Rows where x or y is NULL do not count.
func (b *Binder) phoenixWithin(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	want := 2
	if c.Name == "first_value" || c.Name == "last_value" {
		want = 1
	}
	if len(c.Args) != want {
		panic(sqlerr.New(sqlerr.UndefinedFunction, "%s WITHIN GROUP takes %d arguments", c.Name, want).
			WithHint("Write %s(%s) WITHIN GROUP (ORDER BY y).", c.Name, []string{"x", "x, n"}[want-1]).At(pos))
	}
	known := []tree.Expr{&tree.NullTest{Pos: c.Pos, X: c.Args[0], Not: true}}
	list := *c
	list.Name, list.Within, list.Args, list.OrderBy = "array_agg", false, c.Args[:1], slices.Clone(c.OrderBy)
	for i := range list.OrderBy {
		o := &list.OrderBy[i]
		known = append(known, &tree.NullTest{Pos: c.Pos, X: o.Expr, Not: true})
		if c.Name == "last_value" || c.Name == "last_values" {
			o.Desc = !o.Desc
		}
	}
	if c.Filter != nil {
		known = append(known, c.Filter)
	}
	list.Filter = &tree.And{Pos: c.Pos, Args: known}
	values := b.bindAgg(p, &list)
	if ofArrays(p.Level, values) {
		panic(sqlerr.Unsupported(c.Name+" of arrays is not supported", "Number the rows of each group with row_number(), in a subquery, and take the one wanted.").At(pos))
	}
	var n expr.Expr = &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int4), At: pos}
	if want == 2 {
		n = b.Expr(p, c.Args[1])
	}
	sub := expr.SubscriptRange{Range: expr.Range{High: n}, Slice: c.Name == "first_values" || c.Name == "last_values"}
	return fail.Must(expr.MakeSubscript(values, []expr.SubscriptRange{sub}, pos))
}

// phoenixPercentRank is PERCENT_RANK(v) WITHIN GROUP (ORDER BY x): how many of the values
// are up to v, or DESC over it, of those that are not NULL; NULL where there are none. As in
// Phoenix it is divided in 4 bytes.
func (b *Binder) phoenixPercentRank(p *scope.Place, c *tree.Func) expr.Expr {
	pos := b.Pos(c)
	x, op := c.OrderBy[0].Expr, "<="
	if c.OrderBy[0].Desc {
		op = ">"
	}
	count := func(cond tree.Expr) expr.Expr {
		if c.Filter != nil {
			cond = &tree.And{Pos: c.Pos, Args: []tree.Expr{cond, c.Filter}}
		}
		return b.bindAgg(p, &tree.Func{Pos: c.Pos, Name: "count", Star: true, Filter: cond})
	}
	part := count(&tree.Op{Pos: c.Pos, Name: op, Left: x, Right: c.Args[0]})
	all := count(&tree.NullTest{Pos: c.Pos, X: x, Not: true})
	all = fail.Must(expr.MakeNullIf(all, Bigint(0), pos))
	for _, e := range []*expr.Expr{&part, &all} {
		*e = fail.Must(expr.ResolveCast(*e, types.Of(types.Float4), expr.Explicit, pos))
	}
	rank := fail.Must(expr.ResolveOp("/", part, all, pos))
	return fail.Must(expr.ResolveCast(rank, types.Of(types.Float8), expr.Explicit, pos))
}

// ofArrays says that an aggregate call, as bound at l or outside of it, takes an array.
func ofArrays(l *scope.Level, call expr.Expr) bool {
	for c := call.(*expr.Col); l != nil; l = l.Parent {
		if i := slices.Index(l.Aggs.IDs, c.Index); i >= 0 {
			return l.Aggs.Calls[i].Args[0].Type().Kind == types.Array
		}
	}
	return false
}
