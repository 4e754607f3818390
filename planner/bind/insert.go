package bind

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindInsert binds INSERT and UPSERT. An UPSERT into a table with a hidden key is an
// INSERT: no row that it writes is there.
func (b writer) bindInsert(v *tree.Insert) *logical.Statement {
	b.BindWith(nil, v.With)
	t := b.bindTarget(&v.Table, inserts)
	t = b.widen(t, v.Columns)
	if b.view != nil && v.Upsert {
		panic(sqlerr.Unsupported("UPSERT into a view is not supported", "Write INSERT, or UPSERT into the table that the view reads.").At(b.Pos(v.Table)))
	}
	if b.view != nil && v.Conflict != nil && !v.Conflict.DoNothing {
		panic(sqlerr.Unsupported("ON CONFLICT DO UPDATE of a view is not supported", "Write to the table that the view reads.").At(b.Pos(v.Table)))
	}
	if v.Upsert && t.HiddenKey() == nil {
		return b.bindUpsert(t, v)
	}
	return b.insertInto(t, v)
}

// insertInto binds INSERT. Its input gives whole rows: what is not named has its default.
func (b writer) insertInto(t *catalog.Table, v *tree.Insert) *logical.Statement {
	src := &rowSource{writer: b, table: t, overriding: v.Overriding, targets: v.Columns, subscripts: &scope.Place{Clause: "INSERT", Queries: true}}
	src.cols = b.targetColumns(t, v.Columns, true)
	src.listed = v.Columns != nil
	n := &plan.Insert{Table: t, Mode: plan.CheckAbsent}
	input := src.bind(v, allOf(t))
	b.wants(t, acl.Insert, src.cols[:src.given:src.given])
	n.Refused = src.refused
	n.RowRules = b.bindRules(t, nil)
	if v.Conflict != nil {
		b.bindConflict(n, v, &input)
	}
	ret := b.returningOf(v, t)
	n.Returning, n.Cols = ret.exprs, ret.cols
	return ret.writing(b, "INSERT 0", n, input)
}

// returningOf binds the RETURNING of INSERT and UPSERT.
func (b writer) returningOf(v *tree.Insert, t *catalog.Table) *returning {
	if len(v.Returning) == 0 {
		return &noReturning
	}
	l := scope.NewLevel(nil)
	rel, named := b.targetOf(t, v.Table.Alias.Name)
	l.Scope = scope.ScopeOf(named)
	r := b.bindReturning(l, v.Returning)
	for i := range r.exprs {
		r.exprs[i] = scope.Positions(r.exprs[i], rel)
	}
	return r
}

func allOf(t *catalog.Table) []int {
	cols := make([]int, len(t.Columns))
	for i := range cols {
		cols[i] = i
	}
	return cols
}

// rowSource makes the rows that INSERT and UPSERT write of VALUES or a query.
type rowSource struct {
	writer     writer
	table      *catalog.Table
	cols       []int             // the columns given, in order
	listed     bool              // the statement names them
	targets    []tree.Target     // as it names them, where they may be parts of columns
	subscripts *scope.Place      // where those of the parts stand
	untested   map[int]expr.Expr // what columns become of their parts, before the tests of their domains
	given      int               // how many of them have a value
	overriding string
	defaults   map[int]expr.Expr // bound once for all rows
	refused    *sqlerr.Error     // what a row behind the first batch certainly fails with
}

// bind gives a node with the columns out, cast to their types: those given, the
// others with their defaults.
func (s *rowSource) bind(v *tree.Insert, out []int) logical.Node {
	switch {
	case v.DefaultValues:
		s.cols = nil
		return s.values([][]tree.Expr{nil}, out)
	case v.Query != nil:
		return s.query(v.Query, out)
	}
	return s.values(v.Rows, out)
}

// columns makes new columns of the types of the table's.
func (s *rowSource) columns(out []int) []logical.ColumnID {
	cols, m := make([]logical.ColumnID, len(out)), s.writer.Meta
	m.Reserve(len(out))
	for i, c := range out {
		cols[i] = m.Add(logical.Column{Name: s.table.Columns[c].Name, Type: s.table.Columns[c].Type})
	}
	return cols
}

// fits checks the number of values against the number of columns.
func (s *rowSource) fits(n, pos int) {
	switch v := s.writer.view; {
	case v != nil && !s.listed && n > len(s.cols) && n <= len(v.Columns):
		panic(s.writer.computed(&v.Columns[len(s.cols)]))
	case n > len(s.cols):
		panic(sqlerr.New(sqlerr.SyntaxError, "INSERT has more expressions than target columns").At(pos))
	case n < len(s.cols) && s.listed:
		if n < len(s.targets) {
			pos = s.writer.Pos(&s.targets[n])
		}
		panic(sqlerr.New(sqlerr.SyntaxError, "INSERT has more target columns than expressions").At(pos))
	}
}

