package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindConflict binds INSERT … ON CONFLICT. The primary key is the only unique constraint.
func (b *binder) bindConflict(n *plan.Insert, v *tree.Insert) error {
	c, t := v.Conflict, n.Table
	pos := b.pos(c)
	if c.DuplicateKey && t.HiddenKey() != nil {
		return noConflictTarget(pos)
	}
	if c.DuplicateKey {
		return sqlerr.Unsupported("ON DUPLICATE KEY belongs to UPSERT", "Write UPSERT … ON DUPLICATE KEY, or INSERT … ON CONFLICT.").At(pos)
	}
	if err := b.conflictTarget(c, t, pos); err != nil {
		return err
	}
	if c.DoNothing {
		n.OnConflict = plan.ConflictNothing
		return nil
	}
	if c.Constraint == "" && len(c.Targets) == 0 {
		return sqlerr.New(sqlerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name).").At(pos)
	}
	old, excluded := b.tableRelation(t, v.Table.Alias.Name), b.tableRelation(t, "excluded")
	for i := range excluded.cols {
		excluded.cols[i].of = "excluded."
	}
	set, err := b.bindSet(t, c.Set, old, excluded)
	if err != nil {
		return err
	}
	for _, s := range set {
		col := &t.Columns[s.Column]
		if col.KeyPos < 0 {
			n.Set = append(n.Set, s)
			continue
		}
		// The key of the row is the key of the excluded one: this assigns nothing.
		if e, ok := s.Value.(*expr.Col); ok && (e.Index == s.Column || e.Index == len(t.Columns)+s.Column) {
			continue
		}
		return sqlerr.Unsupported(`ON CONFLICT DO UPDATE cannot change key column "`+col.Name+`"`,
			"Delete the row and insert it under its new key.").At(pos)
	}
	if c.Where != nil {
		where, err := b.boolExpr(rowPlace("WHERE", old, excluded), c.Where)
		if err != nil {
			return err
		}
		n.Where = positions(where, old, excluded)
	}
	n.OnConflict, n.Mode = plan.ConflictUpdate, plan.ReadFirst
	return nil
}

// conflictTarget refuses a target that is not the primary key: 42P10, 42704.
func (b *binder) conflictTarget(c *tree.Conflict, t *catalog.Table, pos int) error {
	if c.TargetWhere != nil {
		return noConflictTarget(pos)
	}
	if c.Constraint != "" {
		if t.HiddenKey() != nil || c.Constraint != t.PrimaryKeyName {
			return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, c.Constraint, t.Name).At(pos)
		}
		return nil
	}
	if len(c.Targets) == 0 {
		return nil
	}
	var cols []int
	for i := range c.Targets {
		n, ok := c.Targets[i].Expr.(*tree.ColumnRef)
		if !ok || c.Targets[i].OpClass != "" {
			return noConflictTarget(pos)
		}
		col, err := b.targetColumn(t, &tree.Target{Family: n.Table, Name: n.Name})
		if err != nil {
			return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, n.Name).At(b.pos(n))
		}
		if !slices.Contains(cols, col) {
			cols = append(cols, col)
		}
	}
	key := slices.Clone(t.PrimaryKey)
	slices.Sort(key)
	slices.Sort(cols)
	if !slices.Equal(key, cols) {
		return noConflictTarget(pos)
	}
	return nil
}

func noConflictTarget(pos int) error {
	return sqlerr.New(sqlerr.InvalidColumnReference,
		"there is no unique or exclusion constraint matching the ON CONFLICT specification").
		WithHint("The primary key is the only unique constraint: name all of its columns.").At(pos)
}

// bindSet binds a SET list over rels, by position.
func (b *binder) bindSet(t *catalog.Table, list []tree.Assign, rels ...*relation) ([]plan.SetColumn, error) {
	var set []plan.SetColumn
	add := func(target *tree.Target, n tree.Expr) error {
		col, err := b.targetColumn(t, target)
		if err != nil {
			return err
		}
		for _, s := range set {
			if s.Column == col {
				return sqlerr.New(sqlerr.SyntaxError, `multiple assignments to same column "%s"`, target.Name).At(b.pos(target))
			}
		}
		e, err := b.setValue(t, col, n, rels)
		if err == nil {
			set = append(set, plan.SetColumn{Column: col, Value: e})
		}
		return err
	}
	for i := range list {
		a := &list[i]
		if !a.Multi && len(a.Targets) == 1 {
			if err := add(&a.Targets[0], a.Expr); err != nil {
				return nil, err
			}
			continue
		}
		values, ok := rowOf(a.Expr)
		if !ok {
			if _, sub := a.Expr.(*tree.Subquery); sub {
				return nil, sqlerr.Unsupported("SET (…) = (SELECT …) is not supported", "Assign each column by itself.").At(b.pos(a.Expr))
			}
			if len(a.Targets) > 1 {
				return nil, sqlerr.New(sqlerr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").At(b.pos(a.Expr))
			}
			values = []tree.Expr{a.Expr}
		}
		if len(values) != len(a.Targets) {
			return nil, sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(b.pos(a.Expr))
		}
		for j := range a.Targets {
			if err := add(&a.Targets[j], values[j]); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

// setValue binds what is assigned to a column.
func (b *binder) setValue(t *catalog.Table, col int, n tree.Expr, rels []*relation) (expr.Expr, error) {
	c := &t.Columns[col]
	if _, ok := n.(*tree.Default); ok {
		e, _, err := b.defaultOf(t, col)
		return e, err
	}
	if c.Identity == 'a' {
		return nil, sqlerr.New(sqlerr.GeneratedAlways, `column "%s" can only be updated to DEFAULT`, c.Name).
			WithDetail(`Column "%s" is an identity column defined as GENERATED ALWAYS.`, c.Name).At(b.pos(n))
	}
	e, err := b.expr(rowPlace("UPDATE", rels...), n)
	if err != nil {
		return nil, err
	}
	e, err = expr.ResolveAssign(e, c.Name, c.Type, b.pos(n))
	return positions(e, rels...), err
}

// rowPlace is a place where the columns of rels may be named.
func rowPlace(clause string, rels ...*relation) *place {
	l := newLevel(nil)
	l.scope = one(rels[0])
	for _, r := range rels[1:] {
		l.scope = &scope{rels: append(l.scope.rels, r), cols: append(slices.Clip(l.scope.cols), r.cols...)}
	}
	return &place{level: l, clause: clause, noQueries: noQueryInWrite}
}
