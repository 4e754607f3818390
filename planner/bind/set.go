package bind

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindSet binds a SET list whose expressions stand at p, about rows of rel.
func (b writer) bindSet(t *catalog.Table, rel *scope.Relation, list []tree.Assign, p *scope.Place) []plan.SetColumn {
	var set []plan.SetColumn
	parts := map[int]expr.Expr{} // what columns become of which parts are assigned, before it is tested
	add := func(target *tree.Target, n tree.Expr, value func() expr.Expr) {
		whole, isPart := b.wholeOf(t, target)
		col := b.targetColumn(t, whole)
		c := &t.Columns[col]
		i := slices.IndexFunc(set, func(s plan.SetColumn) bool { return s.Column == col })
		if i >= 0 && !(isPart && parts[col] != nil) {
			panic(sqlerr.New(sqlerr.SyntaxError, `multiple assignments to same column "%s"`, target.Name).At(b.Pos(target)))
		}
		if _, ok := n.(*tree.Default); ok {
			if isPart {
				panic(sqlerr.New(sqlerr.FeatureNotSupported, "cannot set an array element to DEFAULT").At(b.Pos(n)))
			}
			if e, _ := b.defaultOf(t, col); c.Generated == "" { // else it is computed anyway
				set = append(set, plan.SetColumn{Column: col, Value: e})
			}
			return
		}
		pos := b.Pos(n)
		settable(t, col, pos)
		e := value()
		if isPart {
			of := parts[col]
			if of == nil {
				of = b.Meta.Ref(rel.Cols[col].ID)
			}
			e = b.assignPart(of, target, e, p, pos)
			parts[col] = e
		}
		e = b.Assign(e, c.Name, c.Type, pos)
		if i < 0 {
			i, set = len(set), append(set, plan.SetColumn{Column: col})
		}
		set[i].Value = e
	}
	for i := range list {
		a := &list[i]
		values := []tree.Expr{a.Expr}
		if a.Multi || len(a.Targets) > 1 {
			row, ok := query.RowOf(a.Expr)
			fields, expanded := b.Expanded(p, row)
			sub, isQuery := a.Expr.(*tree.Subquery)
			if isQuery {
				fields = b.RowFields(p, sub, len(a.Targets))
			}
			switch {
			case expanded && len(fields) != len(a.Targets):
				panic(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(b.Pos(a.Expr)))
			case expanded, isQuery:
				for j := range a.Targets {
					add(&a.Targets[j], a.Expr, func() expr.Expr { return fields[j] })
				}
				continue
			case ok:
				values = row
			case len(a.Targets) > 1:
				panic(sqlerr.New(sqlerr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").At(b.Pos(a.Expr)))
			}
		}
		if len(values) != len(a.Targets) {
			panic(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(b.Pos(a.Expr)))
		}
		for j := range a.Targets {
			add(&a.Targets[j], values[j], func() expr.Expr { return b.Expr(p, values[j]) })
		}
	}
	// They are evaluated in the order of the columns: the first nextval is the first column's.
	slices.SortFunc(set, func(x, y plan.SetColumn) int { return cmp.Compare(x.Column, y.Column) })
	return set
}

// wholeOf gives the column of a target that is a part of one.
func (b writer) wholeOf(t *catalog.Table, target *tree.Target) (whole *tree.Target, isPart bool) {
	if target.Subscript == nil || target.Type != nil || b.view == nil && t.Map(target.Name) != nil {
		return target, false
	}
	column := *target
	column.Subscript = nil
	return &column, true
}

// assignPart gives what becomes of a column's value by the assignment to a part of it.
func (b writer) assignPart(of expr.Expr, target *tree.Target, value expr.Expr, p *scope.Place, pos int) expr.Expr {
	x, subs := b.Subscripts(p, target.Subscript)
	if _, ok := x.(*tree.ColumnRef); !ok || len(subs) == 0 {
		panic(sqlerr.Unsupported("assigning to a field of a column is not supported", "Assign the whole column.").At(b.Pos(target)))
	}
	return fail.Must(expr.AssignPart(of, subs, value, target.Name, b.Pos(target), pos))
}

// settable refuses a value for an identity column that is always generated: 428C9.
func settable(t *catalog.Table, col, pos int) {
	c := &t.Columns[col]
	if c.KeyPos >= 0 && len(t.Maps) > 0 {
		panic(sqlerr.Unsupported(`the key of table "`+t.Name+`" cannot be changed: not all of a row's cells are columns`,
			"Write the row under its new key, with its cells, and DELETE the old one.").At(pos))
	}
	if c.Generated != "" {
		panic(sqlerr.New(sqlerr.GeneratedAlways, `column "%s" can only be updated to DEFAULT`, c.Name).
			WithDetail(`Column "%s" is a generated column.`, c.Name).At(pos))
	}
	if c.Identity != 'a' {
		return
	}
	panic(sqlerr.New(sqlerr.GeneratedAlways, `column "%s" can only be updated to DEFAULT`, c.Name).
		WithDetail(`Column "%s" is an identity column defined as GENERATED ALWAYS.`, c.Name).At(pos))
}