// values binds the rows of VALUES, each value by itself.
func (s *rowSource) values(rows [][]tree.Expr, out []int) logical.Node {
	b := s.writer
	v := &logical.Values{Cols: s.columns(out), Rows: make([][]expr.Expr, len(rows))}
	s.given = min(len(rows[0]), len(s.cols))
	p, given := &scope.Place{Clause: "VALUES", Queries: true}, s.row()
	for r, row := range rows {
		if len(row) != len(rows[0]) {
			panic(sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").At(b.Pos(row[0])))
		}
		if len(row) > 0 {
			at := row[min(len(s.cols), len(row)-1)]
			s.fits(len(row), b.Pos(at))
		}
		b.NextRow(nil)
		clear(given)
		for i, n := range row {
			s.value(p, given, i, n)
		}
		v.Rows[r] = s.complete(given, out)
		if r >= vec.MaxRows && s.refused == nil {
			s.refused = s.nullKey(v.Rows[r], out)
		}
	}
	return v
}

// value binds one value, for the i-th target; nothing is given for DEFAULT.
func (s *rowSource) value(p *scope.Place, given []expr.Expr, i int, n tree.Expr) {
	if _, ok := n.(*tree.Default); ok {
		if part := s.part(i); part != nil {
			panic(sqlerr.New(sqlerr.FeatureNotSupported, "cannot set an array element to DEFAULT").At(s.writer.Pos(part)))
		}
		return
	}
	pos := s.writer.Pos(n)
	if s.identity(&s.table.Columns[s.cols[i]], pos) {
		s.assign(given, i, s.writer.Expr(p, n), pos)
	}
}

// identity says whether a value given for an identity column is used: 428C9 for
// one that is always generated, unless OVERRIDING says otherwise.
func (s *rowSource) identity(c *catalog.Column, pos int) (use bool) {
	switch {
	case c.Generated != "":
		panic(sqlerr.New(sqlerr.GeneratedAlways, `cannot insert a non-DEFAULT value into column "%s"`, c.Name).
			WithDetail(`Column "%s" is a generated column.`, c.Name).At(pos))
	case c.Identity == 0 || s.overriding == "system":
		return true
	case s.overriding == "user":
		return false
	case c.Identity == 'a':
		panic(sqlerr.New(sqlerr.GeneratedAlways, `cannot insert a non-DEFAULT value into column "%s"`, c.Name).
			WithDetail(`Column "%s" is an identity column defined as GENERATED ALWAYS.`, c.Name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override.").At(pos))
	}
	return true
}

// row is room for what is given of a row: a value for each of the table's columns, or nil.
func (s *rowSource) row() []expr.Expr { return make([]expr.Expr, len(s.table.Columns)) }

// complete adds the defaults to what is given.
func (s *rowSource) complete(given []expr.Expr, out []int) []expr.Expr {
	row := make([]expr.Expr, len(out))
	for i, c := range out {
		if row[i] = given[c]; row[i] != nil {
			continue
		}
		e, ok := s.defaults[c]
		if !ok {
			e, _ = s.writer.defaultOf(s.table, c)
			if s.defaults == nil {
				s.defaults = map[int]expr.Expr{}
			}
			s.defaults[c] = e
		}
		row[i] = e
	}
	return row
}

// query puts the casts and defaults above a query.
func (s *rowSource) query(q tree.Query, out []int) logical.Node {
	b := s.writer
	r := b.BindQuery(nil, q, &query.Want{Convert: func(i int, e expr.Expr) expr.Expr {
		if i >= len(s.cols) {
			return fail.Must(expr.ResolveUnknown(e))
		}
		if s.part(i) != nil {
			return s.partLiteral(i, e)
		}
		c := &s.table.Columns[s.cols[i]]
		return b.Assign(e, c.Name, c.Type, e.Pos())
	}})
	refs := r.Refs()
	s.fits(len(refs), b.ColumnPos(q, min(len(s.cols), len(refs)-1)))
	s.given = len(refs)
	given := s.row()
	for i, e := range refs {
		pos := b.ColumnPos(q, i)
		use := s.identity(&s.table.Columns[s.cols[i]], pos)
		if !use {
			continue
		}
		s.assign(given, i, e, pos)
	}
	row := s.complete(given, out)
	return &logical.Project{Input: r.Node, Exprs: row, Cols: s.columns(out)}
}

// nullKey is the error of a row whose key holds a literal NULL. Of the first batch the
// execution finds it by itself before it writes; of a later one it must be told.
func (s *rowSource) nullKey(row []expr.Expr, out []int) *sqlerr.Error {
	for i, c := range out {
		col := &s.table.Columns[c]
		if col.KeyPos < 0 || !col.NotNull || !isNullLiteral(row[i]) {
			continue
		}
		return notNullViolation(s.table, col, row, out)
	}
	return nil
}

func isNullLiteral(e expr.Expr) bool {
	switch c := e.(type) {
	case *expr.Cast:
		return isNullLiteral(c.X)
	case *expr.CoerceToDomain:
		return isNullLiteral(c.X)
	}
	c, ok := e.(*expr.Const)
	return ok && c.Value.Null
}

// notNullViolation is 23502 with the row as Postgres shows it.
func notNullViolation(t *catalog.Table, col *catalog.Column, row []expr.Expr, out []int) *sqlerr.Error {
	text := ""
	for i := range t.Visible() {
		if i > 0 {
			text += ", "
		}
		value := "null"
		for j, c := range out {
			if c == i {
				value = rowText(row[j])
			}
		}
		text += value
	}
	return sqlerr.New(sqlerr.NotNullViolation, `null value in column "%s" of relation "%s" violates not-null constraint`, col.Name, t.Name).
		WithDetail("Failing row contains (%s).", text).WithColumn(t.Name, col.Name).InSchema(t.Schema)
}

// rowText prints a value of a failing row: literals as they are, the rest as SQL.
func rowText(e expr.Expr) string {
	switch x := e.(type) {
	case *expr.Const:
		if x.Value.Null {
			return "null"
		}
		return string(types.AppendText(nil, x.T, x.Value, nil))
	case *expr.Cast:
		return rowText(x.X)
	case *expr.CoerceToDomain:
		return rowText(x.X)
	}
	return expr.ToText(e)
}
