package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// isSetReturning names the functions that give rows.
func isSetReturning(name string) bool {
	return name == "generate_series" || name == "unnest" || expr.IsSet(name)
}

// setReturning gives e if it is a call of one.
func setReturning(e tree.Expr) (*tree.Func, bool) {
	c, ok := e.(*tree.Func)
	if !ok {
		return nil, false
	}
	name, ok := expr.FuncName(c.Schema, c.Name)
	return c, ok && isSetReturning(name)
}

// bindFuncRef binds a function in FROM. One that gives a value, not rows, is a table of one row.
func (b *Binder) bindFuncRef(p *Place, f *tree.FuncRef) (logical.Node, *Relation, error) {
	pos := b.Pos(f)
	for i := range f.Funcs {
		if len(f.ColDefs) > 0 || len(f.Funcs[i].ColDefs) > 0 {
			return nil, nil, sqlerr.Unsupported("a column definition list is not supported",
				"Give the columns' names alone, as in f(x) AS t(a, b), and cast them in the select list.").At(pos)
		}
	}
	p = &Place{Level: p.Level, Clause: "functions in FROM"}
	if len(f.Funcs) > 1 {
		return b.bindRowsFrom(p, f)
	}
	rel := &Relation{Name: f.Alias.Name}
	b.Meta.AddRelation()
	var node logical.Node
	named := false
	if call, ok := setReturning(f.Funcs[0].Expr); ok {
		set, err := b.setCall(p, call)
		if err != nil {
			return nil, nil, err
		}
		named = set.Set != nil && set.Set.Named
		for _, c := range set.cols {
			b.addColumn(rel, c.Name, c.T)
		}
		if f.Ordinality {
			b.addColumn(rel, "ordinality", types.Of(types.Int8))
		}
		if b.Capture != nil {
			b.Capture.Funcs[f] = &capturedFunc{Name: set.Name, Args: set.Args}
		}
		node = &logical.FuncScan{Name: set.Name, Args: set.Args, Set: set.Set, Cells: set.cells, Ordinality: f.Ordinality, Cols: rel.IDs()}
		if len(set.cols) > 1 {
			named = true
		}
	} else {
		e, err := b.Expr(p, f.Funcs[0].Expr)
		if err != nil {
			return nil, nil, err
		}
		if e, err = expr.ResolveUnknown(e); err != nil {
			return nil, nil, err
		}
		if b.Capture != nil {
			b.Capture.Funcs[f] = &capturedFunc{Expr: e}
		}
		exprs := []expr.Expr{e}
		name := f.Alias.Name
		switch c := f.Funcs[0].Expr.(type) {
		case *tree.Func:
			name = c.Name
		case *tree.Keyword:
			name = c.Name
		}
		b.addColumn(rel, name, e.Type())
		if f.Ordinality {
			exprs = append(exprs, Bigint(1))
			b.addColumn(rel, "ordinality", types.Of(types.Int8))
		}
		node = &logical.Project{Input: oneRow(), Exprs: exprs, Cols: rel.IDs()}
	}
	// A function of one column gives it the name of the alias, but for a name of its own.
	if f.Alias.Name != "" && !f.Implicit && !named {
		rel.Cols[0].Name = f.Alias.Name
	}
	return node, rel, rel.rename(f.Alias.Columns, pos)
}

// setCall is a call of a set-returning function and the columns that it gives.
type setCall struct {
	plan.SetCall
	cols  []expr.SetColumn
	cells *logical.Cells // of unnest of a map
}

func (b *Binder) setCall(p *Place, c *tree.Func) (*setCall, error) {
	pos := b.Pos(c)
	if c.Variadic || c.ArgNames != nil {
		return nil, sqlerr.Unsupported("named and VARIADIC arguments are not supported", "Give the arguments by position.").At(pos)
	}
	if s, ok, err := b.mapRows(p, c); ok {
		return s, err
	}
	args, err := b.exprs(p, c.Args)
	if err != nil {
		return nil, err
	}
	s := &setCall{SetCall: plan.SetCall{Name: c.Name}}
	name, _ := expr.FuncName(c.Schema, c.Name)
	switch {
	case expr.IsSet(name):
		s.Set, s.Args, s.cols, err = expr.ResolveSet(name, args, pos)
	case c.Name == "unnest" && len(args) > 1:
		s.Args = args
		for _, a := range args {
			if a.Type().Kind != types.Array {
				return nil, undefinedFunction("unnest", args, pos)
			}
		}
		s.Set, s.cols = expr.Unnest(args)
	}
	if err != nil || s.Set != nil {
		return s, err
	}
	var t types.T
	if c.Name == "unnest" {
		s.Args, t, err = unnestArgs(args, pos)
	} else {
		s.Args, t, err = seriesArgs(args, pos)
	}
	s.cols = []expr.SetColumn{{Name: c.Name, T: t}}
	return s, err
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
