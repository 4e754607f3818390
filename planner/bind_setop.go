package planner

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindSetOp binds UNION and UNION ALL.
func (b *binder) bindSetOp(q *tree.SetOp, w *want) (plan.Node, error) {
	o := q.Outer()
	if q.Op != tree.Union {
		name := map[tree.SetOpKind]string{tree.Intersect: "INTERSECT", tree.Except: "EXCEPT"}[q.Op]
		return nil, sqlerr.Unsupported(name+" is not supported", "Run both queries and compare their rows in the client.")
	}
	var branches []plan.Node
	for _, side := range []tree.Query{q.Left, q.Right} {
		// Literals in a SELECT list get the type of the other branch.
		n, err := b.bindQuery(side, &want{keepUnknown: true})
		if err != nil {
			return nil, err
		}
		branches = append(branches, n)
	}
	if len(branches[0].Columns()) != len(branches[1].Columns()) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "each UNION query must have the same number of columns").At(b.columnPos(q.Right, 0))
	}
	ts, err := unionTypes(branches)
	if err != nil {
		return nil, err
	}
	cols := append([]plan.Column(nil), branches[0].Columns()...)
	list := &selectList{}
	for i := range cols {
		cols[i] = plan.Column{Name: cols[i].Name, Type: ts[i]}
		list.add(&expr.Col{Index: i, T: ts[i], Name: cols[i].Name}, cols[i].Name, 0)
	}
	all := &plan.Append{Cols: cols}
	for _, n := range branches {
		if n, err = castColumns(n, ts); err != nil {
			return nil, err
		}
		if inner, ok := n.(*plan.Append); ok && q.All {
			all.Parts = append(all.Parts, inner.Parts...)
		} else {
			all.Parts = append(all.Parts, n)
		}
	}
	var node plan.Node = all
	if !q.All {
		node = distinctRows(node)
	}
	sc := &scope{rels: []*relation{nodeRelation(all, "")}}
	keys, err := b.bindOrderBy(o.OrderBy, &place{scope: sc, clause: "ORDER BY"}, list)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !containsExpr(list.exprs, k.Expr) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.").At(k.Expr.Pos())
		}
	}
	if len(keys) > 0 {
		node = &plan.Sort{Input: node, Keys: keys}
	}
	return b.addLimit(node, o)
}

// columnPos is where a query's output column i stands.
func (b *binder) columnPos(q tree.Query, i int) int {
	switch q := q.(type) {
	case *tree.Select:
		for j := range q.Items {
			if j == i || q.Items[j].Star { // which gives any number of columns
				return b.pos(q.Items[j])
			}
		}
	case *tree.Values:
		if len(q.Rows) > 0 && i >= 0 && i < len(q.Rows[0]) {
			return b.pos(q.Rows[0][i])
		}
	case *tree.SetOp:
		return b.columnPos(q.Left, i)
	}
	return 0
}

// unionTypes gives the common type of each column; literals on both sides are text.
func unionTypes(branches []plan.Node) ([]types.T, error) {
	left, right := branches[0].Columns(), branches[1].Columns()
	ts := make([]types.T, len(left))
	for i := range ts {
		l, r := left[i].Type, right[i].Type
		if l == r && l.Kind != types.Unknown {
			ts[i] = l
			continue
		}
		t, err := expr.SelectCommonType("UNION", []expr.Expr{
			&expr.Col{Index: i, T: l}, &expr.Col{Index: i, T: r},
		})
		if err != nil {
			return nil, err
		}
		if t.Kind == types.Unknown {
			t = types.Of(types.Text)
		}
		ts[i] = t
	}
	return ts, nil
}

// castColumns converts a branch's columns to the types of the whole. Literals of unknown type
// are converted where they stand.
func castColumns(n plan.Node, ts []types.T) (plan.Node, error) {
	same := true
	for i, c := range n.Columns() {
		same = same && c.Type == ts[i]
	}
	if same {
		return n, nil
	}
	convert := func(exprs []expr.Expr) error {
		for i, e := range exprs {
			cast, err := expr.ResolveCast(e, ts[i], expr.Implicit, e.Pos())
			if err != nil {
				return err
			}
			exprs[i] = cast
		}
		return nil
	}
	switch n := n.(type) {
	case *plan.Project:
		for i, c := range n.Cols {
			if c.Type != ts[i] {
				n.Cols[i] = plan.Column{Name: c.Name, Type: ts[i]}
			}
		}
		return n, convert(n.Exprs)
	case *plan.Values:
		for i, c := range n.Cols {
			n.Cols[i] = plan.Column{Name: c.Name, Type: ts[i]}
		}
		for _, row := range n.Rows {
			if err := convert(row); err != nil {
				return nil, err
			}
		}
		return n, nil
	case *plan.Append:
		for i := range n.Parts {
			var err error
			if n.Parts[i], err = castColumns(n.Parts[i], ts); err != nil {
				return nil, err
			}
		}
		for i, c := range n.Cols {
			n.Cols[i] = plan.Column{Name: c.Name, Type: ts[i]}
		}
		return n, nil
	}
	return castAbove(n, ts)
}

// castAbove converts in a projection of its own; a column of unknown type is text by then.
func castAbove(n plan.Node, ts []types.T) (plan.Node, error) {
	p := &plan.Project{Input: n}
	for i, e := range columnRefs(n) {
		if e.Type().Kind == types.Unknown {
			return nil, sqlerr.New(sqlerr.IndeterminateDatatype, `column "%s" has no type`, n.Columns()[i].Name).
				WithHint("Cast the literal to a type.")
		}
		cast, err := expr.ResolveCast(e, ts[i], expr.Implicit, 0)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, cast)
		p.Cols = append(p.Cols, plan.Column{Name: n.Columns()[i].Name, Type: ts[i]})
	}
	return p, nil
}
