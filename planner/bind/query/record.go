package query

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// Rows as values: a relation's whole row, ROW(…), and the fields of both. A record's type
// has its shape, by which fields are found wherever the value comes from.

// bindWholeRow binds t.* where one value is wanted.
func (b *Binder) bindWholeRow(p *scope.Place, n *tree.WholeRow) expr.Expr {
	e := b.rowOf(p, n.Schema, n.Table, b.Pos(n))
	if e == nil {
		panic(p.MissingRelation(n.Schema, n.Table, b.Pos(n)))
	}
	return e
}

// rowOf is the whole row of a relation as one value; nil where there is none of the name.
func (b *Binder) rowOf(p *scope.Place, schema, table string, pos int) expr.Expr {
	for l := p.Level; l != nil; l = l.Parent {
		r, in := l.Scope.Relation(schema, table)
		if r == nil {
			continue
		}
		if in.Barred {
			panic(scope.NotLateral(r.Name, pos))
		}
		in.Used = true
		p.Level.NoteNamed(l)
		return b.wholeRow(r, pos)
	}
	return nil
}

// wholeRow makes the row of its columns, or, where an outer join gives NULLs in the place of
// missing rows, names the row that is made below it.
func (b *Binder) wholeRow(r *scope.Relation, pos int) expr.Expr {
	fields := make([]expr.Expr, len(r.Cols))
	for i := range r.Cols {
		fields[i] = r.Cols[i].Ref(pos)
	}
	if r.Scalar {
		return fields[0]
	}
	row := builtin.MakeRow(r.Shape(), fields, pos)
	if !r.Nullable || r.Join {
		return row
	}
	if r.Row == nil {
		id := b.Meta.Add(logical.Column{Name: r.Name, Type: row.Type()})
		node := *r.Slot
		cols := node.Out()
		*r.Slot = &logical.Project{Input: node, Exprs: append(b.Meta.Refs(cols), row), Cols: append(cols[:len(cols):len(cols)], id)}
		r.Row = &expr.Col{Index: id, T: row.Type(), Name: r.Name}
	}
	at := *r.Row
	at.At = pos
	return &at
}

// in notes where the node of s stands in a join, if it is one relation's.
func (s *source) in(slot *logical.Node) {
	if len(s.scope.Rels) == 1 && s.scope.Rels[0].Slot == nil {
		s.scope.Rels[0].Slot = slot
	}
}

// Expanded binds the fields of a row that t.* or (x).* is among; ok is false for any other.
func (b *Binder) Expanded(p *scope.Place, list []tree.Expr) (fields []expr.Expr, ok bool) {
	for _, n := range list {
		switch n.(type) {
		case *tree.WholeRow, *tree.FieldStar:
			fields = b.rowFields(p, list)
			return fields, true
		}
	}
	return nil, false
}

// rowFields binds the fields of a row, where t.* and (x).* stand for all of theirs.
func (b *Binder) rowFields(p *scope.Place, list []tree.Expr) []expr.Expr {
	out := make([]expr.Expr, 0, len(list))
	for _, n := range list {
		var all SelectList
		switch n := n.(type) {
		case *tree.WholeRow:
			b.expandStar(p, &tree.Item{Pos: n.Pos, Star: true, Schema: n.Schema, Table: n.Table}, &all)
		case *tree.FieldStar:
			b.bindFieldStar(p, n, &all)
		default:
			all.Exprs = []expr.Expr{b.Expr(p, n)}
		}
		out = append(out, all.Exprs...)
	}
	return out
}

// bindRow binds ROW(…) as one value.
func (b *Binder) bindRow(p *scope.Place, n *tree.Row) expr.Expr {
	fields := b.rowFields(p, n.Fields)
	checkTargets(len(fields))
	return fail.Must(builtin.Row(fields, b.Pos(n)))
}

