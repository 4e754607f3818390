package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindTarget finds the table a statement writes and refuses what a target cannot have.
func (b *binder) bindTarget(ref *tree.TableRef) (*catalog.Table, error) {
	pos := b.pos(ref)
	if len(ref.Dynamic) > 0 {
		return nil, dynamicColumns(pos)
	}
	if len(ref.Alias.Columns) > 0 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "a column list is not allowed for the target of a write").At(pos)
	}
	return b.resolveTarget(ref.Schema, ref.Name, pos)
}

func dynamicColumns(pos int) error {
	return sqlerr.Unsupported("dynamic columns are not supported", "Add the column with ALTER TABLE … ADD.").At(pos)
}

// targetColumn finds a column that is written.
func (b *binder) targetColumn(t *catalog.Table, target *tree.Target) (int, error) {
	pos := b.pos(target)
	if target.Type != nil {
		return 0, dynamicColumns(pos)
	}
	if target.Subscript != nil {
		return 0, sqlerr.Unsupported("assigning to an element of an array is not supported", "Assign the whole array.").At(pos)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Name == target.Name && (target.Family == "" || target.Family == c.Family) {
			return i, nil
		}
	}
	name := target.Name
	if target.Family != "" {
		name = target.Family
	}
	return 0, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, name, t.Name).At(pos)
}

// targetColumns finds the columns of an INSERT's list; all of them where there is none.
func (b *binder) targetColumns(t *catalog.Table, list []tree.Target) ([]int, error) {
	if list == nil {
		cols := make([]int, len(t.Columns))
		for i := range cols {
			cols[i] = i
		}
		return cols, nil
	}
	var cols []int
	seen := map[int]bool{}
	for i := range list {
		c, err := b.targetColumn(t, &list[i])
		if err != nil {
			return nil, err
		}
		if seen[c] {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, list[i].Name).At(b.pos(list[i]))
		}
		seen[c] = true
		cols = append(cols, c)
	}
	return cols, nil
}

// defaultOf gives what an INSERT stores in a column that is not named: its
// DEFAULT, the next value of its sequence, or NULL. has is false for NULL.
func (b *binder) defaultOf(t *catalog.Table, i int) (e expr.Expr, has bool, err error) {
	c := &t.Columns[i]
	switch {
	case c.Sequence != 0:
		// By its ID: the text of the default names the sequence as it was called then.
		seq := b.ctx.Catalog.ByID(c.Sequence)
		if seq == nil {
			return nil, false, sqlerr.Internal(nil, `the sequence of column "%s" of "%s" is not there`, c.Name, t.Name)
		}
		e, err := b.nextval(seq.RelSchema(), seq.RelName(), 0)
		if err != nil {
			return nil, false, err
		}
		e, err = expr.ResolveAssign(e, c.Name, c.Type, 0)
		return e, true, err
	case c.Default != "":
		parsed, err := dialect.ParseExpr(c.Default)
		if err != nil {
			return nil, false, storedText(err, "default", t, c.Name)
		}
		inner := b.ofStored()
		e, err := inner.expr(&place{clause: "DEFAULT expressions"}, parsed.Node)
		if err == nil {
			e, err = expr.ResolveAssign(e, c.Name, c.Type, 0)
		}
		if err != nil {
			return nil, false, storedText(err, "default", t, c.Name)
		}
		return e, true, nil
	}
	return &expr.Const{Value: types.NullDatum, T: c.Type}, false, nil
}

// storedText says where an expression that cannot be bound any more stands.
func storedText(err error, what string, t *catalog.Table, name string) error {
	if e := sqlerr.As(err); e != nil {
		e.Position = 0
		e.Where = what + " of " + t.Name + "." + name
	}
	return err
}

// nextval draws from a sequence.
func (b *binder) nextval(schema, name string, pos int) (expr.Expr, error) {
	text := ident.Quote(name)
	if schema != "" {
		text = ident.Quote(schema) + "." + text
	}
	arg := &expr.Const{Value: types.NewText(text), T: types.Of(types.Unknown), At: pos}
	return expr.ResolveFunc("nextval", []expr.Expr{arg}, pos)
}

// bindChecks binds the CHECK constraints of a table over its columns.
func (b *binder) bindChecks(t *catalog.Table) ([]plan.CheckExpr, error) {
	var checks []plan.CheckExpr
	for _, c := range t.Checks {
		parsed, err := dialect.ParseExpr(c.Text)
		if err != nil {
			return nil, storedText(err, "check constraint", t, c.Name)
		}
		inner := b.ofStored()
		cond, err := inner.boolExpr(&place{scope: tableScope(t, ""), clause: "CHECK"}, parsed.Node)
		if err != nil {
			return nil, storedText(err, "check constraint", t, c.Name)
		}
		checks = append(checks, plan.CheckExpr{Name: c.Name, Cond: cond})
	}
	return checks, nil
}

func tableScope(t *catalog.Table, alias string) *scope {
	return &scope{rels: []*relation{tableRelation(t, alias, 0)}}
}

// bindReturning binds RETURNING over the written row.
func (b *binder) bindReturning(t *catalog.Table, alias string, items []tree.Item) ([]expr.Expr, []plan.Column, error) {
	if len(items) == 0 {
		return nil, nil, nil
	}
	list, err := b.bindItems(&place{scope: tableScope(t, alias), clause: "RETURNING"}, items, nil)
	if err != nil {
		return nil, nil, err
	}
	cols := make([]plan.Column, len(list.exprs))
	for i, e := range list.exprs {
		cols[i] = plan.Column{Name: list.names[i], Type: e.Type()}
		if c, ok := e.(*expr.Col); ok {
			cols[i].Table, cols[i].ColumnID = t.ID, t.Columns[c.Index].ID
		}
	}
	return list.exprs, cols, nil
}

// readsOutside says that an expression over a table's columns reads one that is not in cols.
func readsOutside(e expr.Expr, cols []int) bool {
	outside := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			in := false
			for _, i := range cols {
				in = in || i == c.Index
			}
			outside = outside || !in
		}
		return !outside
	})
	return outside
}
