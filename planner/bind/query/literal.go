package query

import (
	"github.com/saltsql/saltsql/planner/fail"

	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// constant gives a literal the type Postgres gives it: the smallest of integer,
// bigint and numeric that holds a whole number, numeric for others, unknown
// for strings and NULL.
func (b *Binder) constant(v *tree.Const) expr.Expr {
	pos := b.Pos(v)
	switch v.Kind {
	case tree.Null:
		return &expr.Const{Value: types.NullDatum, T: types.Of(types.Unknown), At: pos}
	case tree.Bool:
		return &expr.Const{Value: types.NewBool(v.Text == "t"), T: types.Of(types.Bool), At: pos}
	case tree.String:
		c := &expr.Const{Value: types.NewText(v.Text), T: types.Of(types.Unknown), At: pos}
		if !b.stored {
			c.Read = b.Ctx.Literals
		}
		return c
	case tree.Int:
		if i, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			kind := types.Int8
			if i == int64(int32(i)) {
				kind = types.Int4
			}
			return &expr.Const{Value: types.NewInt(i), T: types.Of(kind), At: pos}
		}
		return numericConstant(v.Text, pos)
	case tree.Decimal:
		return numericConstant(v.Text, pos)
	}
	panic(sqlerr.Unsupported("bit string constants are not supported",
		`Write bytea as '\x1f', or a number. With SET search_path = phoenix, public, X'1F' is Phoenix's, of bytes.`).At(pos))
}

func numericConstant(text string, pos int) expr.Expr {
	t := types.Of(types.Numeric)
	d, err := types.ParseText(t, []byte(text), nil)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			e.At(pos)
		}
	}
	fail.If(err)
	return &expr.Const{Value: d, T: t, At: pos}
}

// resolveType finds a type by its name as written: 42704.
func (b *Binder) resolveType(n *tree.TypeName) types.T {
	t, err := b.Ctx.TypeOf(n)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedObject {
		if row, ok := b.rowType(n); ok {
			return row
		}
	}
	if e := sqlerr.As(catalog.AbsentType(n.Schema, n.Name, err)); e != nil {
		if _, _, storage, _ := catalog.StorageTypeFromName(n.Name, n.Mods, false); storage && e.Code == sqlerr.UndefinedObject && n.Schema == "" {
			e = sqlerr.Unsupported("a value of type "+n.Name+" is not supported", "It is a form in which a column is stored: cast to the plain type, as integer for unsigned_int.")
		}
		panic(e.At(b.At(n.Pos)))
	}
	fail.If(err)
	return t
}

// TypeOf finds a type by its name as written, those of users among them: 42704.
func (c *Context) TypeOf(n *tree.TypeName) (types.T, error) {
	t, err := systemType(n)
	if sqlerr.CodeOf(err) != sqlerr.UndefinedObject || n.Schema == "pg_catalog" || c.Catalog == nil {
		return t, err
	}
	u, err := c.Catalog.UserType(catalog.Name{Schema: n.Schema, Name: n.Name, Path: c.SearchPath, Pos: n.Pos}, n.Array())
	if err == nil && len(n.Mods) > 0 {
		err = sqlerr.New(sqlerr.SyntaxError, `type modifier is not allowed for type "%s"`, n.Name)
	}
	return u, err
}

// systemType finds a type of pg_catalog.
func systemType(n *tree.TypeName) (types.T, error) {
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
	return types.FromName(name, mods, n.Array())
}
