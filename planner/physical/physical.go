package physical

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Path is what reading a table under conditions costs.
type Path struct {
	Rows float64 // given
	Read float64 // read from the store
	// Spans is how many places of the table are sought, over all buckets.
	Spans float64
	// Narrow says that the conditions leave a part of the key's range.
	Narrow bool
}

// Access tells of tables. It answers at once, from what is known.
type Access interface {
	// Scan is about reading a table under conditions. Columns that are not the table's
	// stand for values that are known when it is read.
	Scan(get *logical.Get, conds []expr.Expr) Path
	// Indexes are those, of columns alone, by which a table may be read under conditions of
	// its own: they have all rows that satisfy these.
	Indexes(get *logical.Get, own []expr.Expr) []*catalog.Index
	// Ordered says that a table under conditions of its own is read in an order without sorting.
	Ordered(get *logical.Get, own []expr.Expr, keys []plan.SortKey) bool
	// ByIndex is about reading a table by one of its indexes, each row that it leads to by key.
	ByIndex(get *logical.Get, ix *catalog.Index, conds []expr.Expr) Path
	// Rows is how many rows a table has.
	Rows(get *logical.Get) float64
	// Distinct is how many values a column of a table has.
	Distinct(get *logical.Get, col logical.ColumnID) float64
	// SeekRows is how many rows are read in the time of one seek.
	SeekRows() float64
}

// Options are what physical may know.
type Options struct {
	Access Access
	// Disabled says that a rule is switched off; nil is none.
	Disabled func(rule string) bool
	// Fired, if not nil, is called with the name of each rule that decided something.
	Fired func(rule string)
	// AsWritten keeps the order in which the statement joins.
	AsWritten bool
	// MergeJoins has every join of two sides by an equality sort and merge them.
	MergeJoins bool
	// Considered, if not nil, is given the number of pairs that were compared, and of paths that
	// Access was asked about for them.
	Considered func(pairs, paths int)
}

// The rules, by which tests switch parts off.
const (
	ruleJoinOrder  = "join_order"
	ruleJoinMethod = "join_method"
	ruleFirstRows  = "first_rows"
)

// RuleNames lists the rules, for tests.
func RuleNames() []string { return []string{ruleJoinOrder, ruleJoinMethod, ruleFirstRows} }

func (o *Options) on(rule string) bool { return o.Disabled == nil || !o.Disabled(rule) }

func (o *Options) fired(rule string) {
	if o.Fired != nil {
		o.Fired(rule)
	}
}

// Statement orders the joins of a statement and says how each is done.
func Statement(s *logical.Statement, o Options) (*logical.Statement, Choices) {
	if !hasJoin(s.Root) || o.Access == nil {
		return s, nil
	}
	c := &chooser{o: o, meta: s.Meta, facts: logical.NewFacts(s.Meta), choices: Choices{}, rows: map[logical.Node]float64{}, costs: map[logical.Node]float64{},
		paths: map[pathKey]Path{}, readers: map[readerKey]readers{}, conds: map[expr.Expr]*condition{}, indexes: map[logical.Node][]*catalog.Index{}, runs: 1}
	root := c.node(s.Root)
	if o.Considered != nil {
		o.Considered(c.pairs, c.asked)
	}
	if root == s.Root {
		return s, c.choices
	}
	out := *s
	out.Root = root
	return &out, c.choices
}

func hasJoin(n logical.Node) bool {
	if _, ok := n.(*logical.Join); ok {
		return true
	}
	for _, in := range n.Inputs() {
		if hasJoin(in) {
			return true
		}
	}
	return false
}

// chooser is the work on one statement.
type chooser struct {
	o       Options
	meta    *logical.Meta
	facts   *logical.Facts
	choices Choices
	rows    map[logical.Node]float64
	costs   map[logical.Node]float64
	pairs   int
	withs   map[int]float64 // rows of WITH queries
	paths   map[pathKey]Path
	readers map[readerKey]readers
	conds   map[expr.Expr]*condition
	indexes map[logical.Node][]*catalog.Index // of leaves
	asked   int                               // how often Access was asked for a path
	// runs is how often the tree that is being chosen for is run: for each row of an Apply's left
	// side, or each round of a recursive query, whose IDs are rounds.
	runs   float64
	rounds []int
	// first is what is wanted of the node to be chosen for next; nil is all its rows.
	first *firstWanted
}

