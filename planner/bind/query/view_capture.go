package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Capture keeps what a query's parts were bound to, by the nodes of its syntax, so that
// the query can be printed with every name resolved: see package viewtext. A binder has one
// while it binds the query of a view.
type Capture struct {
	Selects map[*tree.Select]*CapturedSelect
	Values  map[*tree.Values]*capturedValues
	SetOps  map[*tree.SetOp]*capturedSetOp
	Items   map[tree.From]*scope.Relation
	Reads   map[tree.From]catalog.Relation // what a TableRef names, unless it is a WITH query
	On      map[*tree.Join]expr.Expr
	Using   map[*tree.Join][]string
	Limits  map[tree.Expr]expr.Expr
	Funcs   map[*tree.FuncRef][]capturedFunc
	Joins   map[*tree.Join]*tree.Derived // those with an alias, as queries
	Samples map[*tree.TableRef]*plan.Sample
	Subs    map[*logical.Subquery]*capturedSub
	Marks   map[*tree.Cycle][]expr.Expr       // the two values of a cycle's mark
	Over    map[logical.ColumnID]*tree.Window // what a window function's call has behind OVER
	Windows map[*tree.NamedWindow]capturedWindow
}

func NewCapture() *Capture {
	return &Capture{
		Selects: map[*tree.Select]*CapturedSelect{}, Values: map[*tree.Values]*capturedValues{}, SetOps: map[*tree.SetOp]*capturedSetOp{},
		Items: map[tree.From]*scope.Relation{}, Reads: map[tree.From]catalog.Relation{}, On: map[*tree.Join]expr.Expr{},
		Using: map[*tree.Join][]string{}, Limits: map[tree.Expr]expr.Expr{}, Funcs: map[*tree.FuncRef][]capturedFunc{},
		Joins: map[*tree.Join]*tree.Derived{}, Samples: map[*tree.TableRef]*plan.Sample{},
		Subs: map[*logical.Subquery]*capturedSub{}, Marks: map[*tree.Cycle][]expr.Expr{},
		Over: map[logical.ColumnID]*tree.Window{}, Windows: map[*tree.NamedWindow]capturedWindow{},
	}
}

// CapturedSelect is a SELECT before grouping rewrites what stands above it.
type CapturedSelect struct {
	level *scope.Level
	Exprs []expr.Expr
	Names []string
	Where expr.Expr
	// Groups are what the parts of GROUP BY are written of: (a, b) is two.
	Groups    map[tree.Expr][]expr.Expr
	Having    expr.Expr
	Keys      []plan.SortKey
	On        []expr.Expr
	Aggs      scope.Aggs
	Groupings []scope.GroupingCall
	Windows   []*logical.Window
	Sets      []scope.SetItem
}

type capturedValues struct {
	Rows [][]expr.Expr
	Cols []scope.Column
	Keys []plan.SortKey
}

type capturedSetOp struct {
	Cols []scope.Column
	Keys []plan.SortKey
}

// capturedSub is a query in an expression: left op ANY (query) has all three.
type capturedSub struct {
	Query tree.Query
	Left  []expr.Expr
	Op    string
	All   bool
}

// capturedWindow is a definition of a WINDOW clause.
type capturedWindow struct {
	Partition []expr.Expr
	Order     []plan.SortKey
	Frame     plan.Frame
}

// capturedFunc is a function in FROM: one that gives rows, or an expression. Defs is its
// column definition list.
type capturedFunc struct {
	Name string
	Args []expr.Expr
	Expr expr.Expr
	Defs []types.Field
}

// sel keeps a SELECT. Everything that is rewritten later is copied.
func (c *Capture) sel(q *tree.Select, of CapturedSelect) {
	if c == nil {
		return
	}
	s := of // on the heap only where it is kept
	l := s.level
	s.Exprs, s.Names = slices.Clone(s.Exprs), slices.Clone(s.Names)
	s.Keys, s.On, s.Groupings = slices.Clone(s.Keys), slices.Clone(s.On), slices.Clone(l.Groupings)
	s.Aggs = scope.Aggs{Calls: slices.Clone(l.Aggs.Calls), IDs: slices.Clone(l.Aggs.IDs)}
	for _, w := range l.Windows.List {
		x := *w
		x.Partition, x.Order, x.Calls = slices.Clone(w.Partition), slices.Clone(w.Order), slices.Clone(w.Calls)
		for i := range x.Calls {
			x.Calls[i].Args = slices.Clone(x.Calls[i].Args)
		}
		s.Windows = append(s.Windows, &x)
	}
	for _, x := range l.Sets.List {
		item := *x
		item.Call.Args = slices.Clone(x.Call.Args)
		s.Sets = append(s.Sets, item)
	}
	c.Selects[q] = &s
}

func (c *Capture) sub(s *logical.Subquery, query tree.Query, left []expr.Expr, op string, all bool) {
	if c != nil {
		c.Subs[s] = &capturedSub{Query: query, Left: left, Op: op, All: all}
	}
}

// asQuery is a join with an alias as a query that has it: the text of a view must name the
// columns, of which the tables may get more.
func (c *Capture) asQuery(j *tree.Join) *tree.Derived {
	plain := *j
	plain.Alias = tree.Alias{}
	at := tree.Pos(j.Position())
	all := &tree.Select{Items: []tree.Item{{Pos: at, Star: true}}, From: []tree.From{&plain}}
	d := &tree.Derived{Pos: at, Lateral: true, Alias: j.Alias, Query: all}
	c.Joins[j] = d
	return d
}

// over keeps what stands behind OVER; of two calls that are one the first says it.
func (c *Capture) over(call expr.Expr, w *tree.Window) {
	if c == nil {
		return
	}
	if id := call.(*expr.Col).Index; c.Over[id] == nil {
		c.Over[id] = w
	}
}

func (c *Capture) window(def *tree.NamedWindow, spec *scope.WindowSpec, frame plan.Frame) {
	if c != nil {
		c.Windows[def] = capturedWindow{Partition: slices.Clone(spec.Partition), Order: slices.Clone(spec.Order), Frame: frame}
	}
}

func (c *Capture) function(f *tree.FuncRef, of capturedFunc) {
	if c != nil {
		c.Funcs[f] = append(c.Funcs[f], of)
	}
}

func (c *Capture) item(f tree.From, r *scope.Relation) {
	if c != nil {
		c.Items[f] = r
	}
}

// notInView refuses what a view's kept text does not say.
func (b *Binder) notInView(what string, pos int) {
	if b.Capture == nil {
		return
	}
	panic(sqlerr.Unsupported(what+" in a view is not supported", "Write it in the query that reads the view.").At(pos))
}
