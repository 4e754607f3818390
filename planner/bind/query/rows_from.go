package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindRowsFrom binds ROWS FROM (f, g, …): the functions' rows side by side, NULL where a
// shorter one has ended, as of a select list with several set-returning functions.
func (b *Binder) bindRowsFrom(p *scope.Place, f *tree.FuncRef) (logical.Node, *scope.Relation, error) {
	if err := b.notInView("ROWS FROM", b.Pos(f)); err != nil {
		return nil, nil, err
	}
	rel := &scope.Relation{Name: f.Alias.Name}
	b.Meta.AddRelation()
	sets := &logical.ProjectSet{Input: oneRow()}
	var exprs []expr.Expr // of rel's columns, over the sets
	for i := range f.Funcs {
		var set *setCall
		var err error
		if defs := f.Funcs[i].ColDefs; len(defs) > 0 {
			set, err = b.definedCall(p, f.Funcs[i].Expr, defs)
		} else {
			set, err = b.rowsOf(p, f.Funcs[i].Expr)
		}
		if err == nil && set.cols[0].T.Kind == types.Record && len(f.Funcs[i].ColDefs) == 0 {
			err = sqlerr.Unsupported("a function that gives records in ROWS FROM is not supported", "Call it by itself, in LATERAL.").At(b.Pos(f.Funcs[i].Expr))
		}
		if err != nil {
			return nil, nil, err
		}
		t := set.cols[0].T
		if len(set.cols) > 1 {
			set.Set, t = set.Set.Records(set.cols), types.RecordOf(expr.ShapeOf(set.cols))
		}
		id := b.Meta.Add(logical.Column{Name: set.Name, Type: t})
		sets.Sets, sets.Cols = append(sets.Sets, set.SetCall), append(sets.Cols, id)
		for i, c := range set.cols {
			value := expr.Expr(b.Meta.Ref(id))
			if len(set.cols) > 1 {
				value = builtin.FieldAt(value, i, 0)
			}
			exprs = append(exprs, value)
			b.addColumn(rel, c.Name, c.T)
		}
	}
	var node logical.Node = sets
	if f.Ordinality {
		fn, _, err := expr.ResolveWindow("row_number", nil, 0)
		if err != nil {
			return nil, nil, err
		}
		id := b.Meta.Add(logical.Column{Name: "ordinality", Type: types.Of(types.Int8)})
		node = &logical.Window{Input: sets, Cols: []logical.ColumnID{id},
			Calls: []plan.WindowCall{{Func: fn, T: types.Of(types.Int8), Text: "row_number()"}}}
		exprs = append(exprs, b.Meta.Ref(id))
		b.addColumn(rel, "ordinality", types.Of(types.Int8))
	}
	node = &logical.Project{Input: node, Exprs: exprs, Cols: rel.IDs()}
	return node, rel, rel.Rename(f.Alias.Columns, b.Pos(f))
}

// rowsOf is a call as one that gives rows: a function of one value gives one row.
func (b *Binder) rowsOf(p *scope.Place, n tree.Expr) (*setCall, error) {
	if call, ok := setReturning(n); ok {
		set, err := b.setCall(p, call)
		if err == nil && len(set.cols) > 1 && (set.Set == nil || set.Name == "unnest") {
			err = sqlerr.Unsupported("unnest of several arrays in ROWS FROM is not supported", "Call unnest for each array.").At(b.Pos(call))
		}
		return set, err
	}
	e, err := b.Expr(p, n)
	if err == nil {
		e, err = expr.ResolveUnknown(e)
	}
	if err != nil {
		return nil, err
	}
	if e.Type().Kind == types.Array {
		return nil, sqlerr.Unsupported("a function that gives an array in ROWS FROM is not supported", "Call it in the select list.").At(b.Pos(n))
	}
	one, err := expr.MakeArrayExpr([]expr.Expr{e}, 0)
	if err != nil {
		return nil, err
	}
	name := ""
	switch c := n.(type) {
	case *tree.Func:
		name = c.Name
	case *tree.Keyword:
		name = c.Name
	}
	return &setCall{SetCall: plan.SetCall{Name: "unnest", Args: []expr.Expr{one}}, cols: []expr.SetColumn{{Name: name, T: e.Type()}}}, nil
}
