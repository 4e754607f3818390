package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// source is a bound item of FROM: its rows and what they are called.
type source struct {
	node  logical.Node
	scope *scope.Scope
}

// BindFrom binds a FROM clause: the node that gives its rows. Their names become the scope of l.
func (b *Binder) BindFrom(l *scope.Level, items []tree.From) logical.Node {
	if len(items) == 0 {
		return oneRow()
	}
	if len(items) > maxJoins {
		panic(sqlerr.New(sqlerr.StatementTooComplex, "a FROM clause can have at most %d items", maxJoins).At(b.Pos(items[maxJoins])))
	}
	var all source
	for i, item := range items {
		if i == 0 {
			all = b.bindSource(l, item, nil)
			continue
		}
		left := &scope.Scope{Rels: all.scope.Rels, Cols: all.scope.Cols, Unseen: l.Scope.Unseen}
		right := b.bindSource(l, item, left)
		NoSameNames(all.scope, right.scope)
		all.node = &logical.Join{Kind: plan.Inner, Left: all.node, Right: right.node, Apply: left.Used}
		all.scope = bothSides(all.scope, right.scope)
	}
	l.Scope = all.scope
	return all.node
}

// bothSides is a scope of what two have.
func bothSides(l, r *scope.Scope) *scope.Scope {
	return &scope.Scope{Rels: append(l.Rels, r.Rels...), Cols: append(l.Cols, r.Cols...), Unseen: append(l.Unseen, r.Unseen...)}
}

// NoSameNames refuses two relations of one name: 42712.
func NoSameNames(l, r *scope.Scope) {
	for _, x := range l.Rels {
		for _, y := range r.Rels {
			if x.Name == "" || x.Name != y.Name {
				continue
			}
			if x.OwnName == "" && y.OwnName == "" && x.Table != nil && y.Table != nil && x.Schema != y.Schema {
				continue // of two schemas
			}
			panic(sqlerr.New(sqlerr.DuplicateAlias, `table name "%s" specified more than once`, x.Name))
		}
	}
}

// bindSource binds an item of FROM. left is what stands to its left, which may be nil.
func (b *Binder) bindSource(l *scope.Level, item tree.From, left *scope.Scope) source {
	saved := l.Scope
	defer func() { l.Scope = saved }()
	p := &scope.Place{Level: l, Clause: "FROM"}
	var node logical.Node
	var rel *scope.Relation
	switch f := item.(type) {
	case *tree.Join:
		if b.Capture != nil && f.Alias.Name != "" {
			return b.bindSource(l, b.Capture.asQuery(f), left)
		}
		return b.bindJoin(l, f, left)
	case *tree.TableRef:
		node, rel = b.bindTableRef(p, f)
	case *tree.Derived:
		l.Scope = &scope.Scope{Unseen: append(left.AllRelations(), saved.Unseen...)}
		if f.Lateral && left != nil {
			p.Clause, l.Scope = lateralFrom, left
		}
		node, rel = b.bindDerived(p, f)
	case *tree.FuncRef:
		if left != nil {
			l.Scope = left
		}
		node, rel = b.bindFuncRef(p, f)
	default:
		panic(sqlerr.Unsupported("this item of FROM is not supported", "Name a table, a query or a function.").At(b.Pos(item)))
	}
	b.Capture.item(item, rel)
	rel.Node = node
	return source{node, scope.ScopeOf(rel)}
}

// lateralFrom is the place of a query that may name what stands beside it.
const lateralFrom = "FROM clause of their own query level"

// oneRow is one row without columns.
func oneRow() *logical.Values { return &logical.Values{Rows: [][]expr.Expr{{}}} }

