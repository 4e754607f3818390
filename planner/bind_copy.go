package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// CopyFrom plans COPY table (columns) FROM: an Insert of rows that an External
// node hands in, one column for each column copied, of the table's types; the other columns have
// their defaults. A WHERE of the COPY is a Filter over them.
func CopyFrom(ctx *Context, stmt *tree.Statement, c *tree.Copy) (*plan.Plan, error) {
	b := newBinder(ctx, stmt.NumParams)
	t, cols, err := b.copyColumns(c)
	if err != nil {
		return nil, err
	}
	src := &rowSource{binder: b, table: t, cols: cols, listed: true}
	out := &plan.External{Name: "COPY", Cols: src.columns(cols)}
	given := map[int]expr.Expr{}
	for i, col := range cols {
		given[col] = &expr.Col{Index: i, T: t.Columns[col].Type, Name: t.Columns[col].Name}
	}
	if c.Upserts() {
		return b.copyUpsert(c, src, out, given)
	}
	row, err := src.complete(given, allOf(t))
	if err != nil {
		return nil, err
	}
	var input plan.Node = &plan.Project{Input: out, Exprs: row, Cols: src.columns(allOf(t))}
	if c.Where != nil {
		cond, err := b.boolExpr(&place{scope: tableScope(t, ""), clause: "COPY FROM WHERE conditions"}, c.Where.Node)
		if err != nil {
			return nil, err
		}
		input = &plan.Filter{Input: input, Cond: cond}
	}
	n := &plan.Insert{Table: t, Input: input, Mode: plan.CheckAbsent}
	if n.Checks, err = b.bindChecks(t); err != nil {
		return nil, err
	}
	return b.finish(&plan.Plan{Root: n, Tag: "COPY"})
}

// copyUpsert plans COPY FROM WITH (UPSERT): the rows are written as UPSERT
// writes them, and blindly where it can.
func (b *binder) copyUpsert(c *tree.Copy, src *rowSource, out *plan.External, given map[int]expr.Expr) (*plan.Plan, error) {
	if c.Where != nil {
		return nil, sqlerr.Unsupported("COPY FROM with UPSERT has no WHERE", "Leave the rows out of the data, or copy to another table and use UPSERT INTO ... SELECT.")
	}
	n := &plan.Upsert{Table: src.table, Named: slices.Clone(src.cols)}
	if err := b.unnamedColumns(n); err != nil {
		return nil, err
	}
	row, err := src.complete(given, n.Named)
	if err != nil {
		return nil, err
	}
	n.Input = &plan.Project{Input: out, Exprs: row, Cols: src.columns(n.Named)}
	if n.Checks, err = b.bindChecks(src.table); err != nil {
		return nil, err
	}
	n.Mode = upsertMode(n)
	return b.finish(&plan.Plan{Root: n, Tag: "COPY"})
}

// CopyTo plans COPY table (columns) TO: a query of those columns. COPY of a
// query is planned by Plan of that query.
func CopyTo(ctx *Context, stmt *tree.Statement, c *tree.Copy) (*plan.Plan, error) {
	b := newBinder(ctx, stmt.NumParams)
	t, cols, err := b.copyColumns(c)
	if err != nil {
		return nil, err
	}
	list := &selectList{}
	rel := tableRelation(t, "", 0)
	for _, col := range cols {
		list.add(rel.ref(col, 0), t.Columns[col].Name, 0)
	}
	node := list.project(scanAll(t, ""))
	return b.finish(&plan.Plan{Root: node, Columns: node.Columns(), Tag: "COPY", ReadOnly: true})
}

// copyColumns finds COPY's table and columns.
func (b *binder) copyColumns(c *tree.Copy) (*catalog.Table, []int, error) {
	rel, err := b.resolve(c.Table.Schema, c.Table.Name, b.at(c.Table.Pos))
	if err != nil {
		return nil, nil, err
	}
	t, ok := rel.(*catalog.Table)
	if !ok {
		dir := "from"
		if c.From {
			dir = "to"
		}
		return nil, nil, sqlerr.New(sqlerr.WrongObjectType, `cannot copy %s %s "%s"`, dir, rel.RelKind(), rel.RelName()).
			WithHint("Try the COPY (SELECT ...) TO variant.").At(b.at(c.Table.Pos))
	}
	b.uses(t)
	var targets []tree.Target
	for _, k := range c.Columns {
		targets = append(targets, tree.Target{Pos: tree.Pos(k.Pos), Family: k.Family, Name: k.Name})
	}
	cols, err := b.targetColumns(t, targets)
	return t, cols, err
}
