package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// Unparen strips the parentheses around an expression.
func Unparen(e ast.ExprNode) ast.ExprNode {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

// Const gives the value of a constant, exact. Parameters are not constants:
// they are *literal.Param.
func Const(e ast.ExprNode) (literal.Value, bool) {
	switch n := Unparen(e).(type) {
	case *literal.ValueExpr:
		return n.Val, true
	case *ast.FuncCallExpr:
		switch n.Schema.O {
		case MNumber:
			return literal.Value{Kind: literal.Decimal, Text: n.FnName.O}, true
		case MBits:
			return literal.Value{Kind: literal.Bits, Text: n.FnName.O}, true
		}
	}
	return literal.Value{}, false
}

// IsDefault tells whether an expression is the word DEFAULT.
func IsDefault(e ast.ExprNode) bool {
	_, ok := e.(*ast.DefaultExpr)
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

// Decode decodes an expression that is not native; ok is false for native
// nodes (see the table in package dialect's doc) and for constants.
func Decode(e ast.ExprNode) (c Call, ok bool) {
	f, ok := Unparen(e).(*ast.FuncCallExpr)
	if !ok {
		return Call{}, false
	}
	c.Node = f
	c.Args = f.Args
	if !strings.HasPrefix(f.Schema.O, sep) {
		decodeFunc(&c, f)
		return c, true
	}
	name := f.FnName.O
	switch f.Schema.O {
	case MOp:
		c.Kind = Op
		c.Name, c.Schema, c.Syntax = cut3(name)
	case MAny, MAll:
		c.Kind = Any
		if f.Schema.O == MAll {
			c.Kind = All
		}
		c.Name, c.Schema, _ = cut3(name)
	case MCast:
		c.Kind = Cast
		text, syntax, _ := strings.Cut(name, sep)
		c.Syntax = syntax
		// The text was made by TypeName.String.
		c.Type, _ = typename.Parse(text)
	case MArray:
		c.Kind = Array
	case MArrayQ:
		c.Kind = ArrayQuery
	case MSub:
		c.Kind = Subscript
	case MSlice:
		c.Kind = Slice
		c.Args = []ast.ExprNode{f.Args[0], bound(f.Args[1]), bound(f.Args[2])}
	case MField:
		c.Kind, c.Name = Field, name
	case MStarOf:
		c.Kind = FieldStar
	case MWhole:
		c.Kind = WholeRow
		c.Name, c.Schema, _ = strings.Cut(name, sep)
	case MRow:
		c.Kind = Row
		if name != Nothing {
			c.Syntax = name
		}
		c.Args = withDefaults(f.Args)
	case MCollate:
		c.Kind = Collate
		c.Name, c.Schema, _ = strings.Cut(name, sep)
	case MKeyword:
		c.Kind, c.Name = Keyword, name
	case MSpecial:
		c.Kind, c.Name = Special, name
	default:
		return Call{}, false
	}
	return c, true
}

func cut3(s string) (a, b, c string) {
	a, rest, _ := strings.Cut(s, sep)
	b, c, _ = strings.Cut(rest, sep)
	return a, b, c
}

// bound is nil for a missing slice bound.
func bound(e ast.ExprNode) ast.ExprNode {
	if _, none := marked(e, MNone); none {
		return nil
	}
	return e
}

// value turns the marker of DEFAULT into MySQL's node for it.
func value(e ast.ExprNode) ast.ExprNode {
	if f, ok := marked(e, MDefault); ok {
		d := &ast.DefaultExpr{}
		d.SetOriginTextPosition(f.OriginTextPosition())
		return d
	}
	return e
}

func withDefaults(args []ast.ExprNode) []ast.ExprNode {
	for i, a := range args {
		if _, ok := marked(a, MDefault); ok {
			args = append([]ast.ExprNode(nil), args...)
			for ; i < len(args); i++ {
				args[i] = value(args[i])
			}
			break
		}
	}
	return args
}

// decodeFunc splits a call's arguments from what follows them.
func decodeFunc(c *Call, f *ast.FuncCallExpr) {
	c.Kind = Func
	c.Schema = f.Schema.O
	c.Name, c.Syntax, _ = strings.Cut(f.FnName.O, sep)
	n := len(f.Args)
	for n > 0 && c.tail(f.Args[n-1]) {
		n--
	}
	c.Args = f.Args[:n:n]
	reverse(c.OrderBy)
	for i, a := range c.Args {
		m, ok := a.(*ast.FuncCallExpr)
		if !ok || !strings.HasPrefix(m.Schema.O, sep) {
			continue
		}
		switch m.Schema.O {
		case MVariadic:
			c.Variadic = true
			c.ownArgs(f, n)
			c.Args[i] = m.Args[0]
			if inner, ok := marked(m.Args[0], MArg); ok {
				c.nameArg(i, inner)
			}
		case MArg:
			c.ownArgs(f, n)
			c.nameArg(i, m)
		}
	}
	if c.Syntax == "overlaps" {
		var args []ast.ExprNode
		for _, a := range c.Args {
			if row, ok := marked(Unparen(a), MRow); ok {
				args = append(args, row.Args...)
			}
		}
		c.Args = args
	}
}

// ownArgs makes c.Args a copy before it is changed: the AST is shared.
func (c *Call) ownArgs(f *ast.FuncCallExpr, n int) {
	if n > 0 && &c.Args[0] == &f.Args[0] {
		c.Args = append([]ast.ExprNode(nil), c.Args...)
	}
}

func (c *Call) nameArg(i int, m *ast.FuncCallExpr) {
	if c.ArgNames == nil {
		c.ArgNames = make([]string, len(c.Args))
	}
	c.ArgNames[i] = m.FnName.O
	c.Args[i] = m.Args[0]
}

// tail takes one of the last arguments of a call, if it is a marker of what
// follows the arguments. Order items come in reverse.
func (c *Call) tail(e ast.ExprNode) bool {
	m, ok := e.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	switch m.Schema.O {
	case MStar:
		c.Star = true
	case MDistinct:
		c.Distinct = true
	case MAllRows:
		c.All = true
	case MOrder:
		c.OrderBy = append(c.OrderBy, orderItem(m))
	case MWithin:
		c.Within = true
		for i := len(m.Args) - 1; i >= 0; i-- {
			if o, ok := marked(m.Args[i], MOrder); ok {
				c.OrderBy = append(c.OrderBy, orderItem(o))
			}
		}
	case MFilter:
		c.Filter = m.Args[0]
	case MOver:
		w := window(m)
		c.Over = &w
	default:
		return false
	}
	return true
}

func reverse(o []OrderItem) {
	for i, j := 0, len(o)-1; i < j; i, j = i+1, j-1 {
		o[i], o[j] = o[j], o[i]
	}
}

// orderItem decodes an order marker.
func orderItem(m *ast.FuncCallExpr) OrderItem {
	dir, rest, _ := strings.Cut(m.FnName.O, sep)
	nulls, using, usingSchema := cut3(rest)
	o := OrderItem{Expr: m.Args[0], Desc: dir == "desc", Using: using, UsingSchema: usingSchema}
	switch nulls {
	case "first":
		o.Nulls = NullsFirst
	case "last":
		o.Nulls = NullsLast
	}
	return o
}

// window decodes an over marker.
func window(m *ast.FuncCallExpr) Window {
	w := Window{Node: m}
	ref, form, _ := strings.Cut(m.FnName.O, sep)
	if form != "" {
		w.Ref = ref
		w.Bare = form == "bare"
	}
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MPartition:
			w.PartitionBy = f.Args
		case MOrder:
			w.OrderBy = append(w.OrderBy, orderItem(f))
		case MFrame:
			w.Frame = frame(f)
		}
	}
	return w
}

// frame decodes a frame marker: mode, start, end, exclude, between.
func frame(m *ast.FuncCallExpr) *Frame {
	p := strings.Split(m.FnName.O, sep)
	fr := &Frame{Between: p[4] != ""}
	switch p[0] {
	case "rows":
		fr.Mode = Rows
	case "range":
		fr.Mode = Range
	case "groups":
		fr.Mode = Groups
	}
	args := m.Args
	side := func(digit string) Bound {
		b := Bound{Kind: BoundKind(digit[0] - '0')}
		if b.Kind == OffsetPreceding || b.Kind == OffsetFollowing {
			b.Offset, args = args[0], args[1:]
		}
		return b
	}
	fr.Start = side(p[1])
	fr.End = side(p[2])
	switch p[3] {
	case "current row":
		fr.Exclude = ExcludeCurrentRow
	case "group":
		fr.Exclude = ExcludeGroup
	case "ties":
		fr.Exclude = ExcludeTies
	}
	return fr
}
