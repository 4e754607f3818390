package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
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
func (b *Binder) bindFuncRef(p *scope.Place, f *tree.FuncRef) (logical.Node, *scope.Relation) {
	pos := b.Pos(f)
	p = &scope.Place{Level: p.Level, Clause: "functions in FROM"}
	defs := f.ColDefs
	switch {
	case len(f.Funcs) > 1:
		if len(defs) > 0 {
			panic(sqlerr.New(sqlerr.SyntaxError, "ROWS FROM() with multiple functions cannot have a column definition list").
				WithHint("Put a separate column definition list for each function inside ROWS FROM().").At(pos))
		}
		return b.bindRowsFrom(p, f)
	case len(defs) > 0 && f.Ordinality:
		panic(sqlerr.New(sqlerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list").
			WithHint("Put the column definition list inside ROWS FROM().").At(pos))
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
		if len(defs) > 0 {
			set = b.definedCall(p, f.Funcs[0].Expr, defs)
		} else {
			set = b.setCall(p, call)
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
		e := b.Expr(p, f.Funcs[0].Expr)
		e = fail.Must(expr.ResolveUnknown(e))
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
		node = b.openRecord(rel, node, pos)
		rel.Rename(f.Alias.Columns, pos)
		return node, rel
	}
	rel.Scalar = len(rel.Cols) == 1 && len(defs) == 0 // also where the column has a name of its own, as value
	// A function of one column gives it the name of the alias, but for a name of its own.
	if f.Alias.Name != "" && !f.Implicit && !named {
		rel.Cols[0].Name = f.Alias.Name
	}
	rel.Rename(f.Alias.Columns, pos)
	return node, rel
}

// definedCall binds a call that a column definition list follows: 42601 for a function whose
// columns are known.
func (b *Binder) definedCall(p *scope.Place, n tree.Expr, defs []tree.ColDef) *setCall {
	pos := b.Pos(n)
	fields := make([]types.Field, len(defs))
	for i, d := range defs {
		t := b.resolveType(d.Type)
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
			x := b.Expr(p, call.Args[0])
			if x.Type().Kind != types.Unknown && x.Type().Kind != t.Kind {
				panic(undefinedFunction(call.Name, []expr.Expr{x}, pos))
			}
			x = fail.Must(expr.ResolveCast(x, t, expr.Implicit, pos))
			return &setCall{SetCall: plan.SetCall{Name: call.Name, Args: []expr.Expr{x}, Set: set}, cols: set.Cols, defs: fields}
		}
	}
	name, cols := b.columnsOf(p, n)
	switch {
	case len(cols) > 1 || cols[0].T.Shape().Table():
		panic(sqlerr.New(sqlerr.SyntaxError, "a column definition list is redundant for a function with OUT parameters").At(pos))
	case cols[0].T.Kind != types.Record:
		panic(sqlerr.New(sqlerr.SyntaxError, `a column definition list is only allowed for functions returning "record"`).At(pos))
	}
	panic(sqlerr.Unsupported("a column definition list of "+name+" is not supported", "Name the fields in the select list, as in (x).f1.").At(pos))
}

// columnsOf binds a function for what it is called and the columns it gives.
func (b *Binder) columnsOf(p *scope.Place, n tree.Expr) (name string, cols []expr.SetColumn) {
	if call, ok := setReturning(n); ok {
		set := b.setCall(p, call)
		return set.Name, set.cols
	}
	e := fail.Must(expr.ResolveUnknown(b.Expr(p, n)))
	if c, ok := n.(*tree.Func); ok {
		name = c.Name
	}
	return name, []expr.SetColumn{{Name: name, T: e.Type()}}
}

// openRecord gives rel the fields of its one column, a record, as columns: what a table's
// row type tells. The node computes them.
func (b *Binder) openRecord(rel *scope.Relation, node logical.Node, pos int) logical.Node {
	record := rel.Cols[0]
	shape := record.T.Shape()
	if !shape.Table() {
		panic(sqlerr.New(sqlerr.SyntaxError, `a column definition list is required for functions returning "record"`).At(pos))
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
	return project
}

// setCall is a call of a set-returning function and the columns that it gives.
type setCall struct {
	plan.SetCall
	cols  []expr.SetColumn
	cells *logical.Cells // of unnest of a map
	defs  []types.Field  // a column definition list
}

func (b *Binder) setCall(p *scope.Place, c *tree.Func) *setCall {
	pos := b.Pos(c)
	if c.Variadic {
		panic(sqlerr.Unsupported("VARIADIC arguments of "+c.Name+" are not supported", "Give the arguments one by one.").At(pos))
	}
	if s, ok := b.mapRows(p, c); ok {
		return s
	}
	name, _ := expr.FuncName(c.Schema, c.Name)
	args := b.callArgs(p, c, name)
	s := &setCall{SetCall: plan.SetCall{Name: name}}
	switch {
	case expr.IsSet(name):
		var err error
		s.Set, s.Args, s.cols, err = expr.ResolveSet(name, args, pos)
		fail.If(err)
	case c.Name == "unnest" && len(args) > 1:
		s.Args = args
		for _, a := range args {
			if a.Type().Kind != types.Array {
				panic(undefinedFunction("unnest", args, pos))
			}
		}
		s.Set, s.cols = expr.Unnest(args)
	}
	if s.Set != nil {
		return s
	}
	var t types.T
	if c.Name == "unnest" {
		s.Args, t = unnestArgs(args, pos)
	} else {
		s.Args, t = seriesArgs(args, pos)
	}
	s.cols = []expr.SetColumn{{Name: c.Name, T: t}}
	return s
}

func unnestArgs(args []expr.Expr, pos int) ([]expr.Expr, types.T) {
	if len(args) != 1 {
		panic(undefinedFunction("unnest", args, pos))
	}
	t := args[0].Type()
	if t.Kind != types.Array {
		if t.Kind == types.Unknown {
			panic(sqlerr.New(sqlerr.AmbiguousFunction, "function unnest(unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(pos))
		}
		panic(undefinedFunction("unnest", args, pos))
	}
	return args, t.ElemType()
}

// seriesArgs chooses the overload of generate_series.
func seriesArgs(args []expr.Expr, pos int) ([]expr.Expr, types.T) {
	if len(args) < 2 || len(args) > 3 {
		panic(undefinedFunction("generate_series", args, pos))
	}
	t, err := expr.SelectCommonType("generate_series", args[:2])
	if err != nil {
		panic(undefinedFunction("generate_series", args, pos))
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
			panic(sqlerr.New(sqlerr.AmbiguousFunction, "function generate_series(unknown, unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(pos))
		}
		t = types.Of(types.Timestamptz)
	case types.Int4, types.Int8, types.Numeric, types.Timestamp, types.Timestamptz:
		t = t.Base()
		step = t
	default:
		panic(undefinedFunction("generate_series", args, pos))
	}
	wantTypes := []types.T{t, t, step}
	if t.Kind == types.Timestamp || t.Kind == types.Timestamptz {
		if len(args) < 3 {
			panic(undefinedFunction("generate_series", args, pos))
		}
		wantTypes[2] = types.Of(types.Interval)
	} else if len(args) == 3 {
		if t, err = expr.SelectCommonType("generate_series", args); err != nil || !isSeriesNumber(t.Kind) {
			panic(undefinedFunction("generate_series", args, pos))
		}
		if t.Kind == types.Int2 {
			t = types.Of(types.Int4)
		}
		wantTypes = []types.T{t, t, t}
	}
	out := make([]expr.Expr, len(args))
	for i, a := range args {
		if out[i], err = expr.ResolveCast(a, wantTypes[i], expr.Implicit, a.Pos()); err != nil {
			panic(undefinedFunction("generate_series", args, pos))
		}
	}
	return out, t
}

func isSeriesNumber(k types.Kind) bool {
	return k == types.Int2 || k == types.Int4 || k == types.Int8 || k == types.Numeric
}

func undefinedFunction(name string, args []expr.Expr, pos int) *sqlerr.Error {
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
