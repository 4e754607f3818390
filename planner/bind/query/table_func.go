package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
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
func (b *Binder) bindFuncRef(p *scope.Place, f *tree.FuncRef) (logical.Node, *scope.Relation, error) {
	pos := b.Pos(f)
	p = &scope.Place{Level: p.Level, Clause: "functions in FROM"}
	defs := f.ColDefs
	switch {
	case len(f.Funcs) > 1:
		if len(defs) > 0 {
			return nil, nil, sqlerr.New(sqlerr.SyntaxError, "ROWS FROM() with multiple functions cannot have a column definition list").
				WithHint("Put a separate column definition list for each function inside ROWS FROM().").At(pos)
		}
		return b.bindRowsFrom(p, f)
	case len(defs) > 0 && f.Ordinality:
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list").
			WithHint("Put the column definition list inside ROWS FROM().").At(pos)
	case len(defs) == 0:
		defs = f.Funcs[0].ColDefs
	}
	rel := &scope.Relation{Name: f.Alias.Name}
	b.Meta.AddRelation()
	var node logical.Node
	named := false
	call, isSet := setReturning(f.Funcs[0].Expr)
	if isSet || len(defs) > 0 {
		var set *setCall
		var err error
		if len(defs) > 0 {
			set, err = b.definedCall(p, f.Funcs[0].Expr, defs)
		} else {
			set, err = b.setCall(p, call)
		}
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
		b.Capture.function(f, capturedFunc{Name: set.Name, Args: set.Args, Defs: set.defs})
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
		b.Capture.function(f, capturedFunc{Expr: e})
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
	if t := rel.Cols[0].T; t.Kind == types.Record && len(defs) == 0 {
		var err error
		if node, err = b.openRecord(rel, node, pos); err != nil {
			return nil, nil, err
		}
		return node, rel, rel.Rename(f.Alias.Columns, pos)
	}
	rel.Scalar = len(rel.Cols) == 1 && len(defs) == 0 // also where the column has a name of its own, as value
	// A function of one column gives it the name of the alias, but for a name of its own.
	if f.Alias.Name != "" && !f.Implicit && !named {
		rel.Cols[0].Name = f.Alias.Name
	}
	return node, rel, rel.Rename(f.Alias.Columns, pos)
}

// definedCall binds a call that a column definition list follows: 42601 for a function whose
// columns are known.
func (b *Binder) definedCall(p *scope.Place, n tree.Expr, defs []tree.ColDef) (*setCall, error) {
	pos := b.Pos(n)
	fields := make([]types.Field, len(defs))
	for i, d := range defs {
		t, err := b.resolveType(d.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = types.Field{Name: d.Name, T: t}
	}
	shape := types.ShapeOf("", fields)
	call, isFunc := n.(*tree.Func)
	if isFunc && len(call.Args) == 1 && call.ArgNames == nil {
		for _, t := range []types.T{types.Of(types.JSON), types.Of(types.JSONB)} {
			set := jsonfunc.RecordRows(call.Name, t, shape)
			if set == nil {
				continue
			}
			x, err := b.Expr(p, call.Args[0])
			if err != nil {
				return nil, err
			}
			if x.Type().Kind != types.Unknown && x.Type().Kind != t.Kind {
				return nil, undefinedFunction(call.Name, []expr.Expr{x}, pos)
			}
			if x, err = expr.ResolveCast(x, t, expr.Implicit, pos); err != nil {
				return nil, err
			}
			return &setCall{SetCall: plan.SetCall{Name: call.Name, Args: []expr.Expr{x}, Set: set}, cols: set.Cols, defs: fields}, nil
		}
	}
	name, cols, err := b.columnsOf(p, n)
	switch {
	case err != nil:
		return nil, err
	case len(cols) > 1 || cols[0].T.Shape().Table():
		return nil, sqlerr.New(sqlerr.SyntaxError, "a column definition list is redundant for a function with OUT parameters").At(pos)
	case cols[0].T.Kind != types.Record:
		return nil, sqlerr.New(sqlerr.SyntaxError, `a column definition list is only allowed for functions returning "record"`).At(pos)
	}
	return nil, sqlerr.Unsupported("a column definition list of "+name+" is not supported", "Name the fields in the select list, as in (x).f1.").At(pos)
}

// columnsOf binds a function for what it is called and the columns it gives.
func (b *Binder) columnsOf(p *scope.Place, n tree.Expr) (name string, cols []expr.SetColumn, err error) {
	if call, ok := setReturning(n); ok {
		set, err := b.setCall(p, call)
		if err != nil {
			return "", nil, err
		}
		return set.Name, set.cols, nil
	}
	e, err := b.Expr(p, n)
	if err == nil {
		e, err = expr.ResolveUnknown(e)
	}
	if err != nil {
		return "", nil, err
	}
	if c, ok := n.(*tree.Func); ok {
		name = c.Name
	}
	return name, []expr.SetColumn{{Name: name, T: e.Type()}}, nil
}

// openRecord gives rel the fields of its one column, a record, as columns: what a table's
// row type tells. The node computes them.
func (b *Binder) openRecord(rel *scope.Relation, node logical.Node, pos int) (logical.Node, error) {
	record := rel.Cols[0]
	shape := record.T.Shape()
	if !shape.Table() {
		return nil, sqlerr.New(sqlerr.SyntaxError, `a column definition list is required for functions returning "record"`).At(pos)
	}
	rest := rel.Cols[1:]
	rel.Cols = nil
	project := &logical.Project{Input: node}
	for i, f := range shape.Fields {
		b.addColumn(rel, f.Name, f.T)
		project.Exprs = append(project.Exprs, builtin.FieldAt(b.Meta.Ref(record.ID), i, 0))
	}
	for i := range rest {
		rel.Cols = append(rel.Cols, rest[i])
		project.Exprs = append(project.Exprs, rest[i].Ref(0))
	}
	project.Cols = rel.IDs()
	return project, nil
}

// setCall is a call of a set-returning function and the columns that it gives.
type setCall struct {
	plan.SetCall
	cols  []expr.SetColumn
	cells *logical.Cells // of unnest of a map
	defs  []types.Field  // a column definition list
}

func (b *Binder) setCall(p *scope.Place, c *tree.Func) (*setCall, error) {
	pos := b.Pos(c)
	if c.Variadic {
		return nil, sqlerr.Unsupported("VARIADIC arguments of "+c.Name+" are not supported", "Give the arguments one by one.").At(pos)
	}
	if s, ok, err := b.mapRows(p, c); ok {
		return s, err
	}
	name, _ := expr.FuncName(c.Schema, c.Name)
	args, err := b.callArgs(p, c, name)
	if err != nil {
		return nil, err
	}
	s := &setCall{SetCall: plan.SetCall{Name: c.Name}}
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
