package bind

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Statements over all rows of a table that ALTER TABLE and its kin need: which break a condition
// that is new, and what they are in a table that is stored anew.

// Violations binds the search for a row of t that violates a CHECK: it gives one, or
// none. t need not be what the catalog has of the table.
func Violations(ctx *query.Context, t *catalog.Table, c *catalog.Check) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, 0)
	rel := b.TableRelation(t, "") // the first one, so that IDs are positions
	var cond expr.Expr
	ofStored("check constraint", t, c.Name, func() { cond = b.condition(t, c) })
	b.Uses(t)
	return b.Finish(&logical.Statement{ReadOnly: true, Tag: "SELECT", Root: &logical.Limit{
		Input: &logical.Select{Input: &logical.Get{Table: t, Cols: rel.IDs()}, Cond: &expr.Not{X: cond}},
		Count: query.Bigint(1),
	}}), nil
}

// DomainViolations binds the search for a row of t whose value in a column, by its ID, violates the
// CHECK of a domain, or where there is none is NULL: it gives one, or none.
func DomainViolations(ctx *query.Context, t *catalog.Table, column int, of *types.Domain, check *types.DomainCheck) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, 0)
	rel := b.TableRelation(t, "")
	at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == column })
	value := *b.Meta.Ref(rel.IDs()[at])
	var cond expr.Expr = &expr.IsNull{X: &value}
	if check != nil {
		value.T = of.Base
		ofStored("check constraint", t, check.Name, func() {
			cond = &expr.Not{X: fail.Must(expr.Stored(check.Cond).Bind(t.Types, func(int) (*expr.Col, bool) { c := value; return &c, true }))}
		})
	}
	b.Uses(t)
	return b.Finish(&logical.Statement{ReadOnly: true, Tag: "SELECT", Root: &logical.Limit{
		Input: &logical.Select{Input: &logical.Get{Table: t, Cols: rel.IDs()}, Cond: cond},
		Count: query.Bigint(1),
	}}), nil
}

// Copy binds the copying of all rows from one table into another: the columns of the second
// are among those of the first, by their IDs, of the same type or another; a new one has
// what rows of before have of it or else its DEFAULT, and a generated one is computed. using gives columns,
// by name, the expression over the first that they are made by. Neither table need be what the
// catalog has.
func Copy(ctx *query.Context, from, to *catalog.Table, using map[string]*tree.SourceExpr) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, 0)
	rel := b.TableRelation(from, "")
	in := rel.IDs()
	input := &logical.Project{Input: &logical.Get{Table: from, Cols: in}, Cols: b.TableRelation(to, "").IDs()}
	for i := range to.Columns {
		at := slices.IndexFunc(from.Columns, func(c catalog.Column) bool { return c.ID == to.Columns[i].ID })
		if at < 0 && to.Columns[i].Generated != "" {
			input.Exprs = append(input.Exprs, &expr.Const{Value: types.NullDatum, T: to.Columns[i].Type})
			continue
		}
		if c := &to.Columns[i]; at < 0 && c.ID >= from.NextColumnID && c.Missing == nil && (c.HasDefault() || c.Sequence != 0) {
			value, _ := b.defaultOf(to, i)
			input.Exprs = append(input.Exprs, value)
			continue
		}
		if at < 0 && to.Columns[i].ID >= from.NextColumnID {
			value := fail.Must(to.AbsentValue(i))
			input.Exprs = append(input.Exprs, &expr.Const{Value: value, T: to.Columns[i].Type})
			continue
		}
		if at < 0 {
			return nil, sqlerr.Internal(nil, "column %q of %q is not among those to copy", to.Columns[i].Name, to.Name)
		}
		x := b.converted(b.Meta.Ref(in[at]), &from.Columns[at], &to.Columns[i], using[to.Columns[i].Name], rel)
		input.Exprs = append(input.Exprs, x)
	}
	b.Uses(from)
	b.WritesColumns(to, acl.Insert, allOf(to))
	n := &plan.Insert{Table: to, Mode: plan.CheckAbsent}
	rules := b.bindRules(to, nil)
	n.Generated = rules.Generated // the rows have passed the CHECKs
	return b.Finish(noReturning.writing(b, "COPY", n, input)), nil
}

// Fill binds the filling of a materialized view, which need not be what the catalog has of it,
// with the rows of its query.
func Fill(ctx *query.Context, to *catalog.Table) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, 0)
	input, row := b.ViewRows(to.AsView())
	if len(row) != len(to.Visible()) {
		return nil, sqlerr.Internal(nil, "the query of materialized view %q gives %d columns instead of %d", to.Name, len(row), len(to.Visible()))
	}
	src := &rowSource{writer: b, table: to}
	given := src.row()
	for i := range row {
		c := &to.Columns[i]
		given[i] = fail.Must(expr.ResolveAssign(row[i], c.Name, c.Type, 0))
	}
	row = src.complete(given, allOf(to))
	input = &logical.Project{Input: input, Exprs: row, Cols: b.TableRelation(to, "").IDs()}
	b.WritesColumns(to, acl.Insert, allOf(to))
	return b.Finish(noReturning.writing(b, "REFRESH", &plan.Insert{Table: to, Mode: plan.CheckAbsent}, input)), nil
}

// converted is a column's value in a copy of its table: x, or what USING makes of the row, as
// a value of the type that the column becomes.
func (b writer) converted(x expr.Expr, from, to *catalog.Column, using *tree.SourceExpr, rel *scope.Relation) expr.Expr {
	what, hint, pos := `column "`+from.Name+`"`, fmt.Sprintf(`You might need to specify "USING %s::%s".`, ident.Quote(from.Name), to.Type), 0
	if using != nil {
		what, hint, pos = `result of USING clause for column "`+from.Name+`"`, "You might need to add an explicit cast.", using.Pos
		if using.NumParams > 0 {
			panic(noParameter(using))
		}
		p := rowPlace("transform expressions", rel)
		p.NoQueries = query.NoQuery
		x = b.Expr(p, using.Node)
	} else if from.Type == to.Type {
		return x
	}
	y, err := expr.ResolveCast(x, to.Type, expr.Assignment, pos)
	if sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "%s cannot be cast automatically to type %s", what, to.Type).WithHint("%s", hint))
	}
	fail.If(err)
	return y
}
