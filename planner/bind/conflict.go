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
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindConflict binds INSERT … ON CONFLICT.
// What queries in DO UPDATE give is added to the input, whose columns are the excluded row's.
func (b writer) bindConflict(n *plan.Insert, v *tree.Insert, input *logical.Node) error {
	c, t := v.Conflict, n.Table
	pos := b.Pos(c)
	if c.DuplicateKey && t.HiddenKey() != nil {
		return noConflictTarget(pos)
	}
	if c.DuplicateKey {
		return sqlerr.Unsupported("ON DUPLICATE KEY belongs to UPSERT", "Write UPSERT … ON DUPLICATE KEY, or INSERT … ON CONFLICT.").At(pos)
	}
	var err error
	if n.Arbiters, err = b.arbiters(c, t, pos); err != nil {
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
	old, excluded := b.TableRelation(t, v.Table.Alias.Name), b.TableRelation(t, "excluded")
	for i := range excluded.Cols {
		excluded.Cols[i].Of = "excluded."
	}
	q := &conflictQueries{writer: b, old: old, excluded: excluded, input: (*input).Out()}
	set, err := b.bindSet(t, old, c.Set, rowPlace("UPDATE", old, excluded))
	if err != nil {
		return err
	}
	b.WritesColumns(t, acl.Update, query.SetPlaces(set))
	for i := range set {
		set[i].Value = q.positions(set[i].Value)
	}
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
		return sqlerr.Unsupported(`ON CONFLICT DO UPDATE cannot change key column "`+col.Name+`"`,
			"Delete the row and insert it under its new key.").At(pos)
	}
	if c.Where != nil {
		where, err := b.BoolExpr(rowPlace("WHERE", old, excluded), c.Where)
		if err != nil {
			return err
		}
		n.Where = q.positions(where)
	}
	if q.refused != nil {
		return q.refused
	}
	if len(q.exprs) > 0 {
		*input = &logical.Project{Input: *input, Exprs: append(b.Meta.Refs(q.input), q.exprs...), Cols: append(slices.Clip(q.input), q.cols...)}
	}
	n.OnConflict, n.Mode = plan.ConflictUpdate, plan.ReadFirst
	return nil
}

// conflictQueries are the queries of DO UPDATE. They are run for the rows that are to be
// inserted, before it is known whether a row exists: of the old row they may name the key,
// which is the excluded row's.
type conflictQueries struct {
	writer
	old, excluded *scope.Relation
	input         []logical.ColumnID
	exprs         []expr.Expr
	cols          []logical.ColumnID
	refused       error
}

// positions puts the positions of the old row's, the excluded row's and the queries' columns
// in the place of columns.
func (q *conflictQueries) positions(e expr.Expr) expr.Expr {
	e = withoutQueries(e, func(x expr.Expr) expr.Expr {
		x = logical.MapFree(logical.InlineExpr(x, q.Inlined), q.below)
		id := q.Meta.Add(logical.Column{Name: "query", Type: x.Type()})
		q.exprs, q.cols = append(q.exprs, x), append(q.cols, id)
		return q.Meta.Ref(id)
	})
	n := len(q.input)
	return expr.MapCols(e, func(c *expr.Col) expr.Expr {
		moved := *c
		if i := slices.Index(q.cols, c.Index); i >= 0 {
			moved.Index = 2*n + i
			return &moved
		}
		return scope.Positions(c, q.old, q.excluded)
	})
}

// below is a column of either row as the input has it.
func (q *conflictQueries) below(c *expr.Col) expr.Expr {
	named := func(cols []scope.Column) int {
		return slices.IndexFunc(cols, func(x scope.Column) bool { return x.ID == c.Index })
	}
	i := named(q.excluded.Cols)
	if at := named(q.old.Cols); at >= 0 {
		if i = at; q.old.Table.Columns[at].KeyPos < 0 && q.refused == nil {
			q.refused = sqlerr.Unsupported("a subquery of ON CONFLICT DO UPDATE that names a column of the existing row outside of its key is not supported",
				"Name the excluded row's column, or use MERGE.").At(c.At)
		}
	}
	if i < 0 {
		return c
	}
	ref := q.Meta.Ref(q.input[i])
	ref.At = c.At
	return ref
}

// arbiters finds the unique indexes that a conflict target means: 42P10 where it means none,
// 42704 for a constraint that does not exist. Without a target they are all.
func (b writer) arbiters(c *tree.Conflict, t *catalog.Table, pos int) ([]*catalog.Index, error) {
	var out []*catalog.Index
	if c.Constraint != "" {
		if ix := t.IndexByName(c.Constraint); ix != nil && ix.Constraint {
			read := b.Right(t, acl.Select)
			for _, part := range ix.Parts {
				read.Select(part.Column)
			}
			return append(out, ix), nil
		}
		return nil, sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, c.Constraint, t.Name).At(pos)
	}
	parts, err := b.conflictParts(c, t)
	if err != nil {
		return nil, err
	}
	var where expr.Stored
	if c.TargetWhere != nil {
		e, err := newWriter(b.Ctx, 0).keepIndexed(&tree.SourceExpr{Node: c.TargetWhere}, t, "index predicate", func(x expr.Expr) (expr.Expr, error) {
			return expr.ResolveBool(x, "WHERE")
		})
		if err != nil {
			return nil, err
		}
		where = e.Expr
	}
	for i := range t.NumIndexes() {
		ix := t.Index(i)
		if !ix.Unique || !ix.Primary && !ix.Kept() {
			continue
		}
		if len(c.Targets) == 0 || samePartsAs(ix, parts) && (ix.Where == "" || ix.Where == where) && ix.Readable() {
			out = append(out, ix)
		}
	}
	if len(out) == 0 {
		return nil, noConflictTarget(pos)
	}
	return out, nil
}

// conflictParts binds the columns and expressions of a conflict target: each once.
func (b writer) conflictParts(c *tree.Conflict, t *catalog.Table) (parts []catalog.IndexPart, err error) {
	if len(c.Targets) == 0 {
		return nil, nil
	}
	read := b.Right(t, acl.Select)
	for i := range c.Targets {
		p := catalog.IndexPart{}
		if c.Targets[i].OpClass != "" {
			return nil, noConflictTarget(b.Pos(c))
		}
		if n, ok := c.Targets[i].Expr.(*tree.ColumnRef); ok {
			col, err := b.targetColumn(t, &tree.Target{Family: n.Table, Name: n.Name})
			if err != nil {
				return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, n.Name).At(b.Pos(n))
			}
			p.Column = t.Columns[col].ID
			read.Select(p.Column)
		} else {
			e, err := newWriter(b.Ctx, 0).keepIndexed(&tree.SourceExpr{Node: c.Targets[i].Expr}, t, "index expression", expr.ResolveUnknown)
			if err != nil {
				return nil, err
			}
			p.Expr = e.Expr
			for _, id := range e.Columns {
				read.Select(id)
			}
		}
		if !slices.ContainsFunc(parts, func(q catalog.IndexPart) bool { return samePart(&p, &q) }) {
			parts = append(parts, p)
		}
	}
	return parts, nil
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

func noConflictTarget(pos int) error {
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
