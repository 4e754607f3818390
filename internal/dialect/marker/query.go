package marker

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/literal"
)

// DecodeQuery decodes a query: the AST of a statement, a *ast.SubqueryExpr or
// its Query, the query of a CTE, a Derived, an InsertView. It gives nil for
// anything that is not a query.
func DecodeQuery(n ast.Node) Query {
	switch x := n.(type) {
	case *ast.SubqueryExpr:
		return DecodeQuery(x.Query)
	case *ast.SelectStmt:
		return selectQuery(x)
	case *ast.SetOprStmt:
		q := setOpQuery(x.SelectList.Selects)
		if q != nil {
			fillOuter(q.Outer(), x, x.With, x.OrderBy, x.Limit)
		}
		return q
	case *ast.SetOprSelectList:
		return setOpOperand(x)
	}
	return nil
}

// setOpQuery folds a chain of set operations from the left.
func setOpQuery(nodes []ast.Node) Query {
	if len(nodes) == 0 {
		return nil
	}
	left := setOpOperand(nodes[0])
	for _, n := range nodes[1:] {
		v := &SetOpView{Left: left, Right: setOpOperand(n)}
		v.Op, v.All = setOpOf(n)
		left = v
	}
	return left
}

// setOpOperand decodes an operand. The grammar wraps a parenthesised SELECT in
// a list of one, and repeats its WITH there.
func setOpOperand(n ast.Node) Query {
	l, ok := n.(*ast.SetOprSelectList)
	if !ok {
		return DecodeQuery(n)
	}
	if len(l.Selects) == 1 {
		return setOpOperand(l.Selects[0])
	}
	q := setOpQuery(l.Selects)
	fillOuter(q.Outer(), nil, l.With, l.OrderBy, l.Limit)
	return q
}

// setOpOf gives the operator that stands before an operand.
func setOpOf(n ast.Node) (SetOp, bool) {
	var t *ast.SetOprType
	switch x := n.(type) {
	case *ast.SelectStmt:
		t = x.AfterSetOperator
	case *ast.SetOprSelectList:
		t = x.AfterSetOperator
	}
	if t == nil {
		return 0, false
	}
	switch *t {
	case ast.Union:
		return Union, false
	case ast.UnionAll:
		return Union, true
	case ast.Except:
		return Except, false
	case ast.ExceptAll:
		return Except, true
	case ast.Intersect:
		return Intersect, false
	case ast.IntersectAll:
		return Intersect, true
	}
	return 0, false
}

func selectQuery(x *ast.SelectStmt) Query {
	if x.Kind == ast.SelectStmtKindValues {
		v := &ValuesView{Rows: make([][]ast.ExprNode, len(x.Lists))}
		for i, r := range x.Lists {
			v.Rows[i] = r.Values
		}
		fillOuter(&v.outer, x, x.With, x.OrderBy, x.Limit)
		return v
	}
	v := &SelectView{Distinct: x.Distinct, Where: x.Where}
	v.Items, v.DistinctOn = selectItems(x.Fields.Fields)
	if x.From != nil {
		v.From = fromList(x.From.TableRefs)
	}
	if x.GroupBy != nil {
		for _, b := range x.GroupBy.Items {
			if f, ok := marked(b.Expr, MGroup); ok && f.FnName.O == "distinct" {
				v.GroupDistinct = true
				continue
			}
			v.GroupBy = append(v.GroupBy, groupItem(b.Expr))
		}
	}
	if x.Having != nil {
		v.Having = x.Having.Expr
	}
	v.Windows = fillOuter(&v.outer, x, x.With, x.OrderBy, x.Limit)
	return v
}

func selectItems(fields []*ast.SelectField) (items []Item, distinctOn []ast.ExprNode) {
	items = make([]Item, 0, len(fields))
	for i, f := range fields {
		if f.WildCard != nil {
			items = append(items, Item{Star: true, Schema: f.WildCard.Schema.O, Table: f.WildCard.Table.O, Node: f})
			continue
		}
		if i == 0 {
			if m, ok := marked(f.Expr, MDistinctOn); ok {
				distinctOn = m.Args
				continue
			}
			if _, ok := marked(f.Expr, MEmpty); ok {
				continue
			}
		}
		items = append(items, item(f.Expr, f.AsName.O, f))
	}
	return items, distinctOn
}