func (b *Binder) bindTableRef(p *scope.Place, f *tree.TableRef) (logical.Node, *scope.Relation) {
	pos := b.Pos(f)
	if f.Schema == "" {
		if c := b.findCTE(f.Name); c != nil {
			if len(f.Dynamic) > 0 {
				panic(sqlerr.Unsupported("dynamic columns of a query are not supported", "Name them where it reads the table.").At(pos))
			}
			noSample(f.Sample, pos)
			p.Level.Recursive = p.Level.Recursive || c.self != nil && c.binding
			return b.bindCTERef(c, f.Alias, pos)
		}
	}
	rel := b.Resolve(f.Schema, f.Name, pos)
	if _, isTable := rel.(*catalog.Table); !isTable {
		noSample(f.Sample, pos)
	}
	if b.Capture != nil {
		b.Capture.Reads[f] = rel
	}
	var wide *catalog.Table
	if len(f.Dynamic) > 0 {
		wide = b.dynamicTable(rel, f.Dynamic, pos)
	}
	switch t := rel.(type) {
	case *catalog.Table:
		b.Uses(t)
		if wide != nil {
			t = wide
		}
		r := b.TableRelation(t, f.Alias.Name)
		r.Right.Rights = acl.Select
		r.Rename(f.Alias.Columns, pos)
		get := &logical.Get{Table: t, Alias: f.Alias.Name, Cols: r.IDs(), Right: r.Right}
		r.ReadBy(get)
		if f.Sample != nil {
			get.Sample = b.bindSample(p, f, pos)
		}
		return get, r
	case *catalog.View:
		return b.bindView(t, f.Alias, pos)
	case *catalog.Sequence:
		return b.bindSequence(t, f.Alias, pos)
	case *catalog.Virtual:
		return b.bindVirtual(t, f.Alias, pos)
	}
	panic(sqlerr.Unsupported(`cannot read from `+rel.RelKind()+` "`+rel.RelName()+`"`, "Read a table or a view.").At(pos))
}

// bindSequence reads a sequence as the table of one row that it is in Postgres.
func (b *Binder) bindSequence(q *catalog.Sequence, alias tree.Alias, pos int) (logical.Node, *scope.Relation) {
	b.Right(q, acl.Select)
	fn := &logical.FuncScan{Name: q.Name}
	fn.Args = []expr.Expr{&expr.Const{Value: types.NewInt(int64(q.ID)), T: types.Of(types.Regclass)}}
	set, cols := builtin.SequenceRow()
	fn.Set = set
	rel := &scope.Relation{Name: alias.Name}
	if rel.Name == "" {
		rel.Name = q.Name
	}
	b.Meta.AddRelation()
	for _, c := range cols {
		b.addColumn(rel, c.Name, c.T)
	}
	fn.Cols = rel.IDs()
	rel.Rename(alias.Columns, pos)
	return fn, rel
}

// addColumn gives a relation one more column.
func (b *Binder) addColumn(r *scope.Relation, name string, t types.T) {
	id := b.Meta.Add(logical.Column{Name: name, Type: t, Relation: r.Name})
	r.Cols = append(r.Cols, scope.Column{Name: name, T: t, ID: id})
}

// bindVirtual reads every column of a relation of the system.
func (b *Binder) bindVirtual(v *catalog.Virtual, alias tree.Alias, pos int) (logical.Node, *scope.Relation) {
	if v.Closed {
		b.Right(v, acl.Select)
	}
	rel := &scope.Relation{Name: v.Name, Schema: v.Schema}
	if alias.Name != "" {
		rel.Name, rel.Schema, rel.OwnName = alias.Name, "", v.Name
	}
	b.Meta.AddRelation()
	var ids []logical.ColumnID
	for i := range v.Columns {
		b.addColumn(rel, v.Columns[i].Name, v.Columns[i].Type)
		ids = append(ids, rel.Cols[len(rel.Cols)-1].ID)
		if v.Columns[i].System {
			last := len(rel.Cols) - 1
			rel.System = append(rel.System, rel.Cols[last])
			rel.Cols = rel.Cols[:last]
		}
	}
	rel.Rename(alias.Columns, pos)
	return &logical.Virtual{Relation: v, Alias: alias.Name, Cols: ids}, rel
}

