package literal

import (
	"io"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// Value is a constant. Its text is exact whatever its length.
type Value struct {
	Kind tree.ConstKind
	Text string
}

// ValueExpr is the AST node of a constant; a few constants travel as markers.
type ValueExpr struct {
	ast.TexprNode
	Val        Value
	projection int
}

// Param is the AST node of a parameter. marker.Source knows its $n.
type Param struct {
	ValueExpr
	// Out is the byte offset of the "?" in the translated text.
	Out int
}

var (
	_ ast.ValueExpr       = (*ValueExpr)(nil)
	_ ast.ParamMarkerExpr = (*Param)(nil)
)

func init() {
	ast.NewValueExpr = newValueExpr
	ast.NewParamMarkerExpr = func(offset int) ast.ParamMarkerExpr {
		p := &Param{Out: offset}
		p.SetOriginTextPosition(offset)
		return p
	}
	ast.NewDecimal = func(text string) (any, error) { return Value{tree.Decimal, text}, nil }
	ast.NewHexLiteral = func(text string) (any, error) { return Value{tree.Bits, "x" + text}, nil }
	ast.NewBitLiteral = func(text string) (any, error) { return Value{tree.Bits, "b" + text}, nil }
}

func newValueExpr(value any, _, _ string) ast.ValueExpr {
	v := &ValueExpr{projection: -1}
	v.SetValue(value)
	return v
}

// SetValue takes what the grammar's actions give.
func (n *ValueExpr) SetValue(val any) {
	switch x := val.(type) {
	case nil:
		n.Val = Value{Kind: tree.Null}
	case bool:
		n.Val = Value{tree.Bool, "f"}
		if x {
			n.Val.Text = "t"
		}
	case int:
		n.Val = Value{tree.Int, strconv.Itoa(x)}
	case int64:
		n.Val = Value{tree.Int, strconv.FormatInt(x, 10)}
	case uint64:
		n.Val = Value{tree.Int, strconv.FormatUint(x, 10)}
	case string:
		n.Val = Value{tree.String, x}
	case Value:
		n.Val = x
		// The lexer hands integers over 64 bits to the decimal hook.
		if x.Kind == tree.Decimal && !strings.ContainsAny(x.Text, ".eE") {
			n.Val.Kind = tree.Int
		}
	case *ValueExpr:
		n.Val = x.Val
	default:
		n.Val = Value{Kind: tree.Null}
	}
}

// GetValue gives the Value.
func (n *ValueExpr) GetValue() any { return n.Val }

// GetString gives the text.
func (n *ValueExpr) GetString() string { return n.Val.Text }

// GetDatumString gives the text.
func (n *ValueExpr) GetDatumString() string { return n.Val.Text }

// GetProjectionOffset is part of ast.ValueExpr; this project has no use of it.
func (n *ValueExpr) GetProjectionOffset() int { return n.projection }

// SetProjectionOffset is part of ast.ValueExpr.
func (n *ValueExpr) SetProjectionOffset(offset int) { n.projection = offset }

// Accept implements ast.Node.
func (n *ValueExpr) Accept(v ast.Visitor) (ast.Node, bool) {
	node, skip := v.Enter(n)
	if skip {
		return v.Leave(node)
	}
	return v.Leave(node)
}

// Restore implements ast.Node.
func (n *ValueExpr) Restore(ctx *format.RestoreCtx) error {
	switch n.Val.Kind {
	case tree.Null:
		ctx.WriteKeyWord("NULL")
	case tree.String:
		ctx.WriteString(n.Val.Text)
	case tree.Bool:
		ctx.WriteKeyWord(map[string]string{"t": "TRUE", "f": "FALSE"}[n.Val.Text])
	default:
		ctx.WritePlain(n.Val.Text)
	}
	return nil
}

// Format implements ast.ExprNode.
func (n *ValueExpr) Format(w io.Writer) { _, _ = io.WriteString(w, n.Val.Text) }

// SetOrder is part of ast.ParamMarkerExpr; parameters are numbered by the user.
func (n *Param) SetOrder(int) {}

// Accept implements ast.Node.
func (n *Param) Accept(v ast.Visitor) (ast.Node, bool) {
	node, _ := v.Enter(n)
	return v.Leave(node)
}

// Restore implements ast.Node.
func (n *Param) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain("?")
	return nil
}

// Format implements ast.ExprNode.
func (n *Param) Format(w io.Writer) { _, _ = io.WriteString(w, "?") }
