package bind

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// What DDL wants of the binder: expressions that stand alone, before there is
// a table, or beside one.

// ScopeColumn is a column that a CHECK may name, and what a generated column is computed by
// where it is not Generated itself.
type ScopeColumn struct {
	ID        int
	Name      string
	Type      types.T
	Generated bool
}

// TableScope gives a table's columns.
func TableScope(t *catalog.Table) []ScopeColumn {
	cols := make([]ScopeColumn, len(t.Visible()))
	for i, c := range t.Visible() {
		cols[i] = ScopeColumn{ID: c.ID, Name: c.Name, Type: c.Type, Generated: c.Generated != ""}
	}
	return cols
}

// Default binds a column's DEFAULT as it is to be kept. It may name no column, and
// must be assignable to the column's type (42804); what relations it names must be
// sequences (0A000).
func Default(ctx *query.Context, e *tree.SourceExpr, column string, t types.T) (_ catalog.ColumnDefault, err error) {
	defer fail.Caught(&err)
	return newWriter(ctx, e.NumParams).keepDefault(e, column, t), nil
}

// ofDefault is the place of a column's DEFAULT.
func ofDefault() *scope.Place { return &scope.Place{Clause: "DEFAULT expressions", NoColumns: true} }

func (b writer) keepDefault(e *tree.SourceExpr, column string, t types.T) catalog.ColumnDefault {
	none := catalog.ColumnDefault{}
	x := b.Expr(ofDefault(), e.Node)
	if e.NumParams > 0 {
		panic(noParameter(e))
	}
	x = fail.Must(expr.ResolveAssign(x, column, defaultType(x, t), e.Pos))
	x = fail.Must(eval.Settle(b.Ctx.Env, x))
	if c, ok := x.(*expr.Const); ok && c.Value.Null && c.T == t {
		return none // as without a DEFAULT; of a domain it takes the place of the domain's
	}
	out := catalog.ColumnDefault{}
	for _, id := range expr.Relations(x) {
		switch r := b.Ctx.Catalog.ByID(id).(type) {
		case nil:
		case *catalog.Sequence:
			out.Uses = append(out.Uses, id)
		default:
			panic(sqlerr.Unsupported(fmt.Sprintf("%q in a default is not supported: it is no sequence", r.RelName()),
				"A default may name sequences only.").At(e.Pos))
		}
	}
	if id := drawsFrom(x); id != 0 && slices.Contains(out.Uses, id) {
		return catalog.ColumnDefault{Sequence: id}
	}
	out.Expr = fail.Must(expr.Store(x, nil))
	return out
}

// defaultType is the type that a DEFAULT is kept as: the column's without its modifier, which
// is applied where a row is written, since it may grow until then. That of an interval tells
// what the numbers of an untyped literal mean.
func defaultType(x expr.Expr, t types.T) types.T {
	if t.Kind == types.Interval && x.Type().Kind == types.Unknown {
		return t.Plain()
	}
	return t.Base()
}

// FixedDefault gives the value of a DEFAULT that is the same for every row, of type t;
// 0A000 for any other.
func FixedDefault(ctx *query.Context, e *tree.SourceExpr, column string, t types.T) (_ types.Datum, err error) {
	defer fail.Caught(&err)
	x := newWriter(ctx, e.NumParams).Expr(ofDefault(), e.Node)
	x = fail.Must(expr.ResolveAssign(x, column, defaultType(x, t), e.Pos))
	x = fail.Must(eval.Settle(ctx.Env, x))
	if _, ok := eval.Fold(ctx.Env, x).(*expr.Const); !ok {
		return types.Datum{}, sqlerr.Unsupported(fmt.Sprintf("the default of column %q is not a constant", column),
			"Rows that lack the column have its default, so it must be one value: leave DEFAULT out, and give new rows theirs by ALTER TABLE … SET DEFAULT.").At(e.Pos)
	}
	return Constant(ctx, e, t)
}

// SettledDefault gives the value of a DEFAULT, of type t, as it is at this moment; false for
// one that is computed for every row.
//
// Without a DEFAULT, e is nil, it is that of the type, a domain.
func SettledDefault(ctx *query.Context, e *tree.SourceExpr, column string, t types.T) (_ types.Datum, settled bool, err error) {
	defer fail.Caught(&err)
	var x expr.Expr
	pos := 0
	if e == nil {
		x = newWriter(ctx, 0).defaultOfDomain(t)
	} else {
		pos = e.Pos
		x = newWriter(ctx, e.NumParams).Expr(ofDefault(), e.Node)
	}
	x = fail.Must(expr.ResolveAssign(x, column, t, pos))
	if expr.Volatile(x) {
		return types.Datum{}, false, nil
	}
	d, err := eval.EvalConst(ctx.Env, x)
	return d, err == nil, err
}

// drawsFrom gives the sequence whose next value is all that a default is; 0 for another
// default.
func drawsFrom(x expr.Expr) uint32 {
	if c, ok := x.(*expr.Cast); ok && !c.Explicit {
		x = c.X
	}
	call, ok := x.(*expr.Call)
	if !ok || call.Fn.Name != "nextval" {
		return 0
	}
	seq, ok := call.Args[0].(*expr.Const)
	if !ok || seq.Value.Null {
		return 0
	}
	return uint32(seq.Value.Int)
}

