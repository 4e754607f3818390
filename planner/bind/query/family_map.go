package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// A map of cells (catalog.Table.Map) is no column: what is named of it, a cell or all of
// them, becomes one of the relation as it is named.

// mapNamed finds the map that a column reference means where no column has the name.
func (b *Binder) mapNamed(p *scope.Place, n *tree.ColumnRef) (r *scope.Relation, in *scope.Scope, l *scope.Level) {
	named := func(c scope.Column) bool { return c.Name == n.Name }
	for l = p.Level; l != nil; l = l.Parent {
		if n.Table != "" {
			if r, in = l.Scope.Relation(n.Schema, n.Table); r != nil {
				if slices.ContainsFunc(r.Cols, named) || !r.HasMap(n.Name) {
					return nil, nil, nil
				}
				return r, in, l
			}
			continue
		}
		for s := l.Scope; s != nil; s = s.Next {
			if slices.ContainsFunc(s.Cols, named) {
				return nil, nil, nil
			}
			for _, x := range s.Rels {
				switch {
				case !x.HasMap(n.Name):
				case r != nil:
					panic(sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, n.Name).At(b.Pos(n)))
				default:
					r, in = x, s
				}
			}
		}
		if r != nil {
			return r, in, l
		}
	}
	return nil, nil, nil
}

// widened is the relation's column i of t, a descriptor made of its table for the statement.
func (b *Binder) widened(r *scope.Relation, t *catalog.Table, i int) *scope.Column {
	if n := len(r.Cols); i < n {
		return &r.Cols[i]
	} else if i < n+len(r.System) {
		return &r.System[i-n]
	}
	c := &t.Columns[i]
	id := b.Meta.Add(logical.Column{Name: c.Name, Type: c.Type, Relation: r.Name, Table: t.ID, ColumnID: c.ID})
	r.System = append(r.System, scope.Column{Name: c.Name, T: c.Type, ID: id, Right: r.Right, ColumnID: c.ID})
	r.Table, r.Get.Table, r.Get.Cols = t, t, append(r.Get.Cols, id)
	return &r.System[len(r.System)-1]
}

// mapCell binds family['qualifier']; ok is false where n is something else.
func (b *Binder) mapCell(p *scope.Place, n *tree.Subscript) (e expr.Expr, ok bool) {
	ref, ok := n.X.(*tree.ColumnRef)
	if !ok {
		return nil, false
	}
	r, in, l := b.mapNamed(p, ref)
	if r == nil {
		return nil, false
	}
	pos := b.Pos(n)
	b.notInView("a cell of a map", pos)
	qualifier := b.Qualifier(n.Index)
	r.CellsHere(pos)
	t, i, err := r.Table.WithCell(ref.Name, qualifier)
	fail.If(catalog.Positioned(err, pos))
	return p.Named(l, in, b.widened(r, t, i), pos), true
}

// Qualifier gives the name of a cell of a map: a constant, since the store is asked for it.
func (b *Binder) Qualifier(n tree.Expr) []byte {
	if k, ok := n.(*tree.Const); ok && k.Kind == tree.String {
		return []byte(k.Text)
	}
	panic(sqlerr.Unsupported("a cell of a map has a string constant for a name", "Write family['name'], or FROM t, unnest(t.family) AS u WHERE u.qualifier = …, which reads the whole row.").At(b.Pos(n)))
}

// mapRows binds unnest(family): the cells of a map as rows of (qualifier, value). ok is
// false where c is something else.
func (b *Binder) mapRows(p *scope.Place, c *tree.Func) (set *setCall, ok bool) {
	if c.Name != "unnest" || len(c.Args) != 1 {
		return nil, false
	}
	ref, ok := c.Args[0].(*tree.ColumnRef)
	if !ok {
		return nil, false
	}
	r, in, l := b.mapNamed(p, ref)
	if r == nil {
		return nil, false
	}
	pos := b.Pos(c)
	b.notInView("the cells of a map", pos)
	r.CellsHere(pos)
	if r.Get.ForUpdate {
		panic(sqlerr.Unsupported("unnest of a map of the rows that are written", "Name the rows by a query: WHERE key IN (SELECT key FROM t, unnest(t.family) …).").At(pos))
	}
	t, i := fail.Must2(r.Table.WithMap(ref.Name))
	arg := p.Named(l, in, b.widened(r, t, i), pos)
	m := t.Map(ref.Name)
	set = &setCall{cols: []expr.SetColumn{{Name: "qualifier", T: types.Of(types.Text)}, {Name: "value", T: m.Type}}}
	set.Name, set.Args = c.Name, []expr.Expr{arg}
	set.cells = &logical.Cells{Store: m.Store, Family: m.Family, Phoenix: t.FromPhoenix()}
	return set, true
}

// wholeMap refuses a map where a value is wanted.
func wholeMap(family string, pos int) *sqlerr.Error {
	return sqlerr.Unsupported(`the family "`+family+`" is a map of cells and has no value`, "Write "+family+"['qualifier'] for one cell, or FROM t, unnest(t."+family+") for all of them.").At(pos)
}
