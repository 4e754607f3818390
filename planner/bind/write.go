package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindTarget finds the table a statement writes and refuses what a target cannot have.
func (b *writer) bindTarget(ref *tree.TableRef, does verb) *catalog.Table {
	pos := b.Pos(ref)
	if len(ref.Dynamic) > 0 {
		panic(sqlerr.Unsupported("dynamic columns are not supported there", "UPSERT INTO t (k, d INTEGER) VALUES … writes them, SELECT … FROM t (d INTEGER) reads them.").At(pos))
	}
	if len(ref.Alias.Columns) > 0 {
		panic(sqlerr.New(sqlerr.SyntaxError, "a column list is not allowed for the target of a write").At(pos))
	}
	rel := b.ResolveTarget(ref.Schema, ref.Name, pos)
	if v, ok := rel.(*catalog.View); ok {
		return b.bindView(v, does, pos)
	}
	t := rel.(*catalog.Table)
	if t.Materialized != nil {
		panic(sqlerr.New(sqlerr.WrongObjectType, `cannot change materialized view "%s"`, t.Name))
	}
	return t
}

// targetColumn finds a column that is written.
func (b writer) targetColumn(t *catalog.Table, target *tree.Target) int {
	if b.view != nil {
		return b.viewColumn(target)
	}
	pos := b.Pos(target)
	if target.Type != nil && target.Subscript != nil {
		panic(sqlerr.New(sqlerr.SyntaxError, "a dynamic column has no elements to assign").At(pos))
	}
	if target.Subscript != nil && t.Map(target.Name) != nil {
		qualifier := b.targetCell(target)
		wide, i, err := t.WithCell(target.Name, qualifier)
		fail.If(catalog.Positioned(err, pos))
		if wide == t {
			return i
		}
		panic(sqlerr.Unsupported("a cell of a map cannot be assigned there", "Write the row, then UPDATE t SET family['name'] = ….").At(pos))
	}
	if target.Subscript != nil {
		panic(sqlerr.Unsupported("UPSERT of a part of a column is not supported", "Give the whole value, as ARRAY[…]; INSERT INTO t (a[1]) and UPDATE … SET a[1] = … assign parts.").At(pos))
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Hidden && c.Name == target.Name {
			panic(sqlerr.New(sqlerr.FeatureNotSupported, `cannot assign to system column "%s"`, c.Name).At(pos))
		}
		if c.Name == target.Name && (target.Family == "" || target.Type != nil || t.InFamily(i, target.Family)) {
			return i
		}
	}
	name := target.Name
	if target.Family != "" {
		name = target.Family
		if i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return !c.Hidden && c.Name == name }); i >= 0 {
			panic(notComposite(target, name, t.Columns[i].Type, pos))
		}
	}
	panic(sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, name, t.Name).At(pos))
}

// notComposite refuses a field of a column: 42804.
func notComposite(target *tree.Target, column string, of types.T, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.DatatypeMismatch, `cannot assign to field "%s" of column "%s" because its type %s is not a composite type`,
		target.Name, column, expr.TypeName(of)).At(pos)
}

// widen gives t with the cells of its maps that the targets name, and dynamic columns.
func (b writer) widen(t *catalog.Table, targets []tree.Target) *catalog.Table {
	for i := range targets {
		n := &targets[i]
		if b.view != nil {
			break
		}
		if n.Type != nil && n.Subscript == nil {
			t = b.dynamic(t, n)
			continue
		}
		if n.Subscript == nil || n.Type != nil || t.Map(n.Name) == nil {
			continue
		}
		qualifier := b.targetCell(n)
		var err error
		t, _, err = t.WithCell(n.Name, qualifier)
		fail.If(catalog.Positioned(err, b.Pos(n)))
	}
	return t
}

// dynamic gives t with the dynamic column that a target declares.
func (b writer) dynamic(t *catalog.Table, n *tree.Target) *catalog.Table {
	pos := b.Pos(n)
	if t.Options.TTL > 0 {
		panic(sqlerr.Unsupported("writing dynamic columns of a table with a TTL is not supported",
			"Add the column with ALTER TABLE … ADD: a row's cells are to expire together.").At(pos))
	}
	return b.Dynamic(t, &tree.ColDef{Family: n.Family, Name: n.Name, Type: n.Type, Quoted: n.Quoted, FamilyQuoted: n.FamilyQuoted}, pos)
}

