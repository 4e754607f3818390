package bind

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
	"github.com/saltsql/saltsql/planner/plan"
)

// CopyFrom binds COPY table (columns) FROM: an Insert of rows that an External
// node hands in, one column for each column copied, of the table's types; the other columns have
// their defaults. A WHERE of the COPY is a Select over them.
func CopyFrom(ctx *query.Context, stmt *tree.Statement, c *tree.Copy) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, stmt.NumParams)
	t, cols := b.copyColumns(c)
	rights := acl.Insert
	if c.Upserts() {
		rights |= acl.Update
	}
	b.WritesColumns(t, rights, cols)
	src := &rowSource{writer: b, table: t, cols: cols, listed: true}
	out := &logical.External{Name: "COPY"}
	given := src.row()
	for _, col := range cols {
		c := &t.Columns[col]
		id := b.Meta.Add(logical.Column{Name: c.Name, Type: c.Type.Plain()}) // as it is read, before a domain tests it
		out.Cols = append(out.Cols, id)
		given[col] = fail.Must(expr.ResolveAssign(b.Meta.Ref(id), c.Name, c.Type, 0))
	}
	if c.Upserts() && t.HiddenKey() == nil {
		return b.copyUpsert(c, src, out, given), nil
	}
	row := src.complete(given, allOf(t))
	whole := b.TableRelation(t, "")
	var input logical.Node = &logical.Project{Input: out, Exprs: row, Cols: whole.IDs()}
	if c.Where != nil {
		p := rowPlace("COPY FROM WHERE conditions", whole)
		p.NoQueries = query.NoQuery
		cond := b.BoolExpr(p, c.Where.Node)
		input = &logical.Select{Input: input, Cond: cond}
	}
	n := &plan.Insert{Table: t, Mode: plan.CheckAbsent}
	n.RowRules = b.bindRules(t, nil)
	return b.Finish(noReturning.writing(b, "COPY", n, input)), nil
}

// copyUpsert binds COPY FROM WITH (UPSERT): the rows are written as UPSERT
// writes them, and blindly where it can.
func (b writer) copyUpsert(c *tree.Copy, src *rowSource, out *logical.External, given []expr.Expr) *logical.Statement {
	if c.Where != nil {
		panic(sqlerr.Unsupported("COPY FROM with UPSERT has no WHERE", "Leave the rows out of the data, or copy to another table and use UPSERT INTO ... SELECT."))
	}
	n := &plan.Upsert{Table: src.table, Named: slices.Clone(src.cols)}
	b.unnamedColumns(n)
	row := src.complete(given, n.Named)
	n.RowRules = b.bindRules(src.table, nil)
	n.Mode = upsertMode(n)
	return b.Finish(noReturning.writing(b, "COPY", n, &logical.Project{Input: out, Exprs: row, Cols: src.columns(n.Named)}))
}

// CopyTo binds COPY table (columns) TO: a query of those columns. COPY of a
// query is a Statement of that query.
func CopyTo(ctx *query.Context, stmt *tree.Statement, c *tree.Copy) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, stmt.NumParams)
	t, cols := b.copyColumns(c)
	list := &query.SelectList{}
	rel := b.TableRelation(t, "")
	rel.Right.Rights = acl.Select
	for _, col := range cols {
		list.Add(rel.Cols[col].Ref(0), t.Columns[col].Name, 0)
	}
	return b.Finish(b.Projection(scope.NewLevel(nil), &logical.Get{Table: t, Cols: rel.IDs()}, list).Statement("COPY")), nil
}

// copyColumns finds COPY's table and columns.
func (b writer) copyColumns(c *tree.Copy) (*catalog.Table, []int) {
	rel := b.Resolve(c.Table.Schema, c.Table.Name, b.At(c.Table.Pos))
	t, ok := rel.(*catalog.Table)
	if !ok {
		dir, hint := "from", "Try the COPY (SELECT ...) TO variant."
		if c.From {
			dir, hint = "to", "COPY to the table, or INSERT into the view."
		}
		panic(sqlerr.New(sqlerr.WrongObjectType, `cannot copy %s %s "%s"`, dir, rel.RelKind(), rel.RelName()).
			WithHint("%s", hint).At(b.At(c.Table.Pos)))
	}
	if t.Materialized != nil {
		dir := "from"
		if c.From {
			dir = "to"
		}
		e := sqlerr.New(sqlerr.WrongObjectType, `cannot copy %s materialized view "%s"`, dir, t.Name)
		if !c.From {
			e = e.WithHint("Try the COPY (SELECT ...) TO variant.")
		}
		panic(e)
	}
	b.Uses(t)
	var targets []tree.Target
	for _, k := range c.Columns {
		targets = append(targets, tree.Target{Pos: tree.Pos(k.Pos), Family: k.Family, Name: k.Name})
	}
	cols := b.targetColumns(t, targets, false)
	plain := cols[:0]
	for i, col := range cols {
		if t.Columns[col].Generated == "" {
			plain = append(plain, col)
		} else if targets != nil {
			panic(sqlerr.New(sqlerr.InvalidColumnReference, "column %q is a generated column", t.Columns[col].Name).
				WithDetail("Generated columns cannot be used in COPY.").At(b.Pos(&targets[i])))
		}
	}
	return t, plain
}
