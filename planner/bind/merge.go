package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
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

// merge is MERGE while it is bound. The source's rows are joined with the target's once, and
// it is said for each which WHEN clause is due; each clause that writes then is a write of
// those rows, as of a WITH query that is read several times:
//
//	With m: source left join target, action    With: write of m where action = 1    With: …
//
// The rows of m are those as the statement finds them. All is committed together.
type merge struct {
	*change
	source *scope.Scope
	on     expr.Expr
	due    []expr.Expr  // per clause: when it is due, of the clauses before it too
	action scope.Column // of m: the number of the clause that is due; 0 is none
	id     int          // of m
	node   logical.Node
}

// bindMerge binds MERGE.
func (b writer) bindMerge(v *tree.Merge) *logical.Statement {
	b.BindWith(nil, v.With)
	m := &merge{}
	rel := b.Resolve(v.Table.Schema, v.Table.Name, b.Pos(v.Table))
	if rel.RelKind() == "materialized view" {
		panic(sqlerr.New(sqlerr.FeatureNotSupported, `cannot execute MERGE on relation "%s"`, rel.RelName()).
			WithDetail("This operation is not supported for materialized views.").At(b.Pos(v.Table)))
	}
	m.change = b.newChange(&v.Table, updates, nil, nil)
	if m.view != nil {
		panic(sqlerr.New(sqlerr.FeatureNotSupported, `cannot execute MERGE on relation "%s"`, m.view.View.Name).
			WithDetail("This operation is not supported for views.").At(b.Pos(v.Table)))
	}
	m.rel.NoCells("MERGE")
	m.join(v)
	m.choose(v)
	var body logical.Node = &logical.Values{}
	for i := range v.Whens {
		w := m.clause(i, &v.Whens[i])
		if w != nil {
			// The first of them is the first to be run.
			body = &logical.With{ID: b.Meta.NewWith(), Name: "when", Query: w, Body: body, Writes: true}
		}
	}
	_, writes := body.(*logical.With)
	if !writes {
		m.rel.Right.Rights |= acl.Select // DO NOTHING alone needs the right to look
	}
	body = reversed(body)
	return &logical.Statement{Root: &logical.With{ID: m.id, Name: "merge", Query: m.node, Body: body}, Tag: "MERGE", ReadOnly: !writes}
}

// reversed turns a chain of WITH queries: what is run at the end of a statement is run
// from the innermost on.
func reversed(n logical.Node) logical.Node {
	var chain []*logical.With
	for {
		w, ok := n.(*logical.With)
		if !ok {
			break
		}
		chain, n = append(chain, w), w.Body
	}
	for _, w := range chain {
		c := *w
		c.Body = n
		n = &c
	}
	return n
}

// join binds the source and the condition.
func (m *merge) join(v *tree.Merge) {
	l := scope.NewLevel(nil)
	l.Scope = &scope.Scope{Unseen: []*scope.Relation{m.rel}}
	source := m.BindFrom(l, []tree.From{v.Source})
	m.source = l.Scope
	if err := fail.Try(func() { query.NoSameNames(scope.ScopeOf(m.rel), m.source) }); err != nil {
		e := sqlerr.As(err)
		panic(sqlerr.New(e.Code, `name "%s" specified more than once`, m.rel.Name).
			WithDetail("The name is used both as MERGE target table and data source.").At(m.Pos(v.Table)))
	}
	m.level.Scope = &scope.Scope{Rels: append([]*scope.Relation{m.rel}, m.source.Rels...), Cols: append(slices.Clip(m.rel.Cols), m.source.Cols...)}
	m.on = m.BoolExpr(m.place("JOIN/ON"), v.On)
	kind := plan.Inner
	for i := range v.Whens {
		if !v.Whens[i].Matched {
			kind = plan.Left
		}
	}
	m.node = &logical.Join{Kind: kind, Left: source, Right: m.get, On: m.on}
}

