package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// rowsFrom is ROWS FROM (f, g, …) while it is bound: the functions' rows side by side, NULL
// where a shorter one has ended, as of a select list with several set-returning functions.
type rowsFrom struct {
	b     *Binder
	rel   *scope.Relation
	sets  *logical.ProjectSet
	exprs []expr.Expr // of rel's columns, over the sets
}

func (b *Binder) bindRowsFrom(p *scope.Place, f *tree.FuncRef) (logical.Node, *scope.Relation) {
	r := &rowsFrom{b: b, rel: &scope.Relation{Name: f.Alias.Name}, sets: &logical.ProjectSet{Input: oneRow()}}
	b.Meta.AddRelation()
	for i := range f.Funcs {
		r.function(p, f, &f.Funcs[i])
	}
	var node logical.Node = r.sets
	if f.Ordinality {
		fn, _ := fail.Must2(expr.ResolveWindow("row_number", nil, 0))
		id := b.Meta.Add(logical.Column{Name: "ordinality", Type: types.Of(types.Int8)})
		node = &logical.Window{Input: r.sets, Cols: []logical.ColumnID{id},
			Calls: []plan.WindowCall{{Func: fn, T: types.Of(types.Int8), Text: "row_number()"}}}
		r.column("ordinality", types.Of(types.Int8), b.Meta.Ref(id))
	}
	node = &logical.Project{Input: node, Exprs: r.exprs, Cols: r.rel.IDs()}
	r.rel.Rename(f.Alias.Columns, b.Pos(f))
	return node, r.rel
}

// function adds the columns of one function.
func (r *rowsFrom) function(p *scope.Place, f *tree.FuncRef, fn *tree.FuncItem) {
	b, n := r.b, fn.Expr
	call, isSet := setReturning(n)
	if !isSet && len(fn.ColDefs) == 0 {
		r.value(p, f, n)
		return
	}
	var set *setCall
	if len(fn.ColDefs) > 0 {
		set = b.definedCall(p, n, fn.ColDefs)
	} else {
		set = b.setCall(p, call)
	}
	if set.cells != nil {
		panic(sqlerr.Unsupported("unnest of a map in ROWS FROM is not supported", "Call it by itself, in LATERAL.").At(b.Pos(n)))
	}
	b.Capture.function(f, capturedFunc{Name: set.Name, Args: set.Args, Defs: set.defs})
	if set.Name == "unnest" {
		for i, a := range set.Args {
			r.opened(set.cols[i].Name, r.set(plan.SetCall{Name: "unnest", Args: []expr.Expr{a}}, set.cols[i].T))
		}
		return
	}
	if len(set.cols) == 1 {
		if t := set.cols[0].T; t.Kind == types.Record && set.defs == nil && !t.Shape().Table() {
			panic(noColumnsKnown(b.Pos(n)))
		}
		r.opened(set.cols[0].Name, r.set(set.SetCall, set.cols[0].T))
		return
	}
	set.Set = set.Set.Records(set.cols)
	row := r.set(set.SetCall, types.RecordOf(expr.ShapeOf(set.cols)))
	for i, c := range set.cols {
		r.column(c.Name, c.T, builtin.FieldAt(row, i, 0))
	}
}

// value adds a function of one value, which gives one row.
func (r *rowsFrom) value(p *scope.Place, f *tree.FuncRef, n tree.Expr) {
	e := fail.Must(expr.ResolveUnknown(r.b.Expr(p, n)))
	r.b.Capture.function(f, capturedFunc{Expr: e})
	name := ""
	switch c := n.(type) {
	case *tree.Func:
		name = c.Name
	case *tree.Keyword:
		name = c.Name
	}
	if t := e.Type(); t.Kind == types.Record && !t.Shape().Table() {
		panic(noColumnsKnown(r.b.Pos(n)))
	}
	if e.Type().Kind != types.Array {
		one := fail.Must(expr.MakeArrayExpr([]expr.Expr{e}, 0))
		r.opened(name, r.set(plan.SetCall{Name: "unnest", Args: []expr.Expr{one}}, e.Type()))
		return
	}
	// unnest of an array of it would open it, too.
	first := r.set(plan.SetCall{Name: "generate_series", Args: []expr.Expr{Bigint(1), Bigint(1)}}, types.Of(types.Int8))
	there := fail.Must(expr.MakeIsNull(first, 0))
	e = fail.Must(expr.MakeCase(nil, []expr.When{{Cond: &expr.Not{X: there}, Then: e}}, nil, r.b.Pos(n)))
	r.column(name, e.Type(), e)
}

// set adds a call beside the others and gives what stands for its values.
func (r *rowsFrom) set(call plan.SetCall, t types.T) expr.Expr {
	id := r.b.Meta.Add(logical.Column{Name: call.Name, Type: t})
	r.sets.Sets, r.sets.Cols = append(r.sets.Sets, call), append(r.sets.Cols, id)
	return r.b.Meta.Ref(id)
}

// opened adds a value as a column; a table's row as its columns.
func (r *rowsFrom) opened(name string, value expr.Expr) {
	if shape := value.Type().Shape(); shape != nil && shape.Table() {
		for i, f := range shape.Fields {
			r.column(f.Name, f.T, builtin.FieldAt(value, i, 0))
		}
		return
	}
	r.column(name, value.Type(), value)
}

func (r *rowsFrom) column(name string, t types.T, value expr.Expr) {
	r.exprs = append(r.exprs, value)
	r.b.addColumn(r.rel, name, t)
}

// noColumnsKnown refuses a record of which nothing says what columns it has.
func noColumnsKnown(pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.SyntaxError, `a column definition list is required for functions returning "record"`).At(pos)
}
