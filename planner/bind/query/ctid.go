package query

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/ctid"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// rowPlace is the ctid of a table's rows, as a query names it.
type rowPlace struct {
	table *catalog.Table
	key   []expr.Expr // the key columns
	pos   int
}

// ctidOf resolves ctid and t.ctid; nil where that is another column, or is of no table.
func (b *Binder) ctidOf(p *scope.Place, n *tree.ColumnRef) *rowPlace {
	if n.Name != "ctid" || p.NoColumns {
		return nil
	}
	pos := b.Pos(n)
	for l := p.Level; l != nil; l = l.Parent {
		r, in := b.ctidIn(l, n, pos)
		if r == nil {
			continue
		}
		if r.Table == nil {
			return nil
		}
		b.notInView("ctid", pos)
		if r.Table.Adopted {
			panic(sqlerr.Unsupported("ctid of attached table \""+r.Table.Name+"\" is not supported", "Name its rows by their key columns.").At(pos))
		}
		return &rowPlace{r.Table, keyColumns(p, l, in, r, pos), pos}
	}
	return nil
}

// ctidIn finds the relation at a level that ctid is of: one without a table where it is another column.
func (b *Binder) ctidIn(l *scope.Level, n *tree.ColumnRef, pos int) (found *scope.Relation, in *scope.Scope) {
	another := &scope.Relation{}
	if n.Table != "" {
		if found, in = l.Scope.Relation(n.Schema, n.Table); found != nil && hasColumn(found.Cols, n.Name) {
			return another, nil
		}
		return found, in
	}
	for s := l.Scope; s != nil; s = s.Next {
		if hasColumn(s.Cols, n.Name) {
			return another, nil
		}
		for _, r := range s.Rels {
			switch {
			case r.Table == nil:
			case found != nil:
				panic(sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, n.Name).At(pos))
			default:
				found, in = r, s
			}
		}
	}
	return found, in
}

func hasColumn(cols []scope.Column, name string) bool {
	for i := range cols {
		if cols[i].Name == name {
			return true
		}
	}
	return false
}

// keyColumns names the key columns of a table, in key order.
func keyColumns(p *scope.Place, l *scope.Level, in *scope.Scope, r *scope.Relation, pos int) []expr.Expr {
	columns := make([]*scope.Column, 0, len(r.Table.Columns))
	for col := range r.All {
		columns = append(columns, col)
	}
	key := make([]expr.Expr, len(r.Table.PrimaryKey))
	for i, at := range r.Table.PrimaryKey {
		key[i] = p.Named(l, in, columns[at], pos)
	}
	return key
}

// value is ctid where it is not compared.
func (r *rowPlace) value(b *Binder) expr.Expr {
	f := b.ctids[r.table]
	if f == nil {
		if f = ctid.ValueFunc(r.table); b.ctids == nil {
			b.ctids = map[*catalog.Table]*expr.Func{}
		}
		b.ctids[r.table] = f
	}
	return ctid.Value(r.table, r.key, f, r.pos)
}

