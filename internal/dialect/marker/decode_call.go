package marker

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// call decodes a call: of a function, or a marker of an expression.
func (s *Source) call(f *ast.FuncCallExpr) tree.Expr {
	pos := s.pos(f)
	if !strings.HasPrefix(f.Schema.O, sep) {
		return s.function(f, pos)
	}
	name := f.FnName.O
	switch f.Schema.O {
	case MNumber:
		return s.nodes.consts.of(tree.Const{Pos: pos, Kind: tree.Decimal, Text: name})
	case MBits:
		return s.nodes.consts.of(tree.Const{Pos: pos, Kind: tree.Bits, Text: name})
	case MOp:
		return s.operator(f, pos)
	case MAny, MAll:
		e := &tree.AnyAll{Pos: pos, All: f.Schema.O == MAll, Left: s.expr(f.Args[0]), Right: s.expr(f.Args[1])}
		e.Name, e.Schema, _ = cut3(name)
		return e
	case MCast:
		text, spelling, _ := strings.Cut(name, sep)
		return &tree.Cast{Pos: pos, X: s.expr(f.Args[0]), Type: s.castType(f, text), Spelling: spelling}
	case MArray:
		return &tree.Array{Pos: pos, Elems: s.exprs(f.Args)}
	case MArrayQ:
		q, _ := f.Args[0].(*ast.SubqueryExpr)
		return &tree.ArrayQuery{Pos: pos, Query: s.query(q.Query)}
	case MSub:
		return &tree.Subscript{Pos: pos, X: s.expr(f.Args[0]), Index: s.expr(f.Args[1]), Apart: inParens(f.Args[0])}
	case MSlice:
		return &tree.Slice{Pos: pos, X: s.expr(f.Args[0]), Low: s.bound(f.Args[1]), High: s.bound(f.Args[2]), Apart: inParens(f.Args[0])}
	case MField:
		return &tree.Field{Pos: pos, X: s.expr(f.Args[0]), Name: name}
	case MStarOf:
		return &tree.FieldStar{Pos: pos, X: s.expr(f.Args[0])}
	case MWhole:
		w := &tree.WholeRow{Pos: pos}
		w.Table, w.Schema, _ = strings.Cut(name, sep)
		return w
	case MRow:
		return &tree.Row{Pos: pos, Fields: s.exprs(f.Args), Named: name != Nothing}
	case MCollate:
		c := &tree.Collate{Pos: pos, X: s.expr(f.Args[0])}
		c.Name, c.Schema, _ = strings.Cut(name, sep)
		return c
	case MKeyword:
		if name == nextValue || name == currentValue {
			return s.sequenceValue(f, pos)
		}
		return &tree.Keyword{Pos: pos, Name: name, Args: s.exprs(f.Args)}
	case MSpecial:
		return s.special(f, pos)
	case MDefault:
		return &tree.Default{Pos: pos}
	}
	panic(fault(fmt.Sprintf("%q is not a marker of an expression", f.Schema.O)))
}

func (s *Source) operator(f *ast.FuncCallExpr, pos tree.Pos) tree.Expr {
	o := s.nodes.ops.of(tree.Op{Pos: pos})
	o.Name, o.Schema, o.Spelling = cut3(f.FnName.O)
	switch a := f.Args; len(a) {
	case 1:
		o.Right = s.expr(a[0])
	case 3:
		o.Left, o.Right, o.Escape = s.expr(a[0]), s.expr(a[1]), s.expr(a[2])
	default:
		o.Left, o.Right = s.expr(a[0]), s.expr(a[1])
	}
	return o
}

// castType gives the type of a cast: as it was read, or for a cast that nobody
// wrote by its text, which was made by TypeName.String.
func (s *Source) castType(f *ast.FuncCallExpr, text string) *tree.TypeName {
	if src, ok := s.begins(f.OriginTextPosition()); ok {
		if t := s.Types[src]; t != nil {
			return t
		}
	}
	return typeOf(text)
}

// typeOf reads the text of a type, whose place in the user's text is not known.
func typeOf(text string) *tree.TypeName {
	t, err := typename.Parse(text)
	if err != nil {
		panic(fault(fmt.Sprintf("type %q: %v", text, err)))
	}
	t.Pos = 0
	return t
}

