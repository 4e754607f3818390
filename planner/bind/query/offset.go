package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// rowOffset is Phoenix's OFFSET (k1, k2) = (v1, v2): the rows behind that one, in key order.
// It is a condition of the key, of which scans make spans, and an order.
//
//	key (a, b)         (a, b) > (v1, v2)                 ORDER BY a, b
//	key (a, b DESC)    a > v1 OR a = v1 AND b < v2       ORDER BY a, b DESC
//
// NULLs, which only attached tables have in their keys, are before all values, or behind
// them in DESC columns.
type rowOffset struct {
	table *catalog.Table
	cond  expr.Expr
	keys  []plan.SortKey // the whole key
	pos   int
}

// isRowOffset tells OFFSET (k) = (v) from a number.
func isRowOffset(n tree.Expr) bool {
	o, ok := n.(*tree.Op)
	return ok && o.Name == "=" && o.Schema == "" && o.Left != nil
}

// rowOffsetHint is what to write instead.
const rowOffsetHint = "It is for a SELECT from one table, and names all columns of its primary key. Elsewhere write WHERE (a, b) > (x, y) ORDER BY a, b; with b DESC, WHERE a > x OR a = x AND b < y."

func noRowOffset(why string, pos int) *sqlerr.Error {
	return sqlerr.Unsupported("OFFSET to a row is not supported "+why, rowOffsetHint).At(pos)
}

// bindRowOffset binds the clause over node, what FROM gives.
func (b *Binder) bindRowOffset(l *scope.Level, q *tree.Select, node logical.Node) *rowOffset {
	n := q.Offset.(*tree.Op)
	pos := b.Pos(n)
	get, ok := node.(*logical.Get)
	switch {
	case !ok || get.Table == nil || get.Sample != nil:
		panic(noRowOffset("with joins, views, queries and samples in FROM", pos))
	case get.Table.HiddenKey() != nil:
		panic(noRowOffset("in a table without a primary key", pos))
	case q.Distinct || len(q.DistinctOn) > 0 || len(q.GroupBy) > 0 || q.Having != nil:
		panic(noRowOffset("with DISTINCT, GROUP BY and HAVING", pos))
	case q.WithTies || len(q.Locks) > 0 || b.Capture != nil:
		panic(noRowOffset("with WITH TIES and FOR UPDATE, and in views", pos))
	}
	names, ok := RowOf(n.Left)
	if !ok {
		names = []tree.Expr{n.Left}
	}
	given, ok := RowOf(n.Right)
	if !ok {
		given = []tree.Expr{n.Right}
	}
	p := &scope.Place{Level: l, Clause: "OFFSET"}
	left := b.exprs(p, names)
	t := get.Table
	if len(names) != len(t.PrimaryKey) {
		panic(noRowOffset("that does not name the columns of the primary key, in their order", pos))
	}
	if len(given) != len(names) {
		panic(sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(pos))
	}
	o := &rowOffset{table: t, pos: pos}
	for i, e := range left {
		c := &t.Columns[t.PrimaryKey[i]]
		if t.FromPhoenix() && !t.KeySorts(i) {
			panic(sqlerr.Unsupported("OFFSET to a row is not supported where TIME is in the key of an attached table",
				"Rows with other dates have the same time: keep the page's last row in a cursor, DECLARE c CURSOR FOR SELECT ….").At(pos))
		}
		if col, ok := e.(*expr.Col); !ok || col.Index != get.Cols[t.PrimaryKey[i]] {
			panic(noRowOffset("that does not name the columns of the primary key, in their order", pos))
		}
		o.keys = append(o.keys, plan.SortKey{Expr: e, Desc: c.Desc, NullsFirst: !c.Desc})
	}
	right := make([]expr.Expr, len(given))
	for i := range given {
		right[i] = b.offsetValue(p, given[i], &t.Columns[t.PrimaryKey[i]])
	}
	o.cond = behind(t, left, right, pos)
	return o
}

