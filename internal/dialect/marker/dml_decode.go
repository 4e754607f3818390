package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// Insert decodes an INSERT or UPSERT.
func Insert(n *ast.InsertStmt) *InsertView {
	v := &InsertView{}
	info := strings.Split(n.PartitionNames[0].O, sep) // alias, pos, flags, columns' positions
	flags := info[2]
	v.Upsert = strings.ContainsRune(flags, FlagUpsert)
	v.DefaultValues = strings.ContainsRune(flags, FlagDefaults)
	switch {
	case strings.ContainsRune(flags, FlagSystem):
		v.Overriding = "system"
	case strings.ContainsRune(flags, FlagUser):
		v.Overriding = "user"
	}
	if src, ok := n.Table.TableRefs.Left.(*ast.TableSource); ok {
		if t, ok := src.Source.(*ast.TableName); ok {
			v.Table = TableRef{Schema: t.Schema.O, Name: t.Name.O, Alias: Alias{Name: info[0]}, Pos: number(info[1])}
		}
	}
	positions := info[3]
	for _, c := range n.Columns {
		var pos string
		pos, positions, _ = strings.Cut(positions, ",")
		v.Columns = append(v.Columns, Target{Family: c.Table.O, Name: c.Name.O, Pos: number(pos)})
	}
	switch {
	case v.DefaultValues:
	case n.Select != nil:
		v.Query = n.Select
	default:
		v.Rows = n.Lists
	}
	if len(n.OnDuplicate) == 1 {
		if ext, ok := marked(n.OnDuplicate[0].Expr, MExt); ok {
			v.ext(ext)
		}
	}
	return v
}

func (v *InsertView) ext(m *ast.FuncCallExpr) {
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWith:
			if q := DecodeQuery(f.Args[0]); q != nil {
				v.With = q.Outer().With
			}
		case MColumns:
			for _, t := range f.Args {
				v.Columns = append(v.Columns, target(t))
			}
		case MConflict:
			v.Conflict = conflict(f)
		case MReturning:
			v.Returning = returning(f)
		}
	}
}

// target decodes a column that is written, as an expression.
func target(e ast.ExprNode) Target {
	t := Target{Node: e}
	if m, ok := marked(e, MTyped); ok {
		t.Type, _ = typename.Parse(m.FnName.O)
		e = m.Args[0]
		t.Node = e
	}
	base := e
	for {
		m, ok := base.(*ast.FuncCallExpr)
		if !ok || len(m.Args) == 0 {
			break
		}
		t.Subscript = e
		base = m.Args[0]
	}
	if c, ok := base.(*ast.ColumnNameExpr); ok {
		t.Family, t.Name = c.Name.Table.O, c.Name.Name.O
	}
	return t
}

func assign(m *ast.FuncCallExpr) Assign {
	n := len(m.Args) - 1
	a := Assign{Multi: m.FnName.O == "multi", Expr: value(m.Args[n])}
	for _, t := range m.Args[:n] {
		a.Targets = append(a.Targets, target(t))
	}
	return a
}

func conflict(m *ast.FuncCallExpr) *Conflict {
	action, constraint, _ := strings.Cut(m.FnName.O, sep)
	c := &Conflict{Constraint: constraint, Node: m}
	switch action {
	case "nothing":
		c.DoNothing = true
	case "duplicate ignore":
		c.DuplicateKey, c.DoNothing = true, true
	case "duplicate update":
		c.DuplicateKey = true
	case "duplicate update only":
		c.DuplicateKey, c.UpdateOnly = true, true
	}
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MTarget:
			collation, class, _ := strings.Cut(f.FnName.O, sep)
			c.Targets = append(c.Targets, ConflictTarget{Expr: f.Args[0], Collation: collation, OpClass: class})
		case MTargetIf:
			c.TargetWhere = f.Args[0]
		case MSet:
			c.Set = append(c.Set, assign(f))
		case MWhere:
			c.Where = f.Args[0]
		}
	}
	return c
}

func returning(m *ast.FuncCallExpr) []Item {
	items := make([]Item, 0, len(m.Args))
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWild:
			_, table, schema := cut3(f.FnName.O)
			items = append(items, Item{Star: true, Table: table, Schema: schema, Node: f})
		case MAs:
			items = append(items, item(f.Args[0], f.FnName.O, f.Args[0]))
		}
	}
	return items
}

// dmlClauses are what the WHERE of an UPDATE or DELETE may carry.
type dmlClauses struct {
	where     ast.ExprNode
	cursor    string
	order     []OrderItem
	limit     ast.ExprNode
	returning []Item
}

func dmlWhere(e ast.ExprNode) dmlClauses {
	m, ok := marked(e, MDML)
	if !ok {
		return dmlClauses{where: e}
	}
	var d dmlClauses
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWhere:
			d.where = f.Args[0]
		case MCursor:
			d.cursor = f.FnName.O
		case MOrder:
			d.order = append(d.order, orderItem(f))
		case MLimit:
			d.limit = f.Args[0]
		case MReturning:
			d.returning = returning(f)
		}
	}
	return d
}

// Update decodes an UPDATE.
func Update(n *ast.UpdateStmt) *UpdateView {
	v := &UpdateView{}
	if n.With != nil {
		v.With = decodeWith(n.With)
	}
	v.Table, v.From = targetAndRest(n.TableRefs)
	for _, a := range n.List {
		if m, ok := marked(a.Expr, MSet); ok {
			v.Set = append(v.Set, assign(m))
		}
	}
	d := dmlWhere(n.Where)
	v.Where, v.CurrentOf, v.Returning = d.where, d.cursor, d.returning
	return v
}

// Delete decodes a DELETE.
func Delete(n *ast.DeleteStmt) *DeleteView {
	v := &DeleteView{}
	if n.With != nil {
		v.With = decodeWith(n.With)
	}
	v.Table, v.Using = targetAndRest(n.TableRefs)
	d := dmlWhere(n.Where)
	v.Where, v.CurrentOf, v.Returning = d.where, d.cursor, d.returning
	v.OrderBy, v.Limit = d.order, d.limit
	return v
}

// targetAndRest splits the tables of MySQL's multi-table form: the first is
// the target.
func targetAndRest(refs *ast.TableRefsClause) (TableRef, []From) {
	list := fromList(refs.TableRefs)
	t, ok := list[0].(*TableRef)
	if !ok {
		return TableRef{}, nil
	}
	if len(list) == 1 {
		return *t, nil
	}
	return *t, list[1:]
}
