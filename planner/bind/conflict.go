package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindConflict binds INSERT … ON CONFLICT.
// What queries in DO UPDATE give is added to the input, whose columns are the excluded row's.
func (b writer) bindConflict(n *plan.Insert, v *tree.Insert, input *logical.Node) {
	c, t := v.Conflict, n.Table
	pos := b.Pos(c)
	if c.DuplicateKey && t.HiddenKey() != nil {
		panic(noConflictTarget(pos))
	}
	if c.DuplicateKey {
		panic(sqlerr.Unsupported("ON DUPLICATE KEY belongs to UPSERT", "Write UPSERT … ON DUPLICATE KEY, or INSERT … ON CONFLICT.").At(pos))
	}
	n.Arbiters = b.arbiters(c, t, pos)
	if c.DoNothing {
		n.OnConflict = plan.ConflictNothing
		return
	}
	if c.Constraint == "" && len(c.Targets) == 0 {
		panic(sqlerr.New(sqlerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name).").At(pos))
	}
	old, excluded := b.TableRelation(t, v.Table.Alias.Name), b.TableRelation(t, "excluded")
	for i := range excluded.Cols {
		excluded.Cols[i].Of = "excluded."
	}
	set := b.bindSet(t, old, c.Set, rowPlace("UPDATE", old, excluded))
	var where expr.Expr
	if c.Where != nil {
		where = b.BoolExpr(rowPlace("WHERE", old, excluded), c.Where)
	}
	b.WritesColumns(t, acl.Update, query.SetPlaces(set))
	q := &conflictQueries{writer: b, old: old, excluded: excluded, input: (*input).Out()}
	q.compute(n, input, set, where)
	for _, s := range set {
		col := &t.Columns[s.Column]
		if col.KeyPos < 0 {
			n.Set = append(n.Set, s)
			continue
		}
		// The key of the row is the key of the excluded one: this assigns nothing.
		if e, ok := s.Value.(*expr.Col); ok && (e.Index == s.Column || e.Index == len(t.Columns)+s.Column && !n.Arbitrates()) {
			continue
		}
		panic(sqlerr.Unsupported(`ON CONFLICT DO UPDATE cannot change key column "`+col.Name+`"`,
			"Delete the row and insert it under its new key.").At(pos))
	}
	n.OnConflict, n.Mode = plan.ConflictUpdate, plan.ReadFirst
}

// conflictQueries are the queries of DO UPDATE. They are run for the rows that are to be
// inserted, joined with the rows that they conflict with as the statement finds them:
//
//	the excluded row's columns | queries | the old row's that these were computed with
//
// One is run where there is an old row for which it is asked. If the row is another by the time
// it is written, the statement starts anew.
type conflictQueries struct {
	writer
	old, excluded *scope.Relation
	input         []logical.ColumnID
	row           []expr.Expr // the excluded row's columns; those that are generated are not in the input
	asked         expr.Expr   // that the queries to come are to be run
	exprs         []expr.Expr
	cols          []logical.ColumnID
	uses          []expr.Expr // what depends on the old row
}

// compute adds the queries of set and where to the input, and makes both what the plan has.
func (q *conflictQueries) compute(n *plan.Insert, input *logical.Node, set []plan.SetColumn, where expr.Expr) {
	if !logical.HoldsQuery(where) && !slices.ContainsFunc(set, func(s plan.SetColumn) bool { return logical.HoldsQuery(s.Value) }) {
		for i := range set {
			set[i].Value = scope.Positions(set[i].Value, q.old, q.excluded)
		}
		n.Where = scope.Positions(where, q.old, q.excluded)
		return
	}
	q.row = q.Meta.Refs(q.input)
	for _, g := range n.Generated {
		q.row[g.Column] = q.of(g.Value, q.Meta.Refs(q.input))
	}
	get := q.getForWrite(q.old, q.old.Name)
	get.ForUpdate = false
	same := q.conflict(n)
	joined := &logical.Join{Kind: plan.Left, Left: *input, Right: get, On: same}
	q.asked = fail.Must(expr.MakeNot(&expr.IsNull{X: q.Meta.Ref(get.Key)}, 0))
	where = q.columns(where)
	*input = &logical.Project{Input: joined, Exprs: append(q.Meta.Refs(joined.Out()), q.exprs...), Cols: slices.Concat(joined.Out(), q.cols)}
	first := len(q.exprs)
	if where != nil {
		passes := expr.MapCols(where, q.below)
		q.asked = logical.AndAll([]expr.Expr{q.asked, passes})
		q.uses = append(q.uses, passes)
	}
	for i := range set {
		set[i].Value = q.positions(q.columns(set[i].Value))
	}
	n.Where = q.positions(where)
	facts, uses := q.Facts(), logical.ColSet{}
	for _, e := range q.uses {
		uses = uses.Union(facts.ColsOf(e))
	}
	for i, id := range get.Cols {
		if uses.Has(id) || n.Table.Columns[i].KeyPos >= 0 {
			n.Seen = append(n.Seen, i)
			q.exprs, q.cols = append(q.exprs, q.Meta.Ref(id)), append(q.cols, id)
		}
	}
	all := slices.Concat(q.Meta.Refs(q.input), q.Meta.Refs(q.cols[:first]), q.exprs[first:])
	*input = &logical.Project{Input: *input, Exprs: all, Cols: append(slices.Clip(q.input), q.cols...)}
}

// conflict says that the old row is in the way of the excluded one. Several arbiters are of the
// same parts: one that has all rows, and as many NULLs, speaks for the others.
func (q *conflictQueries) conflict(n *plan.Insert) expr.Expr {
	for _, ix := range n.Arbiters {
		if ix.Primary {
			return q.conflictIn(n, ix)
		}
	}
	all := slices.IndexFunc(n.Arbiters, func(ix *catalog.Index) bool {
		return ix.Where == "" && !slices.ContainsFunc(n.Arbiters, func(o *catalog.Index) bool { return o.NullsNotDistinct && !ix.NullsNotDistinct })
	})
	if all >= 0 {
		return q.conflictIn(n, n.Arbiters[all])
	}
	var each []expr.Expr
	for _, ix := range n.Arbiters {
		e := q.conflictIn(n, ix)
		each = append(each, e)
	}
	return fail.Must(expr.MakeOr(each, 0))
}

// conflictIn is conflict by one of the arbiters.
func (q *conflictQueries) conflictIn(n *plan.Insert, ix *catalog.Index) expr.Expr {
	var both []expr.Expr
	equal := func(x, y expr.Expr, nulls bool) {
		e := fail.Must(expr.ResolveOp("=", x, y, 0))
		if nulls {
			e = fail.Must(expr.MakeNot(fail.Must(expr.MakeIsDistinct(x, y, 0)), 0))
		}
		both = append(both, e)
	}
	old := q.Meta.Refs(q.old.IDs())
	if ix.Primary {
		for _, c := range n.Table.PrimaryKey {
			equal(old[c], q.row[c], false)
		}
		return logical.AndAll(both)
	}
	entries := ix.Entries()
	for i := range ix.Parts {
		x, y := q.of(entries.Exprs[i], old), q.of(entries.Exprs[i], q.row)
		if x == nil {
			x, y = old[entries.Source[i]], q.row[entries.Source[i]]
		}
		equal(x, y, ix.NullsNotDistinct)
	}
	if entries.Where != nil {
		both = append(both, q.of(entries.Where, old), q.of(entries.Where, q.row))
	}
	return logical.AndAll(both)
}

// of puts the columns of a row in the place of positions in the table.
func (q *conflictQueries) of(e expr.Expr, row []expr.Expr) expr.Expr {
	return expr.MapCols(e, func(c *expr.Col) expr.Expr { return row[c.Index] })
}

// columns puts columns of the input in the place of queries.
func (q *conflictQueries) columns(e expr.Expr) expr.Expr {
	return withoutQueries(e, func(x expr.Expr) expr.Expr {
		x = logical.MapFree(logical.InlineExpr(x, q.Inlined), q.below)
		q.uses = append(q.uses, x)
		id := q.Meta.Add(logical.Column{Name: "query", Type: x.Type()})
		x = &expr.Case{Whens: []expr.When{{Cond: q.asked, Then: x}}, T: x.Type()}
		q.exprs, q.cols = append(q.exprs, x), append(q.cols, id)
		return q.Meta.Ref(id)
	})
}

// positions puts the positions of the old row's, the excluded row's and the queries' columns
// in the place of columns.
func (q *conflictQueries) positions(e expr.Expr) expr.Expr {
	return expr.MapCols(e, func(c *expr.Col) expr.Expr {
		if i := slices.Index(q.cols, c.Index); i >= 0 {
			moved := *c
			moved.Index = 2*len(q.input) + i
			return &moved
		}
		return scope.Positions(c, q.old, q.excluded)
	})
}

// below is a column of the excluded row as the input has it.
func (q *conflictQueries) below(c *expr.Col) expr.Expr {
	i := slices.IndexFunc(q.excluded.Cols, func(x scope.Column) bool { return x.ID == c.Index })
	if i < 0 {
		return c
	}
	return q.row[i]
}

// arbiters finds the unique indexes that a conflict target means: 42P10 where it means none,
// 42704 for a constraint that does not exist. Without a target they are all.
func (b writer) arbiters(c *tree.Conflict, t *catalog.Table, pos int) []*catalog.Index {
	var out []*catalog.Index
	if c.Constraint != "" {
		if ix := t.IndexByName(c.Constraint); ix != nil && ix.Constraint {
			read := b.Right(t, acl.Select)
			for _, part := range ix.Parts {
				read.Select(part.Column)
			}
			return append(out, ix)
		}
		panic(sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, c.Constraint, t.Name).At(pos))
	}
	parts := b.conflictParts(c, t)
	var where []expr.Expr
	if c.TargetWhere != nil {
		e := newWriter(b.Ctx, 0).keepIndexed(&tree.SourceExpr{Node: c.TargetWhere}, t, "index predicate", asWhere)
		where = logical.Conjuncts(e.bound)
	}
	for i := range t.NumIndexes() {
		ix := t.Index(i)
		if !ix.Unique || !ix.Primary && !ix.Kept() {
			continue
		}
		if len(c.Targets) == 0 || samePartsAs(ix, parts) && ix.Readable() && hasAllOf(ix, where) {
			out = append(out, ix)
		}
	}
	if len(out) == 0 {
		panic(noConflictTarget(pos))
	}
	return out
}