// DomainCheck binds a CHECK over VALUE, of the type that a domain is over, as it is to be kept.
func DomainCheck(ctx *query.Context, e *tree.SourceExpr, base types.T) (_ expr.Stored, err error) {
	defer fail.Caught(&err)
	cond, _ := newWriter(ctx, e.NumParams).keepCheck(e, "", []ScopeColumn{{ID: types.DomainValue, Name: "value", Type: base}})
	return cond, nil
}

// Check binds a CHECK over a table's columns as it is to be kept, and says which of
// them it names, by ID.
func Check(ctx *query.Context, e *tree.SourceExpr, table string, cols []ScopeColumn) (cond expr.Stored, columns []int, err error) {
	defer fail.Caught(&err)
	cond, columns = newWriter(ctx, e.NumParams).keepCheck(e, table, cols)
	return cond, columns, nil
}

func (b writer) keepCheck(e *tree.SourceExpr, table string, cols []ScopeColumn) (expr.Stored, []int) {
	x := b.overRow(e, table, cols, "check constraint", func(x expr.Expr) expr.Expr { return fail.Must(expr.ResolveBool(x, "CHECK")) })
	return keepOverRow(x, cols)
}

// Generated binds what a generated column of type t is computed by as it is to be kept, and
// says which columns it names. It must be immutable and name no generated column (42P17).
func Generated(ctx *query.Context, e *tree.SourceExpr, table, column string, t types.T, cols []ScopeColumn) (by expr.Stored, columns []int, err error) {
	defer fail.Caught(&err)
	b, notImmutable := newWriter(ctx, e.NumParams), sqlerr.New(sqlerr.InvalidObjectDefinition, "generation expression is not immutable")
	x := b.overRow(e, table, cols, "column generation expression", func(x expr.Expr) expr.Expr {
		if expr.Volatile(x) || expr.Stable(x) {
			panic(notImmutable)
		}
		y, err := expr.ResolveAssign(x, column, t.Base(), e.Pos)
		if sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch {
			panic(sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s", column, t.Base(), x.Type()).
				WithHint("You will need to rewrite or cast the expression.").At(e.Pos))
		}
		fail.If(err)
		return y
	})
	for _, i := range expr.Cols(x) {
		if cols[i].Generated {
			at := e.Pos
			expr.Walk(x, func(n expr.Expr) bool {
				if c, ok := n.(*expr.Col); ok && c.Index == i {
					at = c.At
				}
				return true
			})
			return "", nil, sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot use generated column %q in column generation expression", cols[i].Name).
				WithDetail("A generated column cannot reference another generated column.").At(at)
		}
	}
	if expr.Volatile(x) || expr.Stable(x) {
		return "", nil, notImmutable
	}
	by, columns = keepOverRow(x, cols)
	return by, columns, nil
}

// overRow binds an expression over a table's columns, to be kept: what says which.
func (b writer) overRow(e *tree.SourceExpr, table string, cols []ScopeColumn, what string, resolve func(expr.Expr) expr.Expr) expr.Expr {
	r := &scope.Relation{Name: table}
	for i, c := range cols {
		r.Cols = append(r.Cols, scope.Column{Name: c.Name, T: c.Type, ID: i})
	}
	p := rowPlace(what+"s", r)
	p.NoQueries = query.NoQuery
	x := b.Expr(p, e.Node)
	if e.NumParams > 0 {
		panic(noParameter(e))
	}
	x = resolve(x)
	x = fail.Must(eval.Settle(b.Ctx.Env, x))
	for _, id := range expr.Relations(x) {
		if r := b.Ctx.Catalog.ByID(id); r != nil {
			panic(sqlerr.Unsupported(fmt.Sprintf("%q in a %s is not supported", r.RelName(), what),
				"A "+what+" may name no relations.").At(e.Pos))
		}
	}
	return x
}

// keepOverRow gives the form of x that is kept, and the IDs of the columns that it names.
func keepOverRow(x expr.Expr, cols []ScopeColumn) (expr.Stored, []int) {
	var ids []int
	for _, i := range expr.Cols(x) {
		ids = append(ids, cols[i].ID)
	}
	kept := fail.Must(expr.Store(x, func(i int) int { return cols[i].ID }))
	return kept, ids
}

func noParameter(e *tree.SourceExpr) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1").At(e.Pos)
}

// Constant computes an expression without columns as a value of type t,
// for split points and the arguments of EXECUTE.
func Constant(ctx *query.Context, e *tree.SourceExpr, t types.T) (_ types.Datum, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, e.NumParams)
	x := b.Expr(&scope.Place{Clause: "EXECUTE parameters"}, e.Node)
	if e.NumParams > 0 {
		return types.Datum{}, noParameter(e)
	}
	return eval.EvalConst(ctx.Env, fail.Must(expr.ResolveCast(x, t, expr.Assignment, e.Pos)))
}