// bound is nil for a missing slice bound.
func (s *Source) bound(e ast.ExprNode) tree.Expr {
	if _, none := marked(e, MNone); none {
		return nil
	}
	return s.expr(e)
}

// The words of Phoenix's sequence expressions.
const (
	nextValue    = "next value for"
	currentValue = "current value for"
)

func (s *Source) sequenceValue(f *ast.FuncCallExpr, pos tree.Pos) tree.Expr {
	v := &tree.SequenceValue{Pos: pos, Current: f.FnName.O == currentValue}
	if c, ok := f.Args[0].(*ast.ColumnNameExpr); ok {
		v.Sequence = tree.Name{Schema: c.Name.Table.O, Name: c.Name.Name.O, Pos: int(s.pos(c))}
	}
	if len(f.Args) > 1 {
		v.Count = s.expr(f.Args[1])
	}
	return v
}

func (s *Source) special(f *ast.FuncCallExpr, pos tree.Pos) tree.Expr {
	x := s.expr(f.Args[0])
	switch name := f.FnName.O; name {
	case "between symmetric", "not between symmetric":
		return &tree.Between{
			Pos: pos, X: x, Low: s.expr(f.Args[1]), High: s.expr(f.Args[2]), Not: name[0] == 'n', Symmetric: true,
		}
	case "is unknown", "is not unknown":
		return &tree.BoolTest{Pos: pos, X: x, Test: "unknown", Not: name == "is not unknown"}
	case "is document", "is not document":
		return &tree.IsDocument{Pos: pos, X: x, Not: name == "is not document"}
	}
	panic(fault(fmt.Sprintf("%q is not syntax", f.FnName.O)))
}

// function decodes a call of a function, whose last arguments may be markers of
// what follows the arguments.
func (s *Source) function(f *ast.FuncCallExpr, pos tree.Pos) tree.Expr {
	c := &tree.Func{Pos: pos, Schema: f.Schema.O}
	c.Name, c.Spelling, _ = strings.Cut(f.FnName.O, sep)
	args := f.Args
	if c.Spelling == "overlaps" {
		args = overlapsArgs(args)
	}
	n := len(args)
	for n > 0 && isTail(args[n-1]) {
		n--
	}
	for _, a := range args[n:] {
		s.tail(c, a.(*ast.FuncCallExpr))
	}
	if n > 0 {
		c.Args = make([]tree.Expr, n)
	}
	for i, a := range args[:n] {
		if m, ok := marked(a, MVariadic); ok {
			c.Variadic = true
			a = m.Args[0]
		}
		if m, ok := marked(a, MArg); ok {
			if c.ArgNames == nil {
				c.ArgNames = make([]string, n)
			}
			c.ArgNames[i] = m.FnName.O
			a = m.Args[0]
		}
		c.Args[i] = s.expr(a)
	}
	return c
}

// overlapsArgs makes four arguments of the two rows of OVERLAPS.
func overlapsArgs(rows []ast.ExprNode) []ast.ExprNode {
	var args []ast.ExprNode
	for _, a := range rows {
		if row, ok := marked(unparen(a), MRow); ok {
			args = append(args, row.Args...)
		}
	}
	return args
}

// isTail tells the markers that follow a call's arguments.
func isTail(e ast.ExprNode) bool {
	m, ok := e.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	switch m.Schema.O {
	case MStar, MDistinct, MAllRows, MOrder, MWithin, MFilter, MOver:
		return true
	}
	return false
}

// tail takes one of them.
func (s *Source) tail(c *tree.Func, m *ast.FuncCallExpr) {
	switch m.Schema.O {
	case MStar:
		c.Star = true
	case MDistinct:
		c.Distinct = true
	case MAllRows:
		c.All = true
	case MOrder:
		c.OrderBy = append(c.OrderBy, s.orderItem(m))
	case MWithin:
		c.Within = true
		for _, a := range m.Args {
			if o, ok := marked(a, MOrder); ok {
				c.OrderBy = append(c.OrderBy, s.orderItem(o))
			}
		}
	case MFilter:
		c.Filter = s.expr(m.Args[0])
	case MOver:
		w := s.window(m)
		c.Over = &w
	}
}