// hasAllOf says that an index has an entry of every row for which where is true.
func hasAllOf(ix *catalog.Index, where []expr.Expr) bool {
	if ix.Where == "" {
		return true
	}
	return keycond.Implied(logical.Conjuncts(eval.Fold(nil, ix.Entries().Where)), where)
}

// conflictParts binds the columns and expressions of a conflict target: each once.
func (b writer) conflictParts(c *tree.Conflict, t *catalog.Table) (parts []catalog.IndexPart) {
	if len(c.Targets) == 0 {
		return nil
	}
	read := b.Right(t, acl.Select)
	for i := range c.Targets {
		p := catalog.IndexPart{}
		if c.Targets[i].OpClass != "" {
			panic(noConflictTarget(b.Pos(c)))
		}
		if n, ok := c.Targets[i].Expr.(*tree.ColumnRef); ok {
			var col int
			if fail.Try(func() { col = b.targetColumn(t, &tree.Target{Family: n.Table, Name: n.Name}) }) != nil {
				panic(sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, n.Name).At(b.Pos(n)))
			}
			p.Column = t.Columns[col].ID
			read.Select(p.Column)
		} else {
			e := newWriter(b.Ctx, 0).keepIndexed(&tree.SourceExpr{Node: c.Targets[i].Expr}, t, "index expression", expr.ResolveUnknown)
			p.Expr = e.Expr
			for _, id := range e.Columns {
				read.Select(id)
			}
		}
		if !slices.ContainsFunc(parts, func(q catalog.IndexPart) bool { return samePart(&p, &q) }) {
			parts = append(parts, p)
		}
	}
	return parts
}

