package viewtarget

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// Target is a view, and those that it is over, through which a statement writes a table:
// each selects columns of one table or view, and perhaps a part of its rows.
type Target struct {
	View    *catalog.View // the one that is named
	Table   *catalog.Table
	Columns []Column // those of View

	// Base has the table's columns, as the owner of the innermost view reads them.
	Base   *scope.Relation
	levels []viewLevel // from View to the one over the table
	// deletesOnly says why nothing but DELETE is possible; nil where all is.
	deletesOnly *NotUpdatable
}

// Column is a column of a view that is written.
type Column struct {
	Name string
	// Place is the table's column that it is, in Table.Columns; -1 for one that is computed.
	Place int
	// Of and Called are the view that computes it, and what that calls it.
	Of, Called string
	value      expr.Expr // over Base
}

// viewLevel is a view whose query has been read.
type viewLevel struct {
	view  *catalog.View
	sel   *tree.Select
	from  *tree.TableRef
	inner *query.Binder // of what the query names
	cond  expr.Expr     // its WHERE over the table's columns; nil is none
}

// Why a view is none that can be written, as PostgreSQL says.
const (
	notOneTable   = "Views that do not select from a single table or view are not automatically updatable."
	noneUpdatable = "Views that have no updatable columns are not automatically updatable."
)

// NotUpdatable is a view that cannot be written, and why.
type NotUpdatable struct {
	View *catalog.View
	Why  string
}

func (e *NotUpdatable) Error() string { return e.Why }

// Of finds the table that writing a view writes: *NotUpdatable where that is none. With
// deletes it is for DELETE, which needs no column that can be written.
func Of(b *query.Binder, v *catalog.View, deletes bool) *Target {
	t := find(b, v)
	if !deletes && t.deletesOnly != nil {
		fail.If(t.deletesOnly)
	}
	return t
}

func find(b *query.Binder, v *catalog.View) *Target {
	t := &Target{View: v}
	var rel catalog.Relation = v
	for at := b; ; {
		switch r := rel.(type) {
		case *catalog.Table:
			if r.Materialized != nil {
				fail.If(&NotUpdatable{t.levels[len(t.levels)-1].view, notOneTable})
			}
			t.Table = r
			t.bind(at)
			return t
		case *catalog.View:
			if len(t.levels) >= query.MaxExpansionDepth {
				panic(query.TooDeep(0))
			}
			l := readLevel(at, r)
			if t.levels = append(t.levels, l); l.from.Sample != nil {
				fail.If(&NotUpdatable{r, "Views containing TABLESAMPLE are not automatically updatable."})
			}
			at = l.inner
			rel = at.Resolve(l.from.Schema, l.from.Name, 0)
		case *catalog.Virtual:
			panic(r.Denied())
		default:
			fail.If(&NotUpdatable{t.levels[len(t.levels)-1].view, notOneTable})
		}
	}
}

// readLevel reads the query of a view.
func readLevel(b *query.Binder, v *catalog.View) viewLevel {
	l := viewLevel{view: v, inner: b.OfView(v)}
	q := b.QueryOfView(v)
	no := func(why string) viewLevel {
		fail.If(&NotUpdatable{v, why})
		return l
	}
	const containing, updatable = "Views containing ", " are not automatically updatable."
	sel, ok := q.(*tree.Select)
	switch c := q.Outer(); {
	case ok && (sel.Distinct || len(sel.DistinctOn) > 0):
		return no(containing + "DISTINCT" + updatable)
	case ok && len(sel.GroupBy) > 0:
		return no(containing + "GROUP BY" + updatable)
	case ok && sel.Having != nil:
		return no(containing + "HAVING" + updatable)
	case !ok && isSetOp(q):
		return no(containing + "UNION, INTERSECT, or EXCEPT" + updatable)
	case c.With != nil:
		return no(containing + "WITH" + updatable)
	case c.Limit != nil || c.Offset != nil:
		return no(containing + "LIMIT or OFFSET" + updatable)
	case !ok:
		return no(notOneTable)
	}
	l.sel = sel
	if len(sel.From) == 1 {
		l.from, ok = sel.From[0].(*tree.TableRef)
	}
	if l.from == nil || !ok {
		if why := l.computes(); why != "" {
			return no(why)
		}
		return no(notOneTable)
	}
	return l
}

func isSetOp(q tree.Query) bool {
	_, ok := q.(*tree.SetOp)
	return ok
}

// computes says which of what no view of single rows has is in the select list; "" for none.
func (l *viewLevel) computes() string {
	for i := range l.sel.Items {
		if why := l.fault(&scope.Place{Level: scope.NewLevel(nil), Clause: "view"}, &l.sel.Items[i]); why != "" {
			return why
		}
	}
	return ""
}

// fault says why an item that is no column makes the view one of other than single rows.
func (l *viewLevel) fault(p *scope.Place, item *tree.Item) string {
	e := sqlerr.As(fail.Try(func() { l.inner.Expr(p, item.Expr) }))
	switch {
	case e == nil:
	case e.Code == sqlerr.GroupingError:
		return "Views that return aggregate functions are not automatically updatable."
	case e.Code == sqlerr.WindowingError:
		return "Views that return window functions are not automatically updatable."
	case e.Code == sqlerr.FeatureNotSupported:
		return "Views that return set-returning functions are not automatically updatable."
	}
	return ""
}

