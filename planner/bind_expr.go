package planner

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// place is where an expression stands: what it may name and hold.
type place struct {
	scope  *scope // nil: no columns at all
	clause string // as in "aggregate functions are not allowed in WHERE"
	aggs   *aggs  // nil: aggregates are refused
}

func (p *place) columns() *scope {
	if p.scope == nil {
		return &scope{}
	}
	return p.scope
}

// binaryOps are the native operators by Postgres's names. Their order of
// evaluation is the tree's: the front has parenthesised every operand.
var binaryOps = map[opcode.Op]string{
	opcode.GE: ">=", opcode.LE: "<=", opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.GT: ">",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%",
	opcode.Xor: "^", opcode.And: "&", opcode.Or: "|", opcode.LeftShift: "<<", opcode.RightShift: ">>",
}

// expr binds one expression. The result may have the type unknown: a bare literal or parameter.
func (b *binder) expr(p *place, n ast.ExprNode) (expr.Expr, error) {
	if err := b.expand.grow(1, 0); err != nil {
		return nil, err
	}
	if v, ok := constantOf(n); ok {
		return constant(v, b.pos(n))
	}
	switch n := n.(type) {
	case *ast.ParenthesesExpr:
		return b.expr(p, n.Expr)
	case *literal.Param:
		return b.bindParam(n)
	case *ast.ColumnNameExpr:
		return b.bindColumn(p, n)
	case *ast.BinaryOperationExpr:
		return b.bindBinary(p, n)
	case *ast.UnaryOperationExpr:
		return b.bindUnary(p, n)
	case *ast.IsNullExpr:
		return b.bindIsNull(p, n)
	case *ast.IsTruthExpr:
		return b.bindIsTruth(p, n)
	case *ast.BetweenExpr:
		return b.bindBetween(p, n, n.Expr, n.Left, n.Right, n.Not, false)
	case *ast.PatternInExpr:
		return b.bindIn(p, n)
	case *ast.CaseExpr:
		return b.bindCase(p, n)
	case *ast.RowExpr:
		return nil, b.rowValue(n)
	case *ast.SubqueryExpr, *ast.ExistsSubqueryExpr, *ast.CompareSubqueryExpr:
		return nil, b.subquery(n)
	case *ast.DefaultExpr:
		return nil, sqlerr.New(sqlerr.SyntaxError, "DEFAULT is not allowed in this context").At(b.pos(n))
	}
	if call, ok := marker.Decode(n); ok {
		return b.bindCall(p, &call)
	}
	return nil, sqlerr.Unsupported("this expression is not supported", "Write it with operators and functions that are.").At(b.pos(n))
}