func samePart(p, q *catalog.IndexPart) bool { return p.Column == q.Column && p.Expr == q.Expr }

// samePartsAs says that parts are those of an index, in any order.
func samePartsAs(ix *catalog.Index, parts []catalog.IndexPart) bool {
	if len(parts) > len(ix.Parts) {
		return false
	}
	for i := range ix.Parts {
		if !slices.ContainsFunc(parts, func(q catalog.IndexPart) bool { return samePart(&ix.Parts[i], &q) }) {
			return false
		}
	}
	for i := range parts {
		if !slices.ContainsFunc(ix.Parts, func(q catalog.IndexPart) bool { return samePart(&parts[i], &q) }) {
			return false
		}
	}
	return true
}

func noConflictTarget(pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidColumnReference,
		"there is no unique or exclusion constraint matching the ON CONFLICT specification").
		WithHint("Name all columns of the primary key, or of a unique index, with its WHERE.").At(pos)
}

// rowPlace is a place where the columns of rels may be named.
func rowPlace(clause string, rels ...*scope.Relation) *scope.Place {
	l := scope.NewLevel(nil)
	l.Scope = scope.ScopeOf(rels[0])
	for _, r := range rels[1:] {
		l.Scope = &scope.Scope{Rels: append(l.Scope.Rels, r), Cols: append(slices.Clip(l.Scope.Cols), r.Cols...)}
	}
	return &scope.Place{Level: l, Clause: clause}
}
