package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
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
func CheckDefault(ctx *Context, e *tree.SourceExpr, column string, t types.T) error {
	b := newBinder(ctx, e.NumParams)
	x, err := b.expr(&place{clause: "DEFAULT expressions"}, e.Node)
	if err != nil {
		return err
	}
	if e.NumParams > 0 {
		return noParameter(e)
	}
	_, err = expr.ResolveAssign(x, column, t, e.Pos)
	return err
}

// RelationName is a relation that an expression names by a regclass constant.
type RelationName struct {
	Text string // as quoted in the constant
	At   int    // 1-based character position of the constant in the expression's text
}

// DefaultNames lists the relations that a DEFAULT's text names. draws says that
// all it does is to draw from the one sequence it names.
func DefaultNames(ctx *Context, text string) (names []RelationName, draws bool, err error) {
	parsed, err := dialect.ParseExpr(text)
	if err != nil {
		return nil, false, err
	}
	x, err := newBinder(ctx, parsed.NumParams).expr(&place{clause: "DEFAULT expressions"}, parsed.Node)
	if err != nil {
		return nil, false, err
	}
	expr.Walk(x, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Cast); ok && c.To.Kind == types.Regclass {
			if k, ok := c.X.(*expr.Const); ok && k.T.Kind == types.Unknown {
				names = append(names, RelationName{Text: string(k.Value.Bytes), At: k.At})
			}
		}
		return true
	})
	call, ok := x.(*expr.Call)
	if ok && call.Fn.Name == "nextval" {
		_, named := call.Args[0].(*expr.Cast)
		draws = named && len(names) == 1
	}
	return names, draws, nil
}

// BindCheck says what is wrong with a CHECK over a table's columns, and which of
// them it names, as indexes into cols.
func BindCheck(ctx *Context, e *tree.SourceExpr, table string, cols []ScopeColumn) ([]int, error) {
	r := &relation{name: table}
	for _, c := range cols {
		r.cols = append(r.cols, column{name: c.Name, t: c.Type})
	}
	b := newBinder(ctx, e.NumParams)
	x, err := b.expr(&place{scope: &scope{rels: []*relation{r}}, clause: "check constraints"}, e.Node)
	if err != nil {
		return nil, err
	}
	if e.NumParams > 0 {
		return nil, noParameter(e)
	}
	if x, err = expr.ResolveBool(x, "CHECK"); err != nil {
		return nil, err
	}
	return expr.Cols(x), nil
}

func noParameter(e *tree.SourceExpr) error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1").At(e.Pos)
}

// EvalConstant computes an expression without columns as a value of type t,
// for split points and the arguments of EXECUTE.
func EvalConstant(ctx *Context, e *tree.SourceExpr, t types.T) (types.Datum, error) {
	b := newBinder(ctx, e.NumParams)
	x, err := b.expr(&place{clause: "EXECUTE parameters"}, e.Node)
	if err != nil {
		return types.Datum{}, err
	}
	if e.NumParams > 0 {
		return types.Datum{}, noParameter(e)
	}
	if x, err = expr.ResolveCast(x, t, expr.Assignment, e.Pos); err != nil {
		return types.Datum{}, err
	}
	return expr.EvalConst(ctx.Env, x)
}
