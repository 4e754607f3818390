package bind

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindSet binds a SET list whose expressions stand at p.
func (b writer) bindSet(t *catalog.Table, list []tree.Assign, p *scope.Place) ([]plan.SetColumn, error) {
	var set []plan.SetColumn
	add := func(target *tree.Target, value func(col int) (expr.Expr, error)) error {
		col, err := b.targetColumn(t, target)
		if err != nil {
			return err
		}
		for _, s := range set {
			if s.Column == col {
				return sqlerr.New(sqlerr.SyntaxError, `multiple assignments to same column "%s"`, target.Name).At(b.Pos(target))
			}
		}
		e, err := value(col)
		if err == nil && t.Columns[col].Generated == "" { // else it is computed anyway
			set = append(set, plan.SetColumn{Column: col, Value: e})
		}
		return err
	}
	for i := range list {
		a := &list[i]
		values := []tree.Expr{a.Expr}
		if a.Multi || len(a.Targets) > 1 {
			row, ok := query.RowOf(a.Expr)
			sub, isQuery := a.Expr.(*tree.Subquery)
			switch {
			case ok:
				values = row
			case isQuery:
				fields, err := b.RowFields(p, sub, len(a.Targets))
				if err != nil {
					return nil, err
				}
				for j := range a.Targets {
					assign := func(col int) (expr.Expr, error) {
						if err := settable(t, col, b.Pos(sub)); err != nil {
							return nil, err
						}
						return expr.ResolveAssign(fields[j], t.Columns[col].Name, t.Columns[col].Type, b.Pos(sub))
					}
					if err := add(&a.Targets[j], assign); err != nil {
						return nil, err
					}
				}
				continue
			case len(a.Targets) > 1:
				return nil, sqlerr.New(sqlerr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").At(b.Pos(a.Expr))
			}
		}
		if len(values) != len(a.Targets) {
			return nil, sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(b.Pos(a.Expr))
		}
		for j := range a.Targets {
			if err := add(&a.Targets[j], func(col int) (expr.Expr, error) { return b.setValue(t, col, values[j], p) }); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

// setValue binds what is assigned to a column.
func (b writer) setValue(t *catalog.Table, col int, n tree.Expr, p *scope.Place) (expr.Expr, error) {
	c := &t.Columns[col]
	if _, ok := n.(*tree.Default); ok {
		e, _, err := b.defaultOf(t, col)
		return e, err
	}
	if err := settable(t, col, b.Pos(n)); err != nil {
		return nil, err
	}
	e, err := b.Expr(p, n)
	if err != nil {
		return nil, err
	}
	return expr.ResolveAssign(e, c.Name, c.Type, b.Pos(n))
}

// settable refuses a value for an identity column that is always generated: 428C9.
func settable(t *catalog.Table, col, pos int) error {
	c := &t.Columns[col]
	if c.KeyPos >= 0 && len(t.Maps) > 0 {
		return sqlerr.Unsupported(`the key of table "`+t.Name+`" cannot be changed: not all of a row's cells are columns`,
			"Write the row under its new key, with its cells, and DELETE the old one.").At(pos)
	}
	if c.Generated != "" {
		return sqlerr.New(sqlerr.GeneratedAlways, `column "%s" can only be updated to DEFAULT`, c.Name).
			WithDetail(`Column "%s" is a generated column.`, c.Name).At(pos)
	}
	if c.Identity != 'a' {
		return nil
	}
	return sqlerr.New(sqlerr.GeneratedAlways, `column "%s" can only be updated to DEFAULT`, c.Name).
		WithDetail(`Column "%s" is an identity column defined as GENERATED ALWAYS.`, c.Name).At(pos)
}
