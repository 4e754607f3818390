package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
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

func noRowOffset(why string, pos int) error {
	return sqlerr.Unsupported("OFFSET to a row is not supported "+why, rowOffsetHint).At(pos)
}

// bindRowOffset binds the clause over node, what FROM gives.
func (b *Binder) bindRowOffset(l *scope.Level, q *tree.Select, node logical.Node) (*rowOffset, error) {
	n := q.Offset.(*tree.Op)
	pos := b.Pos(n)
	get, ok := node.(*logical.Get)
	switch {
	case !ok || get.Table == nil || get.Sample != nil:
		return nil, noRowOffset("with joins, views, queries and samples in FROM", pos)
	case get.Table.HiddenKey() != nil:
		return nil, noRowOffset("in a table without a primary key", pos)
	case q.Distinct || len(q.DistinctOn) > 0 || len(q.GroupBy) > 0 || q.Having != nil:
		return nil, noRowOffset("with DISTINCT, GROUP BY and HAVING", pos)
	case q.WithTies || len(q.Locks) > 0 || b.Capture != nil:
		return nil, noRowOffset("with WITH TIES and FOR UPDATE, and in views", pos)
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
	left, err := b.exprs(p, names)
	if err != nil {
		return nil, err
	}
	t := get.Table
	if len(names) != len(t.PrimaryKey) {
		return nil, noRowOffset("that does not name the columns of the primary key, in their order", pos)
	}
	if len(given) != len(names) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(pos)
	}
	o := &rowOffset{table: t, pos: pos}
	for i, e := range left {
		c := &t.Columns[t.PrimaryKey[i]]
		if t.FromPhoenix() && !t.KeySorts(i) {
			return nil, sqlerr.Unsupported("OFFSET to a row is not supported where TIME is in the key of an attached table",
				"Rows with other dates have the same time: keep the page's last row in a cursor, DECLARE c CURSOR FOR SELECT ….").At(pos)
		}
		if col, ok := e.(*expr.Col); !ok || col.Index != get.Cols[t.PrimaryKey[i]] {
			return nil, noRowOffset("that does not name the columns of the primary key, in their order", pos)
		}
		o.keys = append(o.keys, plan.SortKey{Expr: e, Desc: c.Desc, NullsFirst: !c.Desc})
	}
	right := make([]expr.Expr, len(given))
	for i := range given {
		if right[i], err = b.offsetValue(p, given[i], &t.Columns[t.PrimaryKey[i]]); err != nil {
			return nil, err
		}
	}
	o.cond, err = behind(t, left, right, pos)
	return o, err
}

// offsetValue binds a value of the row. NULL is said aloud: of a parameter it is 22004.
func (b *Binder) offsetValue(p *scope.Place, n tree.Expr, c *catalog.Column) (expr.Expr, error) {
	pos := b.Pos(n)
	e, err := b.Expr(p, n)
	if err != nil {
		return nil, err
	}
	if logical.HoldsQuery(e) || !expr.IsConst(e) {
		return nil, noRowOffset("whose values are queries, columns or volatile", pos)
	}
	if k, ok := e.(*expr.Const); ok {
		if k.Value.Null && c.NotNull {
			return nil, sqlerr.New(sqlerr.NullValueNotAllowed, `column "%s" of OFFSET is never NULL`, c.Name).At(pos)
		}
		return e, nil
	}
	fault, err := expr.ResolveFunc(expr.PhoenixSchema+".null_in_offset", nil, pos)
	if err != nil {
		return nil, err
	}
	if fault, err = expr.ResolveCast(fault, c.Type.Base(), expr.Explicit, pos); err != nil {
		return nil, err
	}
	return expr.MakeCoalesce([]expr.Expr{e, fault}, pos)
}

// behind is the condition of the rows behind one in key order.
func behind(t *catalog.Table, left, right []expr.Expr, pos int) (expr.Expr, error) {
	var arms, equal []expr.Expr
	for i := 0; i < len(left); {
		c := &t.Columns[t.PrimaryKey[i]]
		n := i + 1
		for plainKey(c, right[i]) && n < len(left) && plainKey(&t.Columns[t.PrimaryKey[n]], right[n]) && t.Columns[t.PrimaryKey[n]].Desc == c.Desc {
			n++
		}
		after, err := behindPart(c, left[i:n], right[i:n], pos)
		if err != nil {
			return nil, err
		}
		if after != nil {
			arm, err := expr.MakeAnd(append(slices.Clone(equal), after), pos)
			if err != nil {
				return nil, err
			}
			arms = append(arms, arm)
		}
		for ; i < n; i++ {
			same, err := sameKey(left[i], right[i], pos)
			if err != nil {
				return nil, err
			}
			equal = append(equal, same)
		}
	}
	if len(arms) == 0 {
		return Boolean(false, pos), nil
	}
	return expr.MakeOr(arms, pos)
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
func behindPart(c *catalog.Column, left, right []expr.Expr, pos int) (expr.Expr, error) {
	op := ">"
	if c.Desc {
		op = "<"
	}
	switch {
	case isNull(right[0]) && c.Desc:
		return nil, nil
	case isNull(right[0]):
		null, err := expr.MakeIsNull(left[0], pos)
		if err != nil {
			return nil, err
		}
		return expr.MakeNot(null, pos)
	case len(left) > 1:
		return expr.MakeRowCmp(op, left, right, pos)
	}
	after, err := expr.ResolveOp(op, left[0], right[0], pos)
	if err != nil || plainKey(c, right[0]) {
		return after, err
	}
	null, err := expr.MakeIsNull(left[0], pos)
	if err != nil {
		return nil, err
	}
	return expr.MakeOr([]expr.Expr{after, null}, pos)
}

func sameKey(l, r expr.Expr, pos int) (expr.Expr, error) {
	if isNull(r) {
		return expr.MakeIsNull(l, pos)
	}
	return expr.ResolveOp("=", l, r, pos)
}

// order gives the key order where the query asks for it, or for nothing.
func (o *rowOffset) order(l *scope.Level, keys []plan.SortKey) ([]plan.SortKey, error) {
	if len(l.Aggs.Calls) > 0 || len(l.Windows.List) > 0 {
		return nil, noRowOffset("with aggregates and window functions", o.pos)
	}
	for i, k := range keys {
		if i >= len(o.keys) || !expr.Equal(k.Expr, o.keys[i].Expr) || k.Desc != o.keys[i].Desc {
			return nil, noRowOffset("with an order that is not the primary key's", o.pos)
		}
		if k.NullsFirst != o.keys[i].NullsFirst && !o.table.Columns[o.table.PrimaryKey[i]].NotNull {
			return nil, sqlerr.Unsupported("OFFSET to a row is not supported with NULLs where the key has not them",
				"Leave ORDER BY away: rows come in key order. NULLs of the key are first, and last where it is DESC.").At(o.pos)
		}
	}
	return o.keys, nil
}
