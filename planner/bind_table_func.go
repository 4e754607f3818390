package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// isSetReturning names the functions that give rows.
func isSetReturning(name string) bool {
	return name == "generate_series" || name == "unnest" || expr.IsSet(name)
}

// setReturning gives e if it is a call of one.
func setReturning(e tree.Expr) (*tree.Func, bool) {
	c, ok := e.(*tree.Func)
	return c, ok && (c.Schema == "" || c.Schema == "pg_catalog") && isSetReturning(c.Name)
}

// bindFuncRef binds a function in FROM. One that gives a value, not rows, is a table of one row.
func (b *binder) bindFuncRef(f *tree.FuncRef) (plan.Node, *relation, error) {
	pos := b.pos(f)
	if f.RowsFrom || len(f.Funcs) != 1 {
		return nil, nil, sqlerr.Unsupported("ROWS FROM is not supported", "Call one function.").At(pos)
	}
	if len(f.ColDefs) > 0 || len(f.Funcs[0].ColDefs) > 0 {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\"").At(pos)
	}
	p := &place{clause: "functions in FROM"}
	var cols []plan.Column
	var node plan.Node
	named := false
	if call, ok := setReturning(f.Funcs[0].Expr); ok {
		fn, err := b.bindSetReturning(p, call)
		if err != nil {
			return nil, nil, err
		}
		fn.Ordinality = f.Ordinality
		node, cols = fn, fn.Cols
		named = fn.Set != nil && fn.Set.Named
		if f.Ordinality {
			fn.Cols = append(fn.Cols, plan.Column{Name: "ordinality", Type: types.Of(types.Int8)})
		}
	} else {
		e, err := b.expr(p, f.Funcs[0].Expr)
		if err != nil {
			return nil, nil, err
		}
		if e, err = expr.ResolveUnknown(e); err != nil {
			return nil, nil, err
		}
		exprs := []expr.Expr{e}
		cols = []plan.Column{{Name: f.Alias.Name, Type: e.Type()}}
		switch c := f.Funcs[0].Expr.(type) {
		case *tree.Func:
			cols[0].Name = c.Name
		case *tree.Keyword:
			cols[0].Name = c.Name
		}
		all := cols
		if f.Ordinality {
			exprs = append(exprs, &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)})
			all = append(cols[:1:1], plan.Column{Name: "ordinality", Type: types.Of(types.Int8)})
		}
		node = &plan.Project{Input: &plan.OneRow{}, Exprs: exprs, Cols: all}
	}
	rel := nodeRelation(node, f.Alias.Name)
	// A function of one column gives it the name of the alias, but for a name of its own.
	if len(cols) == 1 && f.Alias.Name != "" && !f.Implicit && !named {
		rel.cols[0].name = f.Alias.Name
	}
	return node, rel, rel.rename(f.Alias.Columns, pos)
}

func (b *binder) bindSetReturning(p *place, c *tree.Func) (*plan.TableFunc, error) {
	pos := b.pos(c)
	if c.Variadic || c.ArgNames != nil {
		return nil, sqlerr.Unsupported("named and VARIADIC arguments are not supported", "Give the arguments by position.").At(pos)
	}
	args, err := b.exprs(p, c.Args)
	if err != nil {
		return nil, err
	}
	fn := &plan.TableFunc{Name: c.Name}
	var set []expr.SetColumn
	switch {
	case expr.IsSet(c.Name):
		fn.Set, fn.Args, set, err = expr.ResolveSet(c.Name, args, pos)
	case c.Name == "unnest" && len(args) > 1:
		fn.Args = args
		for _, a := range args {
			if a.Type().Kind != types.Array {
				return nil, undefinedFunction("unnest", args, pos)
			}
		}
		fn.Set, set = expr.Unnest(args)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range set {
		fn.Cols = append(fn.Cols, plan.Column{Name: s.Name, Type: s.T})
	}
	if fn.Set != nil {
		return fn, nil
	}
	var t types.T
	if c.Name == "unnest" {
		fn.Args, t, err = unnestArgs(args, pos)
	} else {
		fn.Args, t, err = seriesArgs(args, pos)
	}
	if err != nil {
		return nil, err
	}
	fn.Cols = []plan.Column{{Name: c.Name, Type: t}}
	return fn, nil
}

func unnestArgs(args []expr.Expr, pos int) ([]expr.Expr, types.T, error) {
	if len(args) != 1 {
		return nil, types.T{}, undefinedFunction("unnest", args, pos)
	}
	t := args[0].Type()
	if t.Kind != types.Array {
		if t.Kind == types.Unknown {
			return nil, types.T{}, sqlerr.New(sqlerr.AmbiguousFunction, "function unnest(unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(pos)
		}
		return nil, types.T{}, undefinedFunction("unnest", args, pos)
	}
	return args, t.ElemType(), nil
}

// seriesArgs chooses the overload of generate_series.
func seriesArgs(args []expr.Expr, pos int) ([]expr.Expr, types.T, error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, types.T{}, undefinedFunction("generate_series", args, pos)
	}
	t, err := expr.SelectCommonType("generate_series", args[:2])
	if err != nil {
		return nil, types.T{}, undefinedFunction("generate_series", args, pos)
	}
	step := t
	switch t.Kind {
	case types.Int2:
		t = types.Of(types.Int4)
		step = t
	case types.Date:
		t = types.Of(types.Timestamptz)
	case types.Unknown, types.Text:
		if len(args) < 3 {
			return nil, types.T{}, sqlerr.New(sqlerr.AmbiguousFunction, "function generate_series(unknown, unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(pos)
		}
		t = types.Of(types.Timestamptz)
	case types.Int4, types.Int8, types.Numeric, types.Timestamp, types.Timestamptz:
		t = t.Base()
		step = t
	default:
		return nil, types.T{}, undefinedFunction("generate_series", args, pos)
	}
	wantTypes := []types.T{t, t, step}
	if t.Kind == types.Timestamp || t.Kind == types.Timestamptz {
		if len(args) < 3 {
			return nil, types.T{}, undefinedFunction("generate_series", args, pos)
		}
		wantTypes[2] = types.Of(types.Interval)
	} else if len(args) == 3 {
		if t, err = expr.SelectCommonType("generate_series", args); err != nil || !isSeriesNumber(t.Kind) {
			return nil, types.T{}, undefinedFunction("generate_series", args, pos)
		}
		if t.Kind == types.Int2 {
			t = types.Of(types.Int4)
		}
		wantTypes = []types.T{t, t, t}
	}
	out := make([]expr.Expr, len(args))
	for i, a := range args {
		if out[i], err = expr.ResolveCast(a, wantTypes[i], expr.Implicit, a.Pos()); err != nil {
			return nil, types.T{}, undefinedFunction("generate_series", args, pos)
		}
	}
	return out, t, nil
}

func isSeriesNumber(k types.Kind) bool {
	return k == types.Int2 || k == types.Int4 || k == types.Int8 || k == types.Numeric
}

func undefinedFunction(name string, args []expr.Expr, pos int) error {
	text := ""
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		text += a.Type().String()
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s(%s) does not exist", name, text).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(pos)
}