// bind finds what the columns and conditions of the views are over those of the table.
func (t *Target) bind(as *query.Binder) {
	t.Base = as.TableRelation(t.Table, "")
	rel := t.Base
	for i := range rel.Cols {
		t.Columns = append(t.Columns, Column{Name: rel.Cols[i].Name, Place: i})
	}
	for i := len(t.levels) - 1; i >= 0; i-- {
		rel = t.bindLevel(&t.levels[i], rel)
	}
}

// bindLevel gives the relation of a view over the one that it is over.
func (t *Target) bindLevel(l *viewLevel, below *scope.Relation) *scope.Relation {
	named := *below
	named.Name, named.Schema, named.OwnName = l.from.Name, l.from.Schema, ""
	if l.from.Alias.Name != "" {
		named.Name, named.Schema, named.OwnName = l.from.Alias.Name, "", l.from.Name
	}
	named.Cols = slices.Clone(below.Cols)
	named.Rename(l.from.Alias.Columns, 0)
	level := scope.NewLevel(nil)
	level.Scope = scope.ScopeOf(&named)
	p := &scope.Place{Level: level, Clause: "view"}
	if l.sel.Where != nil {
		l.cond = l.inner.BoolExpr(&scope.Place{Level: level, Clause: "WHERE"}, l.sel.Where)
	}
	rel := &scope.Relation{Name: l.view.Name, Schema: l.view.Schema}
	columns := make([]Column, len(l.view.Columns))
	updatable := false
	for i := range columns {
		item := &l.sel.Items[i]
		if why := l.fault(p, item); why != "" {
			fail.If(&NotUpdatable{l.view, why})
		}
		e := l.inner.Expr(p, item.Expr)
		if logical.HoldsQuery(e) {
			panic(sqlerr.Unsupported(`writing view "`+l.view.Name+`", which has a query in its column "`+l.view.Columns[i].Name+`", is not supported`,
				"Write to the table that the view reads."))
		}
		c := Column{Name: l.view.Columns[i].Name, Place: -1, Of: l.view.Name, Called: l.view.Columns[i].Name, value: e}
		if col, ok := e.(*expr.Col); ok {
			c.Place = slices.IndexFunc(t.Base.Cols, func(o scope.Column) bool { return o.ID == col.Index })
		}
		if ref, ok := item.Expr.(*tree.ColumnRef); ok && c.Place < 0 {
			for j := range named.Cols {
				if named.Cols[j].Name == ref.Name && j < len(t.Columns) && t.Columns[j].Of != "" {
					c.Of, c.Called = t.Columns[j].Of, t.Columns[j].Called
				}
			}
		}
		updatable = updatable || c.Place >= 0
		columns[i] = c
		seen := scope.Column{Name: c.Name, T: e.Type(), ID: -1, Merged: e}
		if col, ok := e.(*expr.Col); ok {
			seen.ID, seen.Merged = col.Index, nil
		}
		rel.Cols = append(rel.Cols, seen)
	}
	t.Columns = columns
	if !updatable && t.deletesOnly == nil {
		t.deletesOnly = &NotUpdatable{l.view, noneUpdatable}
	}
	return rel
}

// Relation gives the view's columns as the statement names them. Reading one needs the right
// to read the view.
func (t *Target) Relation(b *query.Binder, alias string) *scope.Relation {
	r := &scope.Relation{Name: t.View.Name, Schema: t.View.Schema}
	if alias != "" {
		r.Name, r.Schema, r.OwnName = alias, "", t.View.Name
	}
	right := b.Right(t.View, acl.None)
	for i := range t.Columns {
		c := &t.Columns[i]
		col := scope.Column{Name: c.Name, T: c.value.Type(), ID: -1, Merged: c.value, Right: right, ColumnID: i + 1}
		if e, ok := c.value.(*expr.Col); ok {
			col.ID, col.Merged = e.Index, nil
		}
		r.Cols = append(r.Cols, col)
	}
	r.Right = right
	return r
}

// Wants notes what a statement does with the views, and with the table as their owner: columns
// are those of the table, by place.
func (t *Target) Wants(b *query.Binder, want acl.Right, columns []int) {
	for i := range t.levels {
		b.Right(t.levels[i].view, want)
		b = t.levels[i].inner
	}
	if columns == nil {
		b.Right(t.Table, want)
		return
	}
	b.WritesColumns(t.Table, want, columns)
}

// Reads notes that the views' owners read the table.
func (t *Target) Reads() {
	for i := range t.levels {
		b := t.levels[i].inner
		if i+1 < len(t.levels) {
			b.Right(t.levels[i+1].view, acl.Select)
			continue
		}
		right := b.Right(t.Table, acl.None)
		for _, c := range t.Columns {
			if c.Place >= 0 {
				right.Select(t.Table.Columns[c.Place].ID)
			}
		}
	}
}

// Conds are the conditions of all views over the table's columns: which rows they have.
func (t *Target) Conds() (list []expr.Expr) {
	for i := len(t.levels) - 1; i >= 0; i-- {
		if t.levels[i].cond != nil {
			list = append(list, t.levels[i].cond)
		}
	}
	return list
}

// Checked calls each for the conditions that WITH CHECK OPTION tests, those of the innermost view
// first.
func (t *Target) Checked(each func(view string, cond expr.Expr)) {
	checked, cascaded := make([]bool, len(t.levels)), false
	for i, l := range t.levels {
		cascaded = cascaded || l.view.Check == "cascaded"
		checked[i] = cascaded || l.view.Check == "local"
	}
	for i := len(t.levels) - 1; i >= 0; i-- {
		if l := &t.levels[i]; checked[i] && l.cond != nil {
			each(l.view.Name, l.cond)
		}
	}
}