// targetCell gives the name of the cell that a target family['name'] means.
func (b writer) targetCell(target *tree.Target) []byte {
	if s, ok := target.Subscript.(*tree.Subscript); ok {
		if _, plain := s.X.(*tree.ColumnRef); plain {
			return b.Qualifier(s.Index)
		}
	}
	panic(sqlerr.Unsupported("a cell of a map has no elements", "Assign the cell whole.").At(b.Pos(target)))
}

// targetColumns finds the columns of an INSERT's list; all of them where there is none. parts says
// that several parts of one may be listed.
func (b writer) targetColumns(t *catalog.Table, list []tree.Target, parts bool) []int {
	if list == nil && b.view != nil {
		return b.viewColumns()
	}
	if list == nil {
		cols := make([]int, len(t.Visible()))
		for i := range cols {
			cols[i] = i
		}
		return cols
	}
	var cols []int
	seen := map[int]bool{} // as a part
	for i := range list {
		target, isPart := &list[i], false
		if parts {
			target, isPart = b.wholeOf(t, target)
		}
		c := b.targetColumn(t, target)
		if before, listed := seen[c]; listed && !(before && isPart) {
			panic(sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, list[i].Name).At(b.Pos(list[i])))
		}
		seen[c] = isPart
		cols = append(cols, c)
	}
	return cols
}

// defaultOf gives what an INSERT stores in a column that is not named: its
// DEFAULT, the next value of its sequence, or NULL. has is false for NULL.
func (b writer) defaultOf(t *catalog.Table, i int) (e expr.Expr, has bool) {
	c := &t.Columns[i]
	if c.Hidden {
		e = fail.Must(expr.ResolveFunc("unique_rowid", nil, 0))
		return e, true
	}
	if c.Generated != "" {
		return &expr.Const{Value: types.NullDatum, T: c.Type}, false // it is computed of the row
	}
	kept := catalog.ColumnDefault{Expr: c.DefaultExpr, Sequence: c.Sequence}
	ofStored("default", t, c.Name, func() {
		if c.Default != "" {
			kept = b.defaultOfText(c)
		}
		switch {
		case kept.Sequence != 0:
			seq := b.Ctx.Catalog.ByID(kept.Sequence)
			if seq == nil {
				panic(sqlerr.Internal(nil, `the sequence of column "%s" of "%s" is not there`, c.Name, t.Name))
			}
			e = query.Nextval(seq, 0)
		case kept.Expr != "":
			e = b.nameRelations(fail.Must(kept.Expr.Bind(t.Types, func(int) (*expr.Col, bool) { return nil, false })))
		case c.Type.Domain() != nil:
			e = b.defaultOfDomain(c.Type)
		default:
			return
		}
		e = fail.Must(expr.ResolveAssign(e, c.Name, c.Type, 0))
	})
	if e == nil {
		return &expr.Const{Value: types.NullDatum, T: c.Type}, false
	}
	return e, true
}

// defaultOfDomain gives the DEFAULT of a domain, or NULL, before its constraints are tested.
func (b writer) defaultOfDomain(t types.T) expr.Expr {
	stored, ok := t.DefaultOf()
	if !ok {
		return &expr.Const{Value: types.NullDatum, T: t.Plain()}
	}
	return fail.Must(expr.Stored(stored).Bind(t.Domain().Def().Domain.Users, func(int) (*expr.Col, bool) { return nil, false }))
}

// ofStored has do bind a stored expression, and says where one that cannot be bound any more stands.
func ofStored(what string, t *catalog.Table, name string, do func()) {
	err := fail.Try(do)
	if e := sqlerr.As(err); e != nil {
		e.Position = 0
		e.Where = what + " of " + t.Name + "." + name
	}
	fail.If(err)
}

// nameRelations lets EXPLAIN show the relations in e by name.
func (b writer) nameRelations(e expr.Expr) expr.Expr {
	e, _ = expr.Rewrite(e, func(x expr.Expr) (expr.Expr, error) {
		c, ok := x.(*expr.Const)
		if !ok || c.T.Kind != types.Regclass || c.Value.Null {
			return x, nil
		}
		r := b.Ctx.Catalog.ByID(uint32(c.Value.Int))
		if r == nil {
			return x, nil
		}
		named := *c
		named.Name = query.FullName(r)
		return &named, nil
	})
	return e
}