// bindRecord binds what (x).f and (x).* take the fields of: nil where its shape is not known.
func (b *Binder) bindRecord(p *scope.Place, n tree.Expr, field string, pos int) expr.Expr {
	x := b.Expr(p, n)
	switch t := x.Type(); {
	case t.Kind != types.Record && field == "*":
		panic(sqlerr.New(sqlerr.WrongObjectType, "type %s is not composite", t.Base()).At(pos))
	case t.Kind != types.Record:
		panic(sqlerr.New(sqlerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type", field, t.Base()).At(pos))
	case t.Shape() == nil && field == "*":
		panic(sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered"))
	case t.Shape() == nil:
		panic(sqlerr.New(sqlerr.UndefinedColumn, `could not identify column "%s" in record data type`, field).At(pos))
	}
	if x.Type().Shape().Table() {
		if _, made := builtin.RowFields(x); !made {
			// The view's text would name the column, which may be called otherwise later.
			b.notInView("a field of a table's row that a query in FROM gives", pos)
			return x
		}
	}
	return x
}

// bindField binds (x).name. What is wrong with it is told of x, as in Postgres.
func (b *Binder) bindField(p *scope.Place, n *tree.Field) expr.Expr {
	pos := b.Pos(n.X)
	x := b.bindRecord(p, n.X, n.Name, pos)
	e, err := builtin.RecordField(x, n.Name, pos)
	if c, ok := n.X.(*tree.ColumnRef); ok && err != nil && x.Type().Shape().Table() {
		if of, _ := p.Level.Scope.Relation("", c.Name); of != nil && c.Table == "" {
			err = p.Undefined(c.Name, n.Name, pos)
		}
	}
	fail.If(err)
	return e
}

// bindFieldStar adds (x).* to a select list.
func (b *Binder) bindFieldStar(p *scope.Place, n *tree.FieldStar, list *SelectList) {
	x := b.bindRecord(p, n.X, "*", b.Pos(n.X))
	for i, f := range x.Type().Shape().Fields {
		b.expand.copy(x, 1, b.Pos(n))
		list.Add(builtin.FieldAt(x, i, b.Pos(n)), f.Name, b.Pos(n))
	}
}

// rowType is the type of a table's rows, which has the table's name.
func (b *Binder) rowType(n *tree.TypeName) (types.T, bool) {
	if len(n.Mods) > 0 || n.SetOf || b.Ctx.Catalog == nil {
		return types.T{}, false
	}
	rel, err := b.Ctx.Catalog.Resolve(b.Ctx.SearchPath, n.Schema, n.Name)
	t, ok := rel.(*catalog.Table)
	if err != nil || !ok {
		return types.T{}, false
	}
	b.Uses(t)
	cols := t.Visible()
	fields := make([]types.Field, len(cols))
	for i := range cols {
		fields[i] = types.Field{Name: cols[i].Name, T: cols[i].Type}
	}
	row := types.RecordOf(types.ShapeOf(t.Name, fields))
	if n.Array() {
		return types.ArrayOf(row), true
	}
	return row, true
}

// castRow makes ROW(…)::t, field by field; nil where x is none, or t is no table's row.
func castRow(x expr.Expr, to types.T, pos int) expr.Expr {
	shape := to.Shape()
	fields, ok := builtin.RowFields(x)
	if to.Kind != types.Record || !shape.Table() || !ok || x.Type() == to {
		return nil
	}
	cannot := func(detail string, args ...any) {
		panic(expr.CannotCast(x.Type(), to, pos).WithDetail(detail, args...))
	}
	if len(fields) < len(shape.Fields) {
		cannot("Input has too few columns.")
	}
	if len(fields) > len(shape.Fields) {
		cannot("Input has too many columns.")
	}
	out := make([]expr.Expr, len(fields))
	for i, f := range fields {
		y, err := expr.ResolveCast(f, shape.Fields[i].T, expr.Explicit, pos)
		if sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
			cannot("Cannot cast type %s to %s in column %d.", f.Type().Base(), shape.Fields[i].T.Base(), i+1)
		}
		out[i] = fail.Must(y, err)
	}
	return builtin.MakeRow(shape, out, pos)
}
