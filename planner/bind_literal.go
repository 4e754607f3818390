package planner

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// constant gives a literal the type Postgres gives it: the smallest of integer,
// bigint and numeric that holds a whole number, numeric for others, unknown
// for strings and NULL.
func constant(v literal.Value, pos int) (expr.Expr, error) {
	switch v.Kind {
	case literal.Null:
		return &expr.Const{Value: types.NullDatum, T: types.Of(types.Unknown), At: pos}, nil
	case literal.Bool:
		return &expr.Const{Value: types.NewBool(v.Text == "t"), T: types.Of(types.Bool), At: pos}, nil
	case literal.String:
		return &expr.Const{Value: types.NewText(v.Text), T: types.Of(types.Unknown), At: pos}, nil
	case literal.Int:
		if i, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			kind := types.Int8
			if i == int64(int32(i)) {
				kind = types.Int4
			}
			return &expr.Const{Value: types.NewInt(i), T: types.Of(kind), At: pos}, nil
		}
		return numericConstant(v.Text, pos)
	case literal.Decimal:
		return numericConstant(v.Text, pos)
	}
	return nil, sqlerr.Unsupported("bit string constants are not supported", `Write bytea as '\x1f', or a number.`).At(pos)
}

// constantOf gives the constant that an expression is. A minus before a number is part
// of it, as in Postgres's grammar: -2147483648 is an integer, though 2147483648 is not.
func constantOf(n ast.ExprNode) (literal.Value, bool) {
	minus, signed := false, false
	for {
		u, ok := unparen(n).(*ast.UnaryOperationExpr)
		if !ok || u.Op != opcode.Minus {
			break
		}
		minus, signed, n = !minus, true, u.V
	}
	v, ok := marker.Const(n)
	if !ok || !signed {
		return v, ok
	}
	if v.Kind != literal.Int && v.Kind != literal.Decimal {
		return v, false
	}
	if minus {
		v.Text = "-" + v.Text
	}
	return v, true
}

func numericConstant(text string, pos int) (expr.Expr, error) {
	t := types.Of(types.Numeric)
	d, err := types.ParseText(t, []byte(text), nil)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			e.At(pos)
		}
		return nil, err
	}
	return &expr.Const{Value: d, T: t, At: pos}, nil
}

// resolveType finds a type by its name as written: 42704.
func (b *binder) resolveType(n *typename.TypeName) (types.T, error) {
	t, err := typeOf(n)
	if e := sqlerr.As(err); e != nil {
		e.At(b.at(n.Pos))
	}
	return t, err
}

func typeOf(n *typename.TypeName) (types.T, error) {
	if n.SetOf {
		return types.T{}, sqlerr.New(sqlerr.SyntaxError, "type %s cannot be used here", n.String())
	}
	name, mods := n.Name, n.Mods
	switch n.Schema {
	case "":
		// A quoted "char" is the one-byte type; the bare word arrives as pg_catalog.bpchar.
		if name == "char" {
			name = `"char"`
		}
	case "pg_catalog":
		name = "pg_catalog." + name
	default:
		return types.T{}, sqlerr.New(sqlerr.UndefinedObject, `type "%s.%s" does not exist`, n.Schema, n.Name)
	}
	if n.Name == "interval" && len(mods) > 0 {
		return intervalType(n)
	}
	return types.FromName(name, mods, n.Array())
}

// intervalType takes a precision; a field mask limits what is kept, which is refused.
func intervalType(n *typename.TypeName) (types.T, error) {
	if n.Mods[0] != typename.IntervalFull {
		return types.T{}, sqlerr.Unsupported("interval fields are not supported", "Write interval, and cut it with date_trunc or extract.")
	}
	var mods []int32
	if len(n.Mods) > 1 {
		mods = n.Mods[1:2]
	}
	return types.FromName("interval", mods, n.Array())
}
