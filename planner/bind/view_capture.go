package bind

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// capture keeps what a query's parts were bound to, by the nodes of its syntax, so that
// the query can be printed with every name resolved: see viewPrinter. A binder has one
// while it binds the query of a view.
type capture struct {
	selects map[*tree.Select]*capturedSelect
	values  map[*tree.Values]*capturedValues
	setOps  map[*tree.SetOp]*capturedSetOp
	items   map[tree.From]*relation
	reads   map[tree.From]catalog.Relation // what a TableRef names, unless it is a WITH query
	on      map[*tree.Join]expr.Expr
	using   map[*tree.Join][]string
	limits  map[tree.Expr]expr.Expr
	funcs   map[*tree.FuncRef]*capturedFunc
	subs    map[*logical.Subquery]*capturedSub
}

func newCapture() *capture {
	return &capture{
		selects: map[*tree.Select]*capturedSelect{}, values: map[*tree.Values]*capturedValues{}, setOps: map[*tree.SetOp]*capturedSetOp{},
		items: map[tree.From]*relation{}, reads: map[tree.From]catalog.Relation{}, on: map[*tree.Join]expr.Expr{},
		using: map[*tree.Join][]string{}, limits: map[tree.Expr]expr.Expr{}, funcs: map[*tree.FuncRef]*capturedFunc{},
		subs: map[*logical.Subquery]*capturedSub{},
	}
}

// capturedSelect is a SELECT before grouping rewrites what stands above it.
type capturedSelect struct {
	level   *level
	exprs   []expr.Expr
	names   []string
	where   expr.Expr
	groups  []expr.Expr
	having  expr.Expr
	keys    []plan.SortKey
	on      []expr.Expr
	aggs    aggs
	windows []*logical.Window
	sets    []setItem
}

type capturedValues struct {
	rows [][]expr.Expr
	cols []column
	keys []plan.SortKey
}

type capturedSetOp struct {
	cols []column
	keys []plan.SortKey
}

// capturedSub is a query in an expression: left op ANY (query) has all three.
type capturedSub struct {
	query tree.Query
	left  []expr.Expr
	op    string
	all   bool
}

// capturedFunc is a function in FROM: one that gives rows, or an expression.
type capturedFunc struct {
	name string
	args []expr.Expr
	expr expr.Expr
}

// sel keeps a SELECT. Everything that is rewritten later is copied.
func (c *capture) sel(q *tree.Select, s capturedSelect) error {
	if c == nil {
		return nil
	}
	for i := range q.GroupBy {
		if q.GroupBy[i].Kind != tree.GroupExpr {
			return sqlerr.Unsupported("GROUPING SETS, CUBE and ROLLUP in a view are not supported", "Write one view for each grouping, and a UNION ALL of them.")
		}
	}
	l := s.level
	s.exprs, s.names = slices.Clone(s.exprs), slices.Clone(s.names)
	s.keys, s.on, s.groups = slices.Clone(s.keys), slices.Clone(s.on), slices.Clone(s.groups)
	s.aggs = aggs{calls: slices.Clone(l.aggs.calls), ids: slices.Clone(l.aggs.ids)}
	for _, w := range l.windows.list {
		x := *w
		x.Partition, x.Order, x.Calls = slices.Clone(w.Partition), slices.Clone(w.Order), slices.Clone(w.Calls)
		for i := range x.Calls {
			x.Calls[i].Args = slices.Clone(x.Calls[i].Args)
		}
		s.windows = append(s.windows, &x)
	}
	for _, x := range l.sets.list {
		item := *x
		item.call.Args = slices.Clone(x.call.Args)
		s.sets = append(s.sets, item)
	}
	c.selects[q] = &s
	return nil
}

func (c *capture) sub(s *logical.Subquery, query tree.Query, left []expr.Expr, op string, all bool) {
	if c != nil {
		c.subs[s] = &capturedSub{query: query, left: left, op: op, all: all}
	}
}

func (c *capture) item(f tree.From, r *relation) {
	if c != nil {
		c.items[f] = r
	}
}
