package lower

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Statement makes the plan of a statement. choices says how joins are done; nil says
// nothing of any.
func Statement(s *logical.Statement, choices physical.Choices) (_ *plan.Plan, err error) {
	defer fail.Caught(&err)
	l := &lowering{meta: s.Meta, choices: choices, qualify: s.Meta.Relations() > 1}
	root := l.node(s.Root)
	p := &plan.Plan{ParamTypes: s.ParamTypes, Tables: s.Tables, Rights: s.Rights, AsOthers: s.AsOthers, Tag: s.Tag, ReadOnly: s.ReadOnly}
	if len(s.Out) > 0 || len(s.Names) > 0 {
		root = l.exactly(root, s.Out)
		if _, ok := root.node.(*plan.Project); !ok && l.qualify {
			// What is not asked for is dropped from here on down.
			root = l.passing(root)
		}
		p.Columns = make([]plan.Column, len(s.Out))
		for i, c := range root.node.Columns() {
			p.Columns[i] = c
			p.Columns[i].Name = s.Names[i]
		}
	}
	p.Root, p.ChangesState = root.node, l.changes
	return p, nil
}

// rel is a lowered node; its column i is cols[i]. A column may stand twice: the first counts.
type rel struct {
	node plan.Node
	cols []logical.ColumnID
	at   map[logical.ColumnID]int // made when asked for, of wide ones
}

// lowering is the work on one statement.
type lowering struct {
	meta    *logical.Meta
	choices physical.Choices
	qualify bool       // columns are printed with their relation's name
	applies []*applied // whose right sides are being lowered, outermost first
	changes bool       // see plan.Plan.ChangesState
}

// few is up to how many columns a search from the front is the fastest one.
const few = 24

// position finds a column.
func (r *rel) position(id logical.ColumnID) (int, bool) {
	if id < len(r.cols) && r.cols[id] == id {
		return id, true // as in a table that is the statement's first relation
	}
	if len(r.cols) <= few {
		i := slices.Index(r.cols, id)
		return i, i >= 0
	}
	if r.at == nil {
		r.at = make(map[logical.ColumnID]int, len(r.cols))
		for i, c := range slices.Backward(r.cols) {
			r.at[c] = i
		}
	}
	i, ok := r.at[id]
	return i, ok
}

// node lowers one operator and what is below it.
func (l *lowering) node(n logical.Node) *rel {
	switch n := n.(type) {
	case *logical.Get:
		return l.get(n)
	case *logical.Virtual:
		return &rel{node: &plan.VirtualScan{Relation: n.Relation, Alias: n.Alias, Cols: allOf(len(n.Relation.Columns))}, cols: n.Cols}
	case *logical.Values:
		return l.values(n)
	case *logical.FuncScan:
		return &rel{node: &plan.TableFunc{Name: n.Name, Args: l.exprs(nil, n.Args), Set: n.Set, Cells: n.Cells, Ordinality: n.Ordinality, Cols: l.columns(n.Cols)}, cols: n.Cols}
	case *logical.External:
		return &rel{node: &plan.External{Name: n.Name, Cols: l.columns(n.Cols)}, cols: n.Cols}
	case *logical.Join:
		return l.join(n)
	case *logical.Union:
		return l.union(n)
	case *logical.SetOp:
		return &rel{node: &plan.SetOp{Except: n.Except, All: n.All, Left: l.inputOf(n.Left).node, Right: l.inputOf(n.Right).node, Cols: l.columns(n.Cols)}, cols: n.Cols}
	case *logical.With:
		query, body := l.inputOf(n.Query), l.node(n.Body)
		return &rel{node: &plan.With{ID: n.ID, Name: n.Name, Query: query.node, Body: body.node}, cols: body.cols}
	case *logical.WithRef:
		return &rel{node: &plan.WithScan{ID: n.ID, Name: n.Name, Cols: l.columns(n.Cols)}, cols: n.Cols}
	case *logical.RecursiveUnion:
		return &rel{node: &plan.RecursiveUnion{ID: n.ID, Name: n.Name, All: n.All, Start: l.inputOf(n.Start).node, Step: l.inputOf(n.Step).node, Cols: l.columns(n.Cols)}, cols: n.Cols}
	case *logical.Write:
		return l.write(n)
	case *logical.Lock:
		in := l.exactly(l.inputOf(n.Input), n.Cols)
		c := *n.Plan
		c.Input = in.node
		return &rel{node: &c, cols: in.cols}
	}
	return l.unary(n)
}

// columns describes columns.
func (l *lowering) columns(ids []logical.ColumnID) []plan.Column {
	out := make([]plan.Column, len(ids))
	for i, id := range ids {
		out[i] = l.meta.PlanColumn(id)
	}
	return out
}

// exactly gives a rel whose columns are cols in their order.
func (l *lowering) exactly(r *rel, cols []logical.ColumnID) *rel {
	if slices.Equal(r.cols, cols) {
		return r
	}
	below := r.node.Columns()
	p := &plan.Project{Input: r.node, Exprs: make([]expr.Expr, len(cols)), Cols: make([]plan.Column, len(cols))}
	for i, id := range cols {
		e := l.column(r, l.meta.Ref(id))
		p.Exprs[i] = e
		if c, ok := e.(*expr.Col); ok {
			p.Cols[i] = below[c.Index]
		} else {
			p.Cols[i] = l.meta.PlanColumn(id)
		}
	}
	return &rel{node: p, cols: cols}
}

// passing is a projection that gives a rel as it is.
func (l *lowering) passing(r *rel) *rel {
	p := &plan.Project{Input: r.node, Cols: r.node.Columns(), Exprs: make([]expr.Expr, len(r.cols))}
	for i, id := range r.cols {
		c := l.meta.Ref(id)
		p.Exprs[i] = &expr.Col{Index: i, T: c.T, Name: l.name(c)}
	}
	return &rel{node: p, cols: r.cols}
}

func invalid(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InternalError, "invalid logical tree: "+format, args...)
}