// offsetValue binds a value of the row. NULL is said aloud: of a parameter it is 22004.
func (b *Binder) offsetValue(p *scope.Place, n tree.Expr, c *catalog.Column) expr.Expr {
	pos := b.Pos(n)
	e := b.Expr(p, n)
	if logical.HoldsQuery(e) || !expr.IsConst(e) {
		panic(noRowOffset("whose values are queries, columns or volatile", pos))
	}
	if k, ok := e.(*expr.Const); ok {
		if k.Value.Null && c.NotNull {
			panic(sqlerr.New(sqlerr.NullValueNotAllowed, `column "%s" of OFFSET is never NULL`, c.Name).At(pos))
		}
		return e
	}
	fault := fail.Must(expr.ResolveFunc(expr.PhoenixSchema+".null_in_offset", nil, pos))
	fault = fail.Must(expr.ResolveCast(fault, c.Type.Base(), expr.Explicit, pos))
	return fail.Must(expr.MakeCoalesce([]expr.Expr{e, fault}, pos))
}

// behind is the condition of the rows behind one in key order.
func behind(t *catalog.Table, left, right []expr.Expr, pos int) expr.Expr {
	var arms, equal []expr.Expr
	for i := 0; i < len(left); {
		c := &t.Columns[t.PrimaryKey[i]]
		n := i + 1
		for plainKey(c, right[i]) && n < len(left) && plainKey(&t.Columns[t.PrimaryKey[n]], right[n]) && t.Columns[t.PrimaryKey[n]].Desc == c.Desc {
			n++
		}
		after := behindPart(c, left[i:n], right[i:n], pos)
		if after != nil {
			arm := fail.Must(expr.MakeAnd(append(slices.Clone(equal), after), pos))
			arms = append(arms, arm)
		}
		for ; i < n; i++ {
			same := sameKey(left[i], right[i], pos)
			equal = append(equal, same)
		}
	}
	if len(arms) == 0 {
		return Boolean(false, pos)
	}
	return fail.Must(expr.MakeOr(arms, pos))
}

// plainKey says that no NULL lies behind the value.
func plainKey(c *catalog.Column, v expr.Expr) bool {
	return !isNull(v) && (c.NotNull || !c.Desc)
}

func isNull(e expr.Expr) bool {
	k, ok := e.(*expr.Const)
	return ok && k.Value.Null
}

// behindPart is the condition that key columns of one direction lie behind their values; nil
// where nothing does.
func behindPart(c *catalog.Column, left, right []expr.Expr, pos int) expr.Expr {
	op := ">"
	if c.Desc {
		op = "<"
	}
	switch {
	case isNull(right[0]) && c.Desc:
		return nil
	case isNull(right[0]):
		null := fail.Must(expr.MakeIsNull(left[0], pos))
		return fail.Must(expr.MakeNot(null, pos))
	case len(left) > 1:
		return fail.Must(expr.MakeRowCmp(op, left, right, pos))
	}
	after := fail.Must(expr.ResolveOp(op, left[0], right[0], pos))
	if plainKey(c, right[0]) {
		return after
	}
	null := fail.Must(expr.MakeIsNull(left[0], pos))
	return fail.Must(expr.MakeOr([]expr.Expr{after, null}, pos))
}

func sameKey(l, r expr.Expr, pos int) expr.Expr {
	if isNull(r) {
		return fail.Must(expr.MakeIsNull(l, pos))
	}
	return fail.Must(expr.ResolveOp("=", l, r, pos))
}

// order gives the key order where the query asks for it, or for nothing.
func (o *rowOffset) order(l *scope.Level, keys []plan.SortKey) []plan.SortKey {
	if len(l.Aggs.Calls) > 0 || len(l.Windows.List) > 0 {
		panic(noRowOffset("with aggregates and window functions", o.pos))
	}
	for i, k := range keys {
		if i >= len(o.keys) || !expr.Equal(k.Expr, o.keys[i].Expr) || k.Desc != o.keys[i].Desc {
			panic(noRowOffset("with an order that is not the primary key's", o.pos))
		}
		if k.NullsFirst != o.keys[i].NullsFirst && !o.table.Columns[o.table.PrimaryKey[i]].NotNull {
			panic(sqlerr.Unsupported("OFFSET to a row is not supported with NULLs where the key has not them",
				"Leave ORDER BY away: rows come in key order. NULLs of the key are first, and last where it is DESC.").At(o.pos))
		}
	}
	return o.keys
}