func item(e ast.ExprNode, name string, n ast.Node) Item {
	if _, ok := marked(e, MStarOf); ok {
		name = ""
	}
	if name == NameFromStar {
		return Item{Expr: e, Name: "?column?", FromStar: true, Node: n}
	}
	return Item{Expr: e, Name: name, Node: n}
}

func groupItem(e ast.ExprNode) GroupItem {
	f, ok := marked(e, MGroup)
	if !ok {
		return GroupItem{Expr: e}
	}
	g := GroupItem{}
	switch f.FnName.O {
	case "empty":
		g.Kind = GroupEmpty
	case "sets":
		g.Kind = GroupSets
	case "cube":
		g.Kind = GroupCube
	case "rollup":
		g.Kind = GroupRollup
	}
	for _, a := range f.Args {
		g.Items = append(g.Items, groupItem(a))
	}
	return g
}

// fillOuter decodes what stands around a query, and gives the windows that
// travel with it.
func fillOuter(o *Outer, node ast.ResultSetNode, with *ast.WithClause, order *ast.OrderByClause, limit *ast.Limit) []NamedWindow {
	if node != nil {
		o.Node = node
	}
	if with != nil {
		o.With = decodeWith(with)
	}
	if limit != nil {
		o.Limit, o.Offset = limit.Count, limit.Offset
	}
	if order == nil {
		return nil
	}
	var windows []NamedWindow
	for _, b := range order.Items {
		f, ok := b.Expr.(*ast.FuncCallExpr)
		switch {
		case ok && f.Schema.O == MTail:
			windows = o.tail(f)
		case ok && f.Schema.O == MOrder:
			o.OrderBy = append(o.OrderBy, orderItem(f))
		default:
			o.OrderBy = append(o.OrderBy, OrderItem{Expr: ordinal(b.Expr), Desc: b.Desc})
		}
	}
	return windows
}

// ordinal turns the grammar's node for a column number back into the constant.
func ordinal(e ast.ExprNode) ast.ExprNode {
	p, ok := e.(*ast.PositionExpr)
	if !ok {
		return e
	}
	if p.P != nil {
		return p.P
	}
	v := &literal.ValueExpr{Val: literal.Value{Kind: literal.Int, Text: strconv.Itoa(p.N)}}
	v.SetOriginTextPosition(p.OriginTextPosition())
	return v
}

// tail decodes the last ORDER BY item that is none.
func (o *Outer) tail(m *ast.FuncCallExpr) (windows []NamedWindow) {
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MLimit:
			o.Limit = f.Args[0]
			o.WithTies = f.FnName.O == "ties"
		case MOffset:
			o.Offset = f.Args[0]
		case MLock:
			o.Locks = append(o.Locks, lock(f))
		case MWindow:
			if over, ok := marked(f.Args[0], MOver); ok {
				windows = append(windows, NamedWindow{Name: f.FnName.O, Window: window(over)})
			}
		}
	}
	return windows
}

func lock(f *ast.FuncCallExpr) Lock {
	p := strings.Split(f.FnName.O, sep)
	l := Lock{Node: f, NoWait: p[1] == "nowait", SkipLocked: p[1] == "skip"}
	switch p[0] {
	case "update":
		l.Strength = ForUpdate
	case "no key update":
		l.Strength = ForNoKeyUpdate
	case "share":
		l.Strength = ForShare
	case "key share":
		l.Strength = ForKeyShare
	}
	if len(p) > 2 {
		l.Of = p[2:]
	}
	return l
}

func decodeWith(w *ast.WithClause) *With {
	out := &With{Recursive: w.IsRecursive, CTEs: make([]CTE, len(w.CTEs))}
	for i, c := range w.CTEs {
		name, rest, _ := strings.Cut(c.Name.O, sep)
		pos, flags, _ := strings.Cut(rest, sep)
		cte := CTE{Name: name, Query: c.Query.Query, Pos: number(pos)}
		switch flags {
		case string(FlagMat):
			cte.Materialized = 1
		case string(FlagNotMat):
			cte.Materialized = -1
		}
		for _, col := range c.ColNameList {
			cte.Columns = append(cte.Columns, col.O)
		}
		out.CTEs[i] = cte
	}
	return out
}

// number reads a position of a payload.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