// compared is how ctid is compared from the other side.
var compared = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// ctidCondition binds comparisons of ctid, which find rows without giving all of them a number: by =, IN and
// = ANY (list) rows that the session has selected, by <, <=, >, >= and BETWEEN blocks. ok is false for any other
// expression, where ctid is a value.
func (b *Binder) ctidCondition(p *scope.Place, n tree.Expr) (e expr.Expr, ok bool) {
	of := func(x tree.Expr) *rowPlace {
		if c, ok := x.(*tree.ColumnRef); ok && c.Name == "ctid" {
			return b.ctidOf(p, c)
		}
		return nil
	}
	pos := b.Pos(n)
	switch n := n.(type) {
	case *tree.Op:
		if compared[n.Name] == "" || n.Schema != "" || n.Left == nil {
			return nil, false
		}
		op, other, r := n.Name, n.Right, of(n.Left)
		if r == nil {
			op, other, r = compared[n.Name], n.Left, of(n.Right)
		}
		if r == nil {
			return nil, false
		}
		x := b.tid(p, other)
		switch {
		case expr.Volatile(x):
			return nil, false
		case op == "=":
			return b.ctidIs(r, pos, x), true
		}
		return ctid.Blocks(r.table, op, x, r.key, pos), true
	case *tree.Between:
		if n.Symmetric || of(n.X) == nil {
			return nil, false
		}
		var both tree.Expr = &tree.And{Pos: n.Pos, Args: []tree.Expr{
			&tree.Op{Pos: n.Pos, Name: ">=", Left: n.X, Right: n.Low}, &tree.Op{Pos: n.Pos, Name: "<=", Left: n.X, Right: n.High}}}
		if n.Not {
			both = &tree.Not{Pos: n.Pos, X: both}
		}
		return b.Expr(p, both), true
	case *tree.In:
		r := of(n.X)
		if r == nil || n.Query != nil {
			return nil, false
		}
		list := make([]expr.Expr, len(n.List))
		for i, item := range n.List {
			list[i] = b.tid(p, item)
		}
		if e = b.ctidIs(r, pos, list...); n.Not {
			e = fail.Must(expr.MakeNot(e, pos))
		}
		return e, true
	case *tree.AnyAll:
		if _, query := n.Right.(*tree.Subquery); query || n.All || n.Name != "=" || n.Schema != "" {
			return nil, false
		}
		if r := of(n.Left); r != nil {
			return b.ctidAny(p, r, n.Right, pos), true
		}
	}
	return nil, false
}

// tid binds what ctid is compared with.
func (b *Binder) tid(p *scope.Place, n tree.Expr) expr.Expr {
	return fail.Must(expr.ResolveCast(b.Expr(p, n), types.Of(types.TID), expr.Implicit, b.Pos(n)))
}

// ctidIs is that the row has one of the ctids xs: the key columns are those of its key.
func (b *Binder) ctidIs(r *rowPlace, pos int, xs ...expr.Expr) expr.Expr {
	arms := make([]expr.Expr, len(xs))
	for i, x := range xs {
		b.expand.copy(x, len(r.key)-1, pos)
		is := ctid.Equal(r.table, x, pos)
		if arms[i] = is[0]; len(is) > 1 {
			arms[i] = fail.Must(expr.MakeRowCmp("=", r.key, is, pos))
		}
	}
	switch {
	case len(r.key) == 1 && len(arms) == 1:
		return fail.Must(expr.ResolveOp("=", r.key[0], arms[0], pos)) // by which joins find rows, too
	case len(r.key) == 1:
		return fail.Must(expr.MakeIn(r.key[0], arms, false, pos))
	}
	return fail.Must(expr.MakeOr(arms, pos))
}

// ctidAny is ctidIs of the elements of an array that the text lists.
func (b *Binder) ctidAny(p *scope.Place, r *rowPlace, list tree.Expr, pos int) expr.Expr {
	x := fail.Must(expr.ResolveCast(b.Expr(p, list), types.ArrayOf(types.Of(types.TID)), expr.Implicit, pos))
	switch a := x.(type) {
	case *expr.MakeArray:
		if len(a.Elems) > 0 {
			return b.ctidIs(r, pos, a.Elems...)
		}
	case *expr.Const:
		if a.Value.Null || len(a.Value.Array.Elems) == 0 {
			return &expr.Const{Value: types.Datum{Null: a.Value.Null}, T: types.Of(types.Bool), At: pos}
		}
		elems := make([]expr.Expr, len(a.Value.Array.Elems))
		for i, d := range a.Value.Array.Elems {
			elems[i] = &expr.Const{Value: d, T: types.Of(types.TID), At: pos}
		}
		return b.ctidIs(r, pos, elems...)
	}
	panic(sqlerr.Unsupported("ctid = ANY of an array that is not written out is not supported", "Write ctid IN ($1, $2, …).").At(pos))
}
