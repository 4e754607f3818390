package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// What DDL wants of the binder: expressions that stand alone, before there is
// a table, or beside one.

// ScopeColumn is a column that a CHECK may name.
type ScopeColumn struct {
	Name string
	Type types.T
}

// TableScope gives a table's columns.
func TableScope(t *catalog.Table) []ScopeColumn {
	cols := make([]ScopeColumn, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = ScopeColumn{Name: c.Name, Type: c.Type}
	}
	return cols
}

// CheckDefault says what is wrong with a column's DEFAULT: it may name no
// column, and must be assignable to the column's type (42804).
func CheckDefault(ctx *Context, e *dialect.Expr, column string, t types.T) error {
	b := newBinder(ctx, e.Src)
	x, err := b.expr(&place{clause: "DEFAULT expressions"}, e.Node)
	if err != nil {
		return err
	}
	if e.Src.NumParams > 0 {
		return noParameter(e)
	}
	_, err = expr.ResolveAssign(x, column, t, e.Pos)
	return err
}

// BindCheck says what is wrong with a CHECK over a table's columns, and which of
// them it names, as indexes into cols.
func BindCheck(ctx *Context, e *dialect.Expr, table string, cols []ScopeColumn) ([]int, error) {
	r := &relation{name: table}
	for _, c := range cols {
		r.cols = append(r.cols, column{name: c.Name, t: c.Type})
	}
	b := newBinder(ctx, e.Src)
	x, err := b.expr(&place{scope: &scope{rels: []*relation{r}}, clause: "check constraints"}, e.Node)
	if err != nil {
		return nil, err
	}
	if e.Src.NumParams > 0 {
		return nil, noParameter(e)
	}
	if x, err = expr.ResolveBool(x, "CHECK"); err != nil {
		return nil, err
	}
	return expr.Cols(x), nil
}

func noParameter(e *dialect.Expr) error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1").At(e.Pos)
}

// EvalConstant computes an expression without columns as a value of type t,
// for split points and the arguments of EXECUTE.
func EvalConstant(ctx *Context, e *dialect.Expr, t types.T) (types.Datum, error) {
	b := newBinder(ctx, e.Src)
	x, err := b.expr(&place{clause: "EXECUTE parameters"}, e.Node)
	if err != nil {
		return types.Datum{}, err
	}
	if e.Src.NumParams > 0 {
		return types.Datum{}, noParameter(e)
	}
	if x, err = expr.ResolveCast(x, t, expr.Assignment, e.Pos); err != nil {
		return types.Datum{}, err
	}
	return expr.EvalConst(ctx.Env, x)
}
