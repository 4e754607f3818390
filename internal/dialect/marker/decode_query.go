package marker

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// query decodes a query; nil for a node that is none.
func (s *Source) query(n ast.Node) tree.Query {
	switch x := n.(type) {
	case *ast.SelectStmt:
		return s.selectQuery(x)
	case *ast.SetOprStmt:
		q := s.setOps(x.SelectList.Selects)
		if q != nil {
			s.outer(q.Outer(), x.With, x.OrderBy, x.Limit)
		}
		return q
	case *ast.SetOprSelectList:
		return s.setOpOperand(x)
	}
	return nil
}

// setOps folds a chain of set operations from the left.
func (s *Source) setOps(nodes []ast.Node) tree.Query {
	if len(nodes) == 0 {
		return nil
	}
	left := s.setOpOperand(nodes[0])
	for _, n := range nodes[1:] {
		q := &tree.SetOp{Left: left, Right: s.setOpOperand(n)}
		q.Op, q.All = setOpOf(n)
		left = q
	}
	return left
}

// setOpOperand decodes an operand. The grammar wraps a parenthesised SELECT in
// a list of one, and repeats its WITH there.
func (s *Source) setOpOperand(n ast.Node) tree.Query {
	l, ok := n.(*ast.SetOprSelectList)
	if !ok {
		return s.query(n)
	}
	if len(l.Selects) == 1 {
		return s.setOpOperand(l.Selects[0])
	}
	q := s.setOps(l.Selects)
	s.outer(q.Outer(), l.With, l.OrderBy, l.Limit)
	return q
}

// setOpOf gives the operator that stands before an operand.
func setOpOf(n ast.Node) (op tree.SetOpKind, all bool) {
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
		return tree.Union, false
	case ast.UnionAll:
		return tree.Union, true
	case ast.Except:
		return tree.Except, false
	case ast.ExceptAll:
		return tree.Except, true
	case ast.Intersect:
		return tree.Intersect, false
	case ast.IntersectAll:
		return tree.Intersect, true
	}
	return 0, false
}

func (s *Source) selectQuery(x *ast.SelectStmt) tree.Query {
	if x.Kind == ast.SelectStmtKindValues {
		q := &tree.Values{Rows: make([][]tree.Expr, len(x.Lists))}
		for i, r := range x.Lists {
			q.Rows[i] = s.exprs(r.Values)
		}
		s.outer(q.Outer(), x.With, x.OrderBy, x.Limit)
		return q
	}
	q := &tree.Select{Distinct: x.Distinct, Where: s.optional(x.Where)}
	q.Items, q.DistinctOn = s.items(x.Fields.Fields)
	if x.From != nil {
		q.From = s.fromList(x.From.TableRefs)
	}
	if x.GroupBy != nil {
		for _, b := range x.GroupBy.Items {
			if f, ok := marked(b.Expr, MGroup); ok && f.FnName.O == "distinct" {
				q.GroupDistinct = true
				continue
			}
			q.GroupBy = append(q.GroupBy, s.groupItem(b.Expr))
		}
	}
	if x.Having != nil {
		q.Having = s.expr(x.Having.Expr)
	}
	q.Windows = s.outer(q.Outer(), x.With, x.OrderBy, x.Limit)
	return q
}

func (s *Source) items(fields []*ast.SelectField) (items []tree.Item, distinctOn []tree.Expr) {
	items = make([]tree.Item, 0, len(fields))
	for i, f := range fields {
		if f.WildCard != nil {
			items = append(items, tree.Item{Pos: s.at(f.Offset), Star: true, Schema: f.WildCard.Schema.O, Table: f.WildCard.Table.O})
			continue
		}
		if i == 0 {
			if m, ok := marked(f.Expr, MDistinctOn); ok {
				distinctOn = s.exprs(m.Args)
				continue
			}
			if _, ok := marked(f.Expr, MEmpty); ok {
				continue
			}
		}
		items = append(items, s.item(f.Expr, f.AsName.O))
	}
	return items, distinctOn
}

func (s *Source) item(n ast.ExprNode, name string) tree.Item {
	e := s.expr(n)
	it := tree.Item{Pos: tree.Pos(e.Position()), Expr: e, Name: name}
	if _, all := e.(*tree.FieldStar); all {
		it.Name = ""
	} else if name == NameFromStar {
		it.Name, it.FromStar = "?column?", true
	}
	return it
}

