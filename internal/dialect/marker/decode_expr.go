package marker

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// operators are the native ones by Postgres's names.
var operators = [...]string{
	opcode.GE: ">=", opcode.LE: "<=", opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.GT: ">",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%",
}

// expr decodes an expression.
func (s *Source) expr(n ast.ExprNode) tree.Expr {
	switch n := n.(type) {
	case *ast.ParenthesesExpr:
		return s.expr(unparen(n))
	case *literal.Param:
		return s.nodes.params.of(tree.Param{Pos: s.at(n.Out), Number: s.number(n.Out)})
	case *ast.ColumnNameExpr:
		return s.nodes.columns.of(tree.ColumnRef{Pos: s.pos(n), Schema: n.Name.Schema.O, Table: n.Name.Table.O, Name: n.Name.Name.O})
	case *literal.ValueExpr:
		return s.nodes.consts.of(tree.Const{Pos: s.pos(n), Kind: n.Val.Kind, Text: n.Val.Text})
	case *ast.FuncCallExpr:
		return s.call(n)
	case *ast.BinaryOperationExpr:
		return s.binary(n)
	case *ast.UnaryOperationExpr:
		return s.unary(n)
	case *ast.IsNullExpr:
		return &tree.NullTest{Pos: s.pos(n), X: s.expr(n.Expr), Not: n.Not}
	case *ast.IsTruthExpr:
		test := "false"
		if n.True == 1 {
			test = "true"
		}
		return &tree.BoolTest{Pos: s.pos(n), X: s.expr(n.Expr), Test: test, Not: n.Not}
	case *ast.BetweenExpr:
		return &tree.Between{Pos: s.before(n.Left), X: s.expr(n.Expr), Low: s.expr(n.Left), High: s.expr(n.Right), Not: n.Not}
	case *ast.PatternInExpr:
		in := &tree.In{X: s.expr(n.Expr), Not: n.Not}
		if n.Sel != nil {
			in.Pos = s.before(n.Sel)
			in.Query, _ = s.expr(n.Sel).(*tree.Subquery)
		} else {
			in.Pos = s.before(n.List[0])
			in.List = s.exprs(n.List)
		}
		return in
	case *ast.CaseExpr:
		return s.caseExpr(n)
	case *ast.SubqueryExpr:
		return &tree.Subquery{Pos: s.pos(n), Query: s.query(n.Query)}
	case *ast.ExistsSubqueryExpr:
		e := &tree.Exists{Pos: s.pos(n)}
		if q, ok := n.Sel.(*ast.SubqueryExpr); ok {
			e.Query = s.query(q.Query)
		}
		if n.Not {
			return &tree.Not{Pos: e.Pos, X: e}
		}
		return e
	case *ast.DefaultExpr:
		return &tree.Default{Pos: s.pos(n)}
	case *ast.PositionExpr:
		return s.ordinal(n)
	}
	panic(fault(fmt.Sprintf("expression %T", n)))
}

func (s *Source) exprs(list []ast.ExprNode) []tree.Expr {
	if len(list) == 0 {
		return nil
	}
	out := make([]tree.Expr, len(list))
	for i, n := range list {
		out[i] = s.expr(n)
	}
	return out
}

// optional is expr where nothing may be written.
func (s *Source) optional(n ast.ExprNode) tree.Expr {
	if n == nil {
		return nil
	}
	return s.expr(n)
}

// rows decodes VALUES lists.
func (s *Source) rows(lists [][]ast.ExprNode) [][]tree.Expr {
	rows := make([][]tree.Expr, len(lists))
	for i, l := range lists {
		rows[i] = s.exprs(l)
	}
	return rows
}

func (s *Source) binary(n *ast.BinaryOperationExpr) tree.Expr {
	pos := s.before(n.R)
	switch n.Op {
	case opcode.LogicAnd:
		return &tree.And{Pos: pos, Args: s.chain(n)}
	case opcode.LogicOr:
		return &tree.Or{Pos: pos, Args: s.chain(n)}
	case opcode.NullEQ:
		return &tree.Distinct{Pos: pos, Left: s.expr(n.L), Right: s.expr(n.R), Not: true}
	}
	return s.nodes.ops.of(tree.Op{Pos: pos, Name: operators[n.Op], Left: s.expr(n.L), Right: s.expr(n.R)})
}

// chain lists the operands of a chain of one connective, without recursion
// along its left side.
func (s *Source) chain(n *ast.BinaryOperationExpr) []tree.Expr {
	args := 2
	for x := n; ; args++ {
		l, ok := unparen(x.L).(*ast.BinaryOperationExpr)
		if !ok || l.Op != n.Op {
			break
		}
		x = l
	}
	out := make([]tree.Expr, args)
	for x := n; args > 1; args-- {
		out[args-1] = s.expr(x.R)
		if args == 2 {
			out[0] = s.expr(x.L)
			break
		}
		x, _ = unparen(x.L).(*ast.BinaryOperationExpr)
	}
	return out
}

func (s *Source) unary(n *ast.UnaryOperationExpr) tree.Expr {
	pos := s.pos(n)
	switch n.Op {
	case opcode.Minus:
		x := s.expr(n.V)
		if c, ok := x.(*tree.Const); ok && (c.Kind == tree.Int || c.Kind == tree.Decimal) {
			return negated(c, pos)
		}
		return s.nodes.ops.of(tree.Op{Pos: pos, Name: "-", Right: x})
	case opcode.Plus:
		return s.nodes.ops.of(tree.Op{Pos: pos, Name: "+", Right: s.expr(n.V)})
	}
	x := s.expr(n.V)
	// IS DISTINCT FROM is the negation of its opposite, both emitted for one word.
	if d, ok := x.(*tree.Distinct); ok && d.Not && d.Pos == pos {
		d.Not = false
		return d
	}
	return &tree.Not{Pos: pos, X: x}
}

// negated makes the minus at pos part of a number.
func negated(c *tree.Const, pos tree.Pos) tree.Expr {
	digits, minus := strings.CutPrefix(c.Text, "-")
	if !minus {
		digits = "-" + digits
	}
	c.Pos, c.Text = pos, digits
	return c
}

func (s *Source) caseExpr(n *ast.CaseExpr) tree.Expr {
	c := &tree.Case{Pos: s.pos(n), Operand: s.optional(n.Value), Else: s.optional(n.ElseClause)}
	c.Whens = make([]tree.When, len(n.WhenClauses))
	for i, w := range n.WhenClauses {
		c.Whens[i] = tree.When{Cond: s.expr(w.Expr), Result: s.expr(w.Result)}
	}
	return c
}

// unparen strips the parentheses around an expression.
func unparen(e ast.ExprNode) ast.ExprNode {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

func inParens(e ast.ExprNode) bool {
	_, ok := e.(*ast.ParenthesesExpr)
	return ok
}

// marked gives the call if e is a marker call of that kind.
func marked(e ast.ExprNode, kind string) (*ast.FuncCallExpr, bool) {
	f, ok := e.(*ast.FuncCallExpr)
	if ok && f.Schema.O == kind {
		return f, true
	}
	return nil, false
}

func cut3(s string) (a, b, c string) {
	a, rest, _ := strings.Cut(s, sep)
	b, c, _ = strings.Cut(rest, sep)
	return a, b, c
}
