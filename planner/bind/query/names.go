package query

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// TableRelation gives all columns of a table.
func (b *Binder) TableRelation(t *catalog.Table, alias string) *scope.Relation {
	r := &scope.Relation{Name: t.Name, Schema: t.Schema, Table: t}
	if alias != "" {
		r.Name, r.Schema, r.OwnName = alias, "", t.Name
	}
	b.Meta.Reserve(len(t.Columns))
	b.Meta.AddRelation()
	all := make([]scope.Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		id := b.Meta.Add(logical.Column{Name: c.Name, Type: c.Type, Relation: r.Name, Table: t.ID, ColumnID: c.ID, NotNull: c.NotNull})
		all[i] = scope.Column{Name: c.Name, T: c.Type, ID: id}
	}
	r.Cols = all
	r.Readable(b.Right(t, acl.None))
	n := len(t.Visible())
	r.Cols, r.System = all[:n:n], all[n:]
	return r
}

// column resolves a column reference: 42703, 42702, 42P01.
func (b *Binder) column(p *scope.Place, n *tree.ColumnRef) expr.Expr {
	pos := b.Pos(n)
	if p.NoColumns {
		panic(sqlerr.Unsupported("cannot use column reference in "+strings.TrimSuffix(p.Clause, "s"),
			"GENERATED ALWAYS AS (…) STORED computes a column of others.").At(pos))
	}
	if n.Table != "" {
		return b.qualified(p, n, pos)
	}
	for l := p.Level; l != nil; l = l.Parent {
		if c := p.Local(l, n.Name, pos); c != nil {
			return c
		}
	}
	var m *scope.Relation
	if fail.Try(func() { m, _, _ = b.mapNamed(p, n) }) == nil && m != nil {
		panic(wholeMap(n.Name, pos))
	}
	if row := b.rowOf(p, "", n.Name, pos); row != nil {
		return row
	}
	if of := b.ctidOf(p, n); of != nil {
		return of.value(b)
	}
	panic(p.Undefined("", n.Name, pos))
}

func (b *Binder) qualified(p *scope.Place, n *tree.ColumnRef, pos int) expr.Expr {
	for l := p.Level; l != nil; l = l.Parent {
		r, in := l.Scope.Relation(n.Schema, n.Table)
		if r == nil {
			continue
		}
		c := scope.FindColumn(r.Cols, n.Name, pos)
		if c == nil {
			c = scope.FindColumn(r.System, n.Name, pos) // their names differ
		}
		if c == nil && r.HasMap(n.Name) {
			panic(wholeMap(n.Name, pos))
		}
		if c == nil {
			if of := b.ctidOf(p, n); of != nil {
				return of.value(b)
			}
			panic(p.Undefined(n.Table, n.Name, pos))
		}
		return p.Named(l, in, c, pos)
	}
	if n.Schema == "" {
		for l := p.Level; l != nil; l = l.Parent {
			if c, in := l.Scope.InFamily(n.Table, n.Name); c != nil {
				return p.Named(l, in, c, pos)
			}
		}
	}
	panic(p.MissingRelation(n.Schema, n.Table, pos))
}