// bindView puts a view's query in the place of its name.
func (b *Binder) bindView(v *catalog.View, alias tree.Alias, pos int) (logical.Node, *scope.Relation) {
	if slices.Contains(b.views, v.ID) {
		panic(sqlerr.New(sqlerr.WrongObjectType, `view "%s" refers to itself`, v.Name).At(pos))
	}
	right := b.Right(v, acl.Select)
	r := b.rowsOfView(v, pos)
	rel := r.relation(v.Name)
	rel.Schema, rel.Right = v.Schema, right
	if b.viewRights == nil {
		b.viewRights = map[logical.Node][]*plan.Privilege{}
	}
	b.viewRights[r.Node] = append(b.viewRights[r.Node], right)
	names := make([]string, 0, len(v.Columns))
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	rel.Rename(names, pos)
	rel.OwnNames = nil
	if alias.Name != "" {
		rel.Name, rel.Schema, rel.OwnName = alias.Name, "", v.Name
	}
	rel.Rename(alias.Columns, pos)
	return r.Node, rel
}

// ViewRows binds the query of a view for what its owner may read: its node, and its columns in
// order.
func (b *Binder) ViewRows(v *catalog.View) (logical.Node, []expr.Expr) {
	r := b.rowsOfView(v, 0)
	return r.Node, r.Refs()
}

func (b *Binder) rowsOfView(v *catalog.View, pos int) *result {
	b.expand.enter(pos)
	defer b.expand.leave()
	q := b.QueryOfView(v)
	r := b.OfView(v).BindQuery(nil, q, nil)
	if catalog.IsTemporary(v) {
		for i := range v.Columns {
			if r.Cols[i].T != v.Columns[i].Type {
				panic(outlived(v))
			}
		}
	}
	return r
}

// QueryOfView reads the text of a view: 55000 for a temporary one of what is not there any more.
func (b *Binder) QueryOfView(v *catalog.View) tree.Query {
	if catalog.IsTemporary(v) {
		for _, id := range v.DependsOn {
			if b.Ctx.Catalog.Member(id) == nil {
				panic(outlived(v))
			}
		}
		for _, u := range v.Uses {
			if catalog.ColumnName(b.Ctx.Catalog.Member(u.Relation), u.Column) == "" {
				panic(outlived(v))
			}
		}
	}
	stmt, err := ViewStatement(v.Query.SQL(v.Columns, b.Ctx.Catalog.Member))
	if err != nil {
		panic(sqlerr.Internal(err, `the text of view "%s" cannot be read`, v.Name))
	}
	return stmt.DML.(tree.Query)
}

// outlived says that another session has dropped or changed what a temporary view reads: that
// session sees nothing of the view, by which a view of the database would hinder it.
func outlived(v *catalog.View) *sqlerr.Error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `what temporary view "%s" reads was dropped or changed by another session`, v.Name).
		WithHint("DROP the view and create it again.")
}

// OfView gives a binder for the query of a view, whose owner's rights count there.
func (b *Binder) OfView(v *catalog.View) *Binder {
	inner := b.OfText()
	inner.as = v.Owner
	inner.views = append(b.views[:len(b.views):len(b.views)], v.ID)
	return inner
}

// ViewStatement parses the text of a view.
func ViewStatement(text string) (*tree.Statement, error) {
	stmts, err := dialect.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, sqlerr.Internal(nil, "a view's text is one query")
	}
	if _, ok := stmts[0].DML.(tree.Query); !ok {
		return nil, sqlerr.Internal(nil, "a view's text is a query")
	}
	return stmts[0], nil
}

func (b *Binder) bindDerived(p *scope.Place, f *tree.Derived) (logical.Node, *scope.Relation) {
	pos := b.Pos(f)
	r := b.BindQuery(p, f.Query, nil)
	rel := r.relation(f.Alias.Name)
	rel.Rename(f.Alias.Columns, pos)
	return r.Node, rel
}