func (s *Source) groupItem(e ast.ExprNode) tree.GroupItem {
	f, ok := marked(e, MGroup)
	if !ok {
		return tree.GroupItem{Expr: s.expr(e)}
	}
	g := tree.GroupItem{}
	switch f.FnName.O {
	case "empty":
		g.Kind = tree.GroupEmpty
	case "sets":
		g.Kind = tree.GroupSets
	case "cube":
		g.Kind = tree.GroupCube
	case "rollup":
		g.Kind = tree.GroupRollup
	}
	for _, a := range f.Args {
		g.Items = append(g.Items, s.groupItem(a))
	}
	return g
}

// outer decodes what stands around a query, and gives the windows that travel
// with it.
func (s *Source) outer(o *tree.Clauses, with *ast.WithClause, order *ast.OrderByClause, limit *ast.Limit) []tree.NamedWindow {
	if with != nil {
		o.With = s.with(with)
	}
	if limit != nil {
		o.Limit, o.Offset = s.limit(limit.Count), s.limit(limit.Offset)
	}
	if order == nil {
		return nil
	}
	var windows []tree.NamedWindow
	for _, b := range order.Items {
		f, ok := b.Expr.(*ast.FuncCallExpr)
		switch {
		case ok && f.Schema.O == MTail:
			windows = s.queryTail(o, f)
		case ok && f.Schema.O == MOrder:
			o.OrderBy = append(o.OrderBy, s.orderItem(f))
		default:
			o.OrderBy = append(o.OrderBy, tree.OrderItem{Expr: s.expr(b.Expr), Desc: b.Desc})
		}
	}
	return windows
}

// limit decodes a native LIMIT or OFFSET: a parameter or an integer, of which the
// grammar does not say where it stands.
func (s *Source) limit(n ast.ExprNode) tree.Expr {
	if v, ok := n.(*literal.ValueExpr); ok {
		return s.nodes.consts.of(tree.Const{Kind: v.Val.Kind, Text: v.Val.Text})
	}
	return s.optional(n)
}

// ordinal turns the grammar's node for a column number back into the constant.
func (s *Source) ordinal(p *ast.PositionExpr) tree.Expr {
	if p.P != nil {
		return s.expr(p.P)
	}
	return s.nodes.consts.of(tree.Const{Pos: s.pos(p), Kind: tree.Int, Text: strconv.Itoa(p.N)})
}

// queryTail decodes the last ORDER BY item that is none.
func (s *Source) queryTail(o *tree.Clauses, m *ast.FuncCallExpr) (windows []tree.NamedWindow) {
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MLimit:
			o.Limit = s.expr(f.Args[0])
			o.WithTies = f.FnName.O == "ties"
		case MOffset:
			o.Offset = s.expr(f.Args[0])
		case MLock:
			o.Locks = append(o.Locks, s.lock(f))
		case MWindow:
			if over, ok := marked(f.Args[0], MOver); ok {
				windows = append(windows, tree.NamedWindow{Name: f.FnName.O, Window: s.window(over)})
			}
		}
	}
	return windows
}

func (s *Source) lock(f *ast.FuncCallExpr) tree.Lock {
	p := strings.Split(f.FnName.O, sep)
	l := tree.Lock{Pos: s.pos(f), NoWait: p[1] == "nowait", SkipLocked: p[1] == "skip"}
	switch p[0] {
	case "update":
		l.Strength = tree.ForUpdate
	case "no key update":
		l.Strength = tree.ForNoKeyUpdate
	case "share":
		l.Strength = tree.ForShare
	case "key share":
		l.Strength = tree.ForKeyShare
	}
	if len(p) > 2 {
		l.Of = p[2:]
	}
	return l
}

func (s *Source) with(w *ast.WithClause) *tree.With {
	out := &tree.With{Recursive: w.IsRecursive, CTEs: make([]tree.CTE, len(w.CTEs))}
	for i, c := range w.CTEs {
		name, rest, _ := strings.Cut(c.Name.O, sep)
		pos, flags, _ := strings.Cut(rest, sep)
		cte := tree.CTE{Pos: position(pos), Name: name}
		if cte.Writes = s.inner(c.Query.Query); cte.Writes == nil {
			cte.Query = s.query(c.Query.Query)
		}
		cte.Search, cte.Cycle = s.Recursions[cte.Pos].Search, s.Recursions[cte.Pos].Cycle
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

// inner gives the statement that a query of WITH stands for; nil for a query.
func (s *Source) inner(n ast.Node) tree.DML {
	q, ok := n.(*ast.SelectStmt)
	if !ok || q.Fields == nil || len(q.Fields.Fields) != 1 {
		return nil
	}
	m, ok := marked(q.Fields.Fields[0].Expr, MInner)
	if !ok {
		return nil
	}
	i, _ := strconv.Atoi(m.FnName.O)
	return s.Inner[i]
}

// position reads a position of a payload.
func position(s string) tree.Pos {
	n, _ := strconv.Atoi(s)
	return tree.Pos(n)
}
