package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindFrom binds a FROM clause: the node that gives its rows and their names.
func (b *binder) bindFrom(items []tree.From) (plan.Node, *scope, error) {
	switch len(items) {
	case 0:
		return &plan.OneRow{}, &scope{}, nil
	case 1:
	default:
		return nil, nil, joins(b.pos(items[1]))
	}
	var node plan.Node
	var rel *relation
	var err error
	switch f := items[0].(type) {
	case *tree.TableRef:
		node, rel, err = b.bindTableRef(f)
	case *tree.Derived:
		node, rel, err = b.bindDerived(f)
	case *tree.FuncRef:
		node, rel, err = b.bindFuncRef(f)
	default:
		err = joins(b.pos(items[0]))
	}
	if err != nil {
		return nil, nil, err
	}
	return node, &scope{rels: []*relation{rel}}, nil
}

func joins(pos int) error {
	return sqlerr.Unsupported("queries over more than one table are not supported",
		"Query one table at a time; = ANY($1) takes the keys that another query gave.").At(pos)
}

func (b *binder) bindTableRef(f *tree.TableRef) (plan.Node, *relation, error) {
	pos := b.pos(f)
	if f.Sample != nil {
		return nil, nil, sqlerr.Unsupported("TABLESAMPLE is not supported", "Filter by a range of the key.").At(pos)
	}
	if len(f.Dynamic) > 0 {
		return nil, nil, sqlerr.Unsupported("dynamic columns are not supported", "Add the column with ALTER TABLE … ADD.").At(pos)
	}
	if f.Schema == "" {
		if c := b.findCTE(f.Name); c != nil {
			return b.bindCTE(c, f.Alias, pos)
		}
	}
	rel, err := b.resolve(f.Schema, f.Name, pos)
	if err != nil {
		return nil, nil, err
	}
	switch t := rel.(type) {
	case *catalog.Table:
		b.uses(t)
		r := tableRelation(t, f.Alias.Name, 0)
		if err := r.rename(f.Alias.Columns, pos); err != nil {
			return nil, nil, err
		}
		return scanAll(t, f.Alias.Name), r, nil
	case *catalog.View:
		return b.bindView(t, f.Alias, pos)
	case *catalog.Sequence:
		return bindSequence(t, f.Alias, pos)
	}
	return nil, nil, sqlerr.Unsupported(`cannot read from `+rel.RelKind()+` "`+rel.RelName()+`"`, "Read a table or a view.").At(pos)
}

// bindSequence reads a sequence as the table of one row that it is in Postgres.
func bindSequence(q *catalog.Sequence, alias tree.Alias, pos int) (plan.Node, *relation, error) {
	fn := &plan.TableFunc{Name: q.Name}
	fn.Args = []expr.Expr{&expr.Const{Value: types.NewInt(int64(q.ID)), T: types.Of(types.Regclass)}}
	set, cols := expr.SequenceRow()
	fn.Set = set
	for _, c := range cols {
		fn.Cols = append(fn.Cols, plan.Column{Name: c.Name, Type: c.T})
	}
	name := alias.Name
	if name == "" {
		name = q.Name
	}
	rel := nodeRelation(fn, name)
	return fn, rel, rel.rename(alias.Columns, pos)
}

// scanAll reads every column of every row, gathered from all buckets.
func scanAll(t *catalog.Table, alias string) plan.Node {
	return gathered(&plan.Scan{Table: t, Alias: alias, Cols: allOf(t)})
}

func gathered(s *plan.Scan) plan.Node {
	if s.Table.Options.SaltBuckets > 0 {
		return &plan.SaltGather{Input: s}
	}
	return s
}

// bindView puts a view's query in the place of its name.
func (b *binder) bindView(v *catalog.View, alias tree.Alias, pos int) (plan.Node, *relation, error) {
	if slices.Contains(b.views, v.ID) {
		return nil, nil, sqlerr.New(sqlerr.WrongObjectType, `view "%s" refers to itself`, v.Name).At(pos)
	}
	if err := b.expand.enter(pos); err != nil {
		return nil, nil, err
	}
	defer b.expand.leave()
	stmts, err := dialect.Parse(v.Text)
	if err != nil || len(stmts) != 1 {
		return nil, nil, sqlerr.Internal(err, `the text of view "%s" cannot be read`, v.Name)
	}
	inner := b.ofStored()
	inner.views = append(b.views[:len(b.views):len(b.views)], v.ID)
	q, ok := stmts[0].DML.(tree.Query)
	if !ok {
		return nil, nil, sqlerr.Internal(nil, `the text of view "%s" is not a query`, v.Name)
	}
	node, err := inner.bindQuery(q, nil)
	b.tables = inner.tables
	if err != nil {
		return nil, nil, err
	}
	rel := nodeRelation(node, v.Name)
	rel.schema = v.Schema
	names := make([]string, 0, len(v.Columns))
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	if err := rel.rename(names, pos); err != nil {
		return nil, nil, err
	}
	if alias.Name != "" {
		rel.name, rel.schema, rel.real = alias.Name, "", v.Name
	}
	return node, rel, rel.rename(alias.Columns, pos)
}

func (b *binder) bindDerived(f *tree.Derived) (plan.Node, *relation, error) {
	pos := b.pos(f)
	node, err := b.bindQuery(f.Query, nil)
	if err != nil {
		return nil, nil, err
	}
	rel := nodeRelation(node, f.Alias.Name)
	return node, rel, rel.rename(f.Alias.Columns, pos)
}