// choose computes which clause is due for each row.
func (m *merge) choose(v *tree.Merge) {
	matched := fail.Must(expr.MakeNot(m.isUnmatched(), 0))
	var whens []expr.When
	var always [2]bool // an unconditional clause has come, of each kind
	for i := range v.Whens {
		w := &v.Whens[i]
		kind := 0
		conds := []expr.Expr{m.isUnmatched()}
		if w.Matched {
			kind, conds = 1, []expr.Expr{matched}
		}
		if always[kind] {
			panic(sqlerr.New(sqlerr.SyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause").At(m.Pos(w)))
		}
		if w.Cond == nil {
			always[kind] = true
		} else {
			c := m.Expr(m.whenPlace(w, "MERGE WHEN conditions"), w.Cond)
			c = fail.Must(expr.ResolveBool(c, "WHEN"))
			conds = append(conds, c)
		}
		m.due = append(m.due, logical.AndAll(conds))
		whens = append(whens, expr.When{Cond: m.due[i], Then: number(i + 1)})
	}
	which := fail.Must(expr.MakeCase(nil, whens, number(0), 0))
	m.action = scope.Column{Name: "action", T: types.Of(types.Int4)}
	m.action.ID = m.Meta.Add(logical.Column{Name: m.action.Name, Type: m.action.T})
	out := m.node.Out()
	m.node = &logical.Project{Input: m.node, Exprs: append(m.Meta.Refs(out), which), Cols: append(slices.Clone(out), m.action.ID)}
	m.id = m.Meta.NewWith()
}

func number(i int) expr.Expr {
	return &expr.Const{Value: types.NewInt(int64(i)), T: types.Of(types.Int4)}
}

// isUnmatched says that a row of the source has no row of the target.
func (m *merge) isUnmatched() expr.Expr { return &expr.IsNull{X: m.Meta.Ref(m.get.Key)} }

// whenPlace is where an expression of a clause stands: one for rows that are not matched names
// the source alone.
func (m *merge) whenPlace(w *tree.MergeWhen, clause string) *scope.Place {
	if w.Matched {
		return m.place(clause)
	}
	l := scope.NewLevel(nil)
	l.Scope = &scope.Scope{Rels: m.source.Rels, Cols: m.source.Cols, Unseen: []*scope.Relation{m.rel}}
	return &scope.Place{Level: l, Clause: clause}
}

// clause gives the write of a clause; nil for DO NOTHING.
func (m *merge) clause(i int, w *tree.MergeWhen) logical.Node {
	if w.Action == tree.MergeNothing {
		return nil
	}
	// The rows of m under their own IDs: of several reads of it, each node stands for itself.
	rows := &logical.Select{Input: &logical.WithRef{ID: m.id, Name: "merge", Cols: m.node.Out()}}
	rows.Cond = fail.Must(expr.ResolveOp("=", m.action.Ref(0), number(i+1), 0))
	if w.Action == tree.MergeInsert {
		return m.insert(rows, w)
	}
	// Whether a row that has changed is still for this clause is asked of ON and the conditions
	// of the clauses up to this one.
	c := *m.change
	c.merge, c.ids, c.exprs, c.rows, c.again = rows, nil, nil, nil, plan.Again{Merge: true}
	still := append(logical.Conjuncts(m.on), logical.Conjuncts(m.due[i])...)
	for _, before := range m.due[:i] {
		not := fail.Must(expr.MakeNot(before, 0))
		// What is unknown is not due either.
		not = fail.Must(expr.MakeIsTest(not, "false", true, 0))
		still = append(still, not)
	}
	c.cond = logical.AndAll(still)
	if w.Action == tree.MergeDelete {
		m.Right(m.table, acl.Delete)
		n := &plan.Delete{Table: m.table, Mode: plan.ReadFirst}
		var in logical.Node
		in, n.Cond, n.Again = c.input(nil, nil)
		return &logical.Write{Plan: n, Input: in}
	}
	n := &plan.Update{Table: m.table, Mode: plan.ReadFirst}
	n.Set = m.bindSet(m.table, c.rel, w.Set, c.setPlace())
	m.WritesColumns(m.table, acl.Update, query.SetPlaces(n.Set))
	for _, s := range n.Set {
		n.MovesKey = n.MovesKey || m.table.Columns[s.Column].KeyPos >= 0
	}
	n.RowRules = m.bindRules(m.table, n.Set)
	var in logical.Node
	in, n.Cond, n.Again = c.input(n.Set, nil)
	return &logical.Write{Plan: n, Input: in}
}

// insert gives the write of WHEN NOT MATCHED THEN INSERT.
func (m *merge) insert(rows logical.Node, w *tree.MergeWhen) logical.Node {
	b, t, v := m.writer, m.table, w.Insert
	src := &rowSource{writer: b, table: t, overriding: v.Overriding, listed: v.Columns != nil, targets: v.Columns}
	src.cols = b.targetColumns(t, v.Columns, true)
	src.subscripts = m.whenPlace(w, "INSERT")
	given := src.row()
	if v.DefaultValues {
		b.WritesColumns(t, acl.Insert, nil)
	} else {
		row := v.Rows[0]
		b.WritesColumns(t, acl.Insert, src.cols[:min(len(row), len(src.cols))])
		src.fits(len(row), b.Pos(row[min(len(src.cols), len(row)-1)]))
		p := m.whenPlace(w, "VALUES")
		for i, n := range row {
			src.value(p, given, i, n)
		}
	}
	n := &plan.Insert{Table: t, Mode: plan.CheckAbsent}
	exprs := src.complete(given, allOf(t))
	n.RowRules = b.bindRules(t, nil)
	in := &logical.Project{Input: rows, Exprs: exprs, Cols: src.columns(allOf(t))}
	return &logical.Write{Plan: n, Input: in}
}