// node chooses for every join in a tree.
func (c *chooser) node(n logical.Node) logical.Node {
	if j, ok := n.(*logical.Join); ok {
		return c.joins(j)
	}
	first := c.first.below(n)
	c.first = nil
	ins := n.Inputs()
	if len(ins) == 0 {
		return n
	}
	out := make([]logical.Node, len(ins))
	for i, in := range ins {
		if r, ok := n.(*logical.RecursiveUnion); ok && i == 1 {
			c.rounds = append(c.rounds, r.ID)
			out[i] = c.again(in, roundsGuessed)
			c.rounds = c.rounds[:len(c.rounds)-1]
		} else {
			c.first = first
			out[i] = c.node(in)
		}
		if cols := in.Out(); byPosition(n) && !sameCols(out[i].Out(), cols) {
			out[i] = &logical.Project{Input: out[i], Exprs: c.meta.Refs(cols), Cols: cols}
		}
	}
	if w, ok := n.(*logical.With); ok {
		c.noteWith(w.ID, out[0])
	}
	return logical.WithInputs(n, out)
}

// again is node of a tree that is run so many times.
func (c *chooser) again(n logical.Node, times float64) logical.Node {
	saved := c.runs
	c.runs *= max(times, 1)
	defer func() { c.runs = saved }()
	return c.node(n)
}

// sameEachRun says that a tree gives the same rows in every run: it names no column from
// around it, and no rows of the round before.
func (c *chooser) sameEachRun(n logical.Node) bool {
	return c.facts.Of(n).Free.Empty() && !c.readsRound(n)
}

func (c *chooser) readsRound(n logical.Node) bool {
	if r, ok := n.(*logical.WithRef); ok {
		return slices.Contains(c.rounds, r.ID)
	}
	return len(c.rounds) > 0 && slices.ContainsFunc(n.Inputs(), c.readsRound)
}

func byPosition(n logical.Node) bool {
	switch n.(type) {
	case *logical.Union, *logical.SetOp, *logical.RecursiveUnion, *logical.Write, *logical.With:
		return true
	}
	return false
}

func sameCols(a, b []logical.ColumnID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// reorders says that a join may change places with others.
func reorders(j *logical.Join) bool {
	if j.Apply {
		return false
	}
	switch j.Kind {
	case plan.Inner, plan.Left, plan.Semi, plan.Anti, plan.Full:
	default:
		return false
	}
	return !volatileJoin(j)
}

func volatileJoin(j *logical.Join) bool {
	return j.On != nil && logical.VolatileExpr(j.On) || j.Cond != nil && logical.VolatileExpr(j.Cond)
}

// joins chooses for a join and those right below it, which are one group.
func (c *chooser) joins(j *logical.Join) logical.Node {
	first := c.first
	c.first = nil
	if !reorders(j) || c.o.AsWritten || !c.o.on(ruleJoinOrder) {
		return c.asWritten(j)
	}
	g := c.collect(j)
	if g == nil {
		return c.asWritten(j)
	}
	return c.order(g, first)
}

// asWritten keeps a join's sides where they are, and chooses how it is done.
func (c *chooser) asWritten(j *logical.Join) logical.Node {
	left, right := c.node(j.Left), logical.Node(nil)
	if j.Apply {
		right = c.again(j.Right, c.estimate(left))
	} else {
		right = c.node(j.Right)
	}
	n := logical.WithInputs(j, []logical.Node{left, right}).(*logical.Join)
	if n.Apply || !c.o.on(ruleJoinMethod) {
		return n
	}
	return c.build(c.bestJoin(c.sub(n.Left), c.sub(n.Right), candidate{kind: n.Kind, on: logical.Conjuncts(n.On), cond: n.Cond, mark: n.Mark, rows: c.estimate(n)}))
}