// exprs binds a list.
func (b *binder) exprs(p *place, list []ast.ExprNode) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, n := range list {
		var err error
		if out[i], err = b.expr(p, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// boolExpr binds a condition, the argument of p.clause.
func (b *binder) boolExpr(p *place, n ast.ExprNode) (expr.Expr, error) {
	e, err := b.expr(p, n)
	if err != nil {
		return nil, err
	}
	return expr.ResolveBool(e, p.clause)
}

func (b *binder) bindParam(n *literal.Param) (expr.Expr, error) {
	number := b.stmt.ParamNumber(n)
	if b.stored || number < 1 {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", number).At(b.pos(n))
	}
	return b.params.Ref(number, b.pos(n)), nil
}

func (b *binder) bindColumn(p *place, n *ast.ColumnNameExpr) (expr.Expr, error) {
	return p.columns().column(n.Name.Schema.O, n.Name.Table.O, n.Name.Name.O, b.pos(n))
}

func (b *binder) bindBinary(p *place, n *ast.BinaryOperationExpr) (expr.Expr, error) {
	pos := b.pos(n)
	switch n.Op {
	case opcode.LogicAnd, opcode.LogicOr:
		return b.bindLogic(p, n)
	case opcode.NullEQ:
		l, r, err := b.pair(p, n.L, n.R)
		if err != nil {
			return nil, err
		}
		distinct, err := expr.MakeIsDistinct(l, r, pos)
		if err != nil {
			return nil, err
		}
		if null, ok := distinct.(*expr.Not); ok { // IS DISTINCT FROM NULL
			return null.X, nil
		}
		return expr.MakeNot(distinct, pos)
	}
	name, ok := binaryOps[n.Op]
	if !ok {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", n.Op.String()).At(pos)
	}
	if left, ok := rowOf(n.L); ok {
		return b.bindRowCmp(p, name, left, n.R, pos)
	}
	l, r, err := b.pair(p, n.L, n.R)
	if err != nil {
		return nil, err
	}
	return expr.ResolveOp(name, l, r, pos)
}

func (b *binder) pair(p *place, l, r ast.ExprNode) (expr.Expr, expr.Expr, error) {
	le, err := b.expr(p, l)
	if err != nil {
		return nil, nil, err
	}
	re, err := b.expr(p, r)
	return le, re, err
}

// bindLogic flattens a chain of one connective without recursion along its left side.
func (b *binder) bindLogic(p *place, n *ast.BinaryOperationExpr) (expr.Expr, error) {
	var nodes []ast.ExprNode
	var cur ast.ExprNode = n
	for {
		x, ok := unparen(cur).(*ast.BinaryOperationExpr)
		if !ok || x.Op != n.Op {
			nodes = append(nodes, cur)
			break
		}
		nodes = append(nodes, x.R)
		cur = x.L
	}
	args := make([]expr.Expr, len(nodes))
	for i, node := range nodes {
		e, err := b.expr(p, node)
		if err != nil {
			return nil, err
		}
		args[len(nodes)-1-i] = e
	}
	if n.Op == opcode.LogicAnd {
		return expr.MakeAnd(args, b.pos(n))
	}
	return expr.MakeOr(args, b.pos(n))
}

func (b *binder) bindUnary(p *place, n *ast.UnaryOperationExpr) (expr.Expr, error) {
	x, err := b.expr(p, n.V)
	if err != nil {
		return nil, err
	}
	switch n.Op {
	case opcode.Not, opcode.Not2:
		return expr.MakeNot(x, b.pos(n))
	case opcode.Minus:
		return expr.ResolveOp("-", nil, x, b.pos(n))
	case opcode.Plus:
		return expr.ResolveOp("+", nil, x, b.pos(n))
	case opcode.BitNeg:
		return expr.ResolveOp("~", nil, x, b.pos(n))
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", n.Op.String()).At(b.pos(n))
}

// bindIsNull also takes a row, which is NULL where all its fields are, and not
// NULL where none is.
func (b *binder) bindIsNull(p *place, n *ast.IsNullExpr) (expr.Expr, error) {
	nodes, ok := rowOf(n.Expr)
	if !ok {
		nodes = []ast.ExprNode{n.Expr}
	}
	tests := make([]expr.Expr, len(nodes))
	for i, node := range nodes {
		x, err := b.expr(p, node)
		if err != nil {
			return nil, err
		}
		if tests[i], err = expr.MakeIsNull(x, b.pos(n)); err != nil {
			return nil, err
		}
		if n.Not {
			if tests[i], err = expr.MakeNot(tests[i], b.pos(n)); err != nil {
				return nil, err
			}
		}
	}
	return expr.MakeAnd(tests, b.pos(n))
}

func (b *binder) bindIsTruth(p *place, n *ast.IsTruthExpr) (expr.Expr, error) {
	x, err := b.expr(p, n.Expr)
	if err != nil {
		return nil, err
	}
	test := "false"
	if n.True == 1 {
		test = "true"
	}
	return expr.MakeIsTest(x, test, n.Not, b.pos(n))
}

func (b *binder) bindBetween(p *place, at ast.Node, x, lo, hi ast.ExprNode, not, symmetric bool) (expr.Expr, error) {
	es, err := b.exprs(p, []ast.ExprNode{x, lo, hi})
	if err != nil {
		return nil, err
	}
	return expr.MakeBetween(es[0], es[1], es[2], not, symmetric, b.pos(at))
}

func (b *binder) bindCase(p *place, n *ast.CaseExpr) (expr.Expr, error) {
	var operand, els expr.Expr
	var err error
	if n.Value != nil {
		if operand, err = b.expr(p, n.Value); err != nil {
			return nil, err
		}
	}
	whens := make([]expr.When, len(n.WhenClauses))
	for i, w := range n.WhenClauses {
		if whens[i].Cond, whens[i].Then, err = b.pair(p, w.Expr, w.Result); err != nil {
			return nil, err
		}
	}
	if n.ElseClause != nil {
		if els, err = b.expr(p, n.ElseClause); err != nil {
			return nil, err
		}
	}
	return expr.MakeCase(operand, whens, els, b.pos(n))
}

func (b *binder) subquery(n ast.Node) error {
	return sqlerr.Unsupported("subqueries in expressions are not supported",
		"Run the inner query first and pass its result as a parameter, for example with = ANY($1).").At(b.pos(n))
}

func unparen(n ast.ExprNode) ast.ExprNode {
	for {
		p, ok := n.(*ast.ParenthesesExpr)
		if !ok {
			return n
		}
		n = p.Expr
	}
}