// bindRules binds what holds for every row of a table that is written, over its columns: what
// its generated columns are computed by, and its CHECK constraints. set, where not nil, are
// the columns that are assigned to a row that is there, of which the others need not be
// computed anew.
func (b writer) bindRules(t *catalog.Table, set []plan.SetColumn) plan.RowRules {
	r := plan.RowRules{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Generated == "" || set != nil && !slices.ContainsFunc(set, func(s plan.SetColumn) bool { return slices.Contains(c.GeneratedFrom, t.Columns[s.Column].ID) }) {
			continue
		}
		ofStored("generation expression", t, c.Name, func() {
			e := fail.Must(expr.ResolveAssign(fail.Must(c.Generated.Bind(t.Types, columnOf(t))), c.Name, c.Type, 0))
			r.Generated = append(r.Generated, plan.SetColumn{Column: i, Value: e})
		})
	}
	r.Checks = append(b.bindChecks(t), b.viewChecks()...)
	return r
}

// columnOf finds the columns of t for what is stored of it.
func columnOf(t *catalog.Table) func(id int) (*expr.Col, bool) {
	return func(id int) (*expr.Col, bool) {
		i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == id })
		if i < 0 {
			return nil, false
		}
		return &expr.Col{Index: i, T: t.Columns[i].Type, Name: t.Columns[i].Name}, true
	}
}

// bindChecks binds the CHECK constraints of a table over its columns.
func (b writer) bindChecks(t *catalog.Table) []plan.CheckExpr {
	var checks []plan.CheckExpr
	for i := range t.Checks {
		c := &t.Checks[i]
		ofStored("check constraint", t, c.Name, func() {
			checks = append(checks, plan.CheckExpr{Name: c.Name, Cond: b.condition(t, c)})
		})
	}
	return checks
}

// condition gives the condition of a CHECK over the columns of t.
func (b writer) condition(t *catalog.Table, c *catalog.Check) expr.Expr {
	kept := c.Cond
	if c.Text != "" {
		kept = b.conditionOfText(t, c)
	}
	return fail.Must(kept.Bind(t.Types, columnOf(t)))
}

// returning is a bound RETURNING.
type returning struct {
	// exprs are what the node that writes gives: over columns, until they are put over the
	// positions of the row it writes.
	exprs []expr.Expr
	cols  []plan.Column
	ids   []logical.ColumnID
	names []string
	// list, where RETURNING has queries, is over the columns ids that the node gives.
	list *query.SelectList
}

// bindReturning binds RETURNING over the rows that l's scope names. Queries in it are run
// above the node that writes, which gives the columns they and the rest need.
func (b writer) bindReturning(l *scope.Level, items []tree.Item) *returning {
	if len(items) == 0 {
		return &noReturning
	}
	r := &returning{}
	list := b.BindItems(&scope.Place{Level: l, Clause: "RETURNING"}, items, nil)
	r.names = list.Names
	if slices.ContainsFunc(list.Exprs, logical.HoldsQuery) {
		r.list = list
		facts := b.Facts()
		var need logical.ColSet
		for _, e := range list.Exprs {
			facts.ExprCols(&need, e)
		}
		r.ids = need.Cols()
		r.exprs = b.Meta.Refs(r.ids)
		if len(r.ids) == 0 { // a node that gives no column gives no row
			row := &expr.Const{Value: types.NewBool(true), T: types.Of(types.Bool)}
			r.ids, r.exprs = []logical.ColumnID{b.Meta.Add(logical.Column{Type: row.Type()})}, []expr.Expr{row}
		}
		for _, id := range r.ids {
			r.cols = append(r.cols, b.Meta.PlanColumn(id))
		}
		return r
	}
	for i, e := range list.Exprs {
		c := logical.Column{Name: list.Names[i], Type: e.Type()}
		if col, ok := e.(*expr.Col); ok {
			stored := b.Meta.Column(col.Index)
			c.Table, c.ColumnID = stored.Table, stored.ColumnID
		}
		id := b.Meta.Add(c)
		r.ids, r.cols = append(r.ids, id), append(r.cols, b.Meta.PlanColumn(id))
		r.exprs = append(r.exprs, e)
	}
	return r
}

// noReturning is that of a write that gives nothing.
var noReturning returning

// writing is the statement of a write.
func (r *returning) writing(b writer, tag string, n plan.Node, input logical.Node) *logical.Statement {
	s := &logical.Statement{Root: &logical.Write{Plan: n, Input: input, Cols: r.ids}, Out: r.ids, Names: r.names, Tag: tag}
	if r.list != nil {
		above := b.Projection(scope.NewLevel(nil), s.Root, r.list)
		s.Root, s.Out = above.Node, above.Node.Out()
	}
	return s
}

// readsOutside says that an expression over a table's columns reads one that is not in cols.
func readsOutside(e expr.Expr, cols []int) bool {
	outside := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok {
			in := false
			for _, i := range cols {
				in = in || i == c.Index
			}
			outside = outside || !in
		}
		return !outside
	})
	return outside
}
