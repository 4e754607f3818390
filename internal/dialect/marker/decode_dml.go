package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

func (s *Source) insert(n *ast.InsertStmt) *tree.Insert {
	v := &tree.Insert{}
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
			v.Table = tree.TableRef{Pos: position(info[1]), Schema: t.Schema.O, Name: t.Name.O, Alias: tree.Alias{Name: info[0]}}
		}
	}
	if len(n.Columns) > 0 {
		v.Columns = make([]tree.Target, len(n.Columns))
	}
	positions := info[3]
	for i, c := range n.Columns {
		var pos string
		pos, positions, _ = strings.Cut(positions, ",")
		v.Columns[i] = tree.Target{Pos: position(pos), Family: c.Table.O, Name: c.Name.O}
	}
	switch {
	case v.DefaultValues:
	case n.Select != nil:
		v.Query = s.query(n.Select)
	default:
		v.Rows = s.rows(n.Lists)
	}
	if len(n.OnDuplicate) == 1 {
		if ext, ok := marked(n.OnDuplicate[0].Expr, MExt); ok {
			s.insertExt(v, ext)
		}
	}
	return v
}

func (s *Source) insertExt(v *tree.Insert, m *ast.FuncCallExpr) {
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWith:
			if sub, ok := f.Args[0].(*ast.SubqueryExpr); ok {
				v.With = s.query(sub.Query).Outer().With
			}
		case MColumns:
			for _, t := range f.Args {
				v.Columns = append(v.Columns, s.target(t))
			}
		case MConflict:
			v.Conflict = s.conflict(f)
		case MReturning:
			v.Returning = s.returning(f)
		}
	}
}

// target decodes a column that is written, as an expression.
func (s *Source) target(e ast.ExprNode) tree.Target {
	t := tree.Target{}
	if m, ok := marked(e, MTyped); ok {
		text, flags, _ := strings.Cut(m.FnName.O, sep)
		t.Type = typeOf(text)
		t.FamilyQuoted, t.Quoted, t.Type.Bare = columnFlags(flags)
		e = m.Args[0]
	}
	base := e
	for {
		m, ok := base.(*ast.FuncCallExpr)
		if !ok || len(m.Args) == 0 {
			break
		}
		base = m.Args[0]
	}
	if base != e {
		t.Subscript = s.expr(e)
	}
	t.Pos = s.pos(base)
	if c, ok := base.(*ast.ColumnNameExpr); ok {
		t.Family, t.Name = c.Name.Table.O, c.Name.Name.O
	}
	return t
}

func (s *Source) assign(m *ast.FuncCallExpr) tree.Assign {
	n := len(m.Args) - 1
	a := tree.Assign{Multi: m.FnName.O == "multi", Targets: make([]tree.Target, n)}
	for i, t := range m.Args[:n] {
		a.Targets[i] = s.target(t)
	}
	a.Expr = s.expr(m.Args[n])
	return a
}

func (s *Source) conflict(m *ast.FuncCallExpr) *tree.Conflict {
	action, constraint, _ := strings.Cut(m.FnName.O, sep)
	c := &tree.Conflict{Pos: s.pos(m), Constraint: constraint}
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
			c.Targets = append(c.Targets, tree.ConflictTarget{Expr: s.expr(f.Args[0]), Collation: collation, OpClass: class})
		case MTargetIf:
			c.TargetWhere = s.expr(f.Args[0])
		case MSet:
			c.Set = append(c.Set, s.assign(f))
		case MWhere:
			c.Where = s.expr(f.Args[0])
		}
	}
	return c
}

func (s *Source) returning(m *ast.FuncCallExpr) []tree.Item {
	items := make([]tree.Item, 0, len(m.Args))
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWild:
			_, table, schema := cut3(f.FnName.O)
			items = append(items, tree.Item{Pos: s.pos(f), Star: true, Table: table, Schema: schema})
		case MAs:
			items = append(items, s.item(f.Args[0], f.FnName.O))
		}
	}
	return items
}

// dmlClauses are what the WHERE of an UPDATE or DELETE may carry.
type dmlClauses struct {
	where     tree.Expr
	cursor    string
	order     []tree.OrderItem
	limit     tree.Expr
	returning []tree.Item
}

func (s *Source) dmlWhere(e ast.ExprNode) dmlClauses {
	var d dmlClauses
	m, ok := marked(e, MDML)
	if !ok {
		d.where = s.optional(e)
		return d
	}
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MWhere:
			d.where = s.expr(f.Args[0])
		case MCursor:
			d.cursor = f.FnName.O
		case MOrder:
			d.order = append(d.order, s.orderItem(f))
		case MLimit:
			d.limit = s.expr(f.Args[0])
		case MReturning:
			d.returning = s.returning(f)
		}
	}
	return d
}

func (s *Source) update(n *ast.UpdateStmt) *tree.Update {
	v := &tree.Update{}
	if n.With != nil {
		v.With = s.with(n.With)
	}
	v.Table, v.From = s.targetAndRest(n.TableRefs)
	for _, a := range n.List {
		if m, ok := marked(a.Expr, MSet); ok {
			v.Set = append(v.Set, s.assign(m))
		}
	}
	d := s.dmlWhere(n.Where)
	v.Where, v.CurrentOf, v.Returning = d.where, d.cursor, d.returning
	return v
}

func (s *Source) delete(n *ast.DeleteStmt) *tree.Delete {
	v := &tree.Delete{}
	if n.With != nil {
		v.With = s.with(n.With)
	}
	v.Table, v.Using = s.targetAndRest(n.TableRefs)
	d := s.dmlWhere(n.Where)
	v.Where, v.CurrentOf, v.Returning = d.where, d.cursor, d.returning
	v.OrderBy, v.Limit = d.order, d.limit
	return v
}

// targetAndRest splits the tables of MySQL's multi-table form: the first is
// the target.
func (s *Source) targetAndRest(refs *ast.TableRefsClause) (tree.TableRef, []tree.From) {
	list := s.fromList(refs.TableRefs)
	t, ok := list[0].(*tree.TableRef)
	if !ok {
		panic(fault("the target is no table"))
	}
	if len(list) == 1 {
		return *t, nil
	}
	return *t, list[1:]
}
