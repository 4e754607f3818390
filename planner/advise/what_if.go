package advise

import (
	"math"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// whatIfID is the ID of an index that advice tries out.
const whatIfID = math.MaxUint32

// candidate is an index that might serve a scan.
type candidate struct {
	table   *catalog.Table
	columns []int // of table.Columns
	desc    []bool
	include []int
	least   float64 // rows that the scan gives, as far as that is known
}

func (c *candidate) add(col int, desc bool) {
	if !slices.Contains(c.columns, col) {
		c.columns, c.desc = append(c.columns, col), append(c.desc, desc)
	}
}

func (c *candidate) same(o *candidate) bool {
	return c.table == o.table && slices.Equal(c.columns, o.columns) && slices.Equal(c.desc, o.desc)
}

// text prints the parts as CREATE INDEX takes them.
func (c *candidate) text() string {
	parts := make([]string, len(c.columns))
	for i, col := range c.columns {
		parts[i] = ident.Quote(c.table.Columns[col].Name)
		if c.desc[i] {
			parts[i] += " DESC"
		}
	}
	text := "(" + strings.Join(parts, ", ") + ")"
	if len(c.include) == 0 {
		return text
	}
	names := make([]string, len(c.include))
	for i, col := range c.include {
		names[i] = ident.Quote(c.table.Columns[col].Name)
	}
	return text + " INCLUDE (" + strings.Join(names, ", ") + ")"
}

// build gives the table as if it had the index.
func (c *candidate) build() (*catalog.Table, error) {
	def := catalog.IndexDef{Name: c.table.Name + " what if"}
	for i, col := range c.columns {
		def.Parts = append(def.Parts, catalog.IndexPartDef{Column: c.table.Columns[col].Name, Desc: c.desc[i]})
	}
	for _, col := range c.include {
		def.Include = append(def.Include, c.table.Columns[col].Name)
	}
	ix, err := def.Build(c.table)
	if err != nil {
		return nil, err
	}
	ix.ID, ix.State, ix.Physical = whatIfID, catalog.IndexPublic, def.Name
	t := c.table.Clone()
	t.Indexes = append(slices.Clone(t.Indexes), ix)
	return t, t.Finish()
}

// whatIfCatalog is one in which some tables are others, by their IDs.
type whatIfCatalog struct {
	planner.Catalog
	tables map[uint32]*catalog.Table
}

func (w *whatIfCatalog) swap(r catalog.Relation) catalog.Relation {
	if t, ok := r.(*catalog.Table); ok && w.tables[t.ID] != nil {
		return w.tables[t.ID]
	}
	return r
}

// Resolve implements Catalog.
func (w *whatIfCatalog) Resolve(path []string, schema, name string) (catalog.Relation, error) {
	r, err := w.Catalog.Resolve(path, schema, name)
	return w.swap(r), err
}

// ByID implements Catalog.
func (w *whatIfCatalog) ByID(id uint32) catalog.Relation { return w.swap(w.Catalog.ByID(id)) }

// Member implements Catalog.
func (w *whatIfCatalog) Member(id uint32) catalog.Relation { return w.swap(w.Catalog.Member(id)) }

// whatIfEstimator knows of indexes that do not exist what is known of their tables, by the
// indexes' IDs. least is how many rows the scan gives that the index would serve, which no index
// makes fewer; 0 where that is not known.
type whatIfEstimator struct {
	estimate.Estimator
	of    map[uint32]*catalog.Table
	least float64
}

// TableRows implements Estimator.
func (w *whatIfEstimator) TableRows(t *catalog.Table) (int64, bool) {
	if of := w.of[t.ID]; of != nil {
		t = of
	}
	return w.Estimator.TableRows(t)
}

// Spread implements Estimator.
func (w *whatIfEstimator) Spread(t *catalog.Table, cond *plan.KeyCond, equal int, env *expr.Env) (histogram.Spread, bool) {
	of := w.of[t.ID]
	if of == nil {
		return w.Estimator.Spread(t, cond, equal, env)
	}
	known, ok := w.Estimator.TableRows(of)
	if !ok {
		return histogram.Spread{}, false
	}
	n := max(float64(known), 1)
	keys := len(t.PrimaryKey)
	sp := histogram.Spread{Rows: n, Runs: make([]float64, keys+1), Distinct: make([]float64, keys+1)}
	sp.Distinct[0] = 1
	for k, col := range t.PrimaryKey {
		values := 100.0 / estimate.PercentEq
		if c := w.Column(t, t.Columns[col].ID); c != nil && c.Values(n) > 0 {
			values = c.Values(n)
		}
		sp.Distinct[k+1] = min(sp.Distinct[k]*values, n)
	}
	if cond != nil {
		sp.Rows = 0
		for i := range cond.Or {
			sp.Rows += w.conj(t, n, &cond.Or[i], sp.Distinct, env)
		}
		sp.Rows = min(max(sp.Rows, w.least, 1), n)
	}
	sp.Runs[0] = float64(max(t.Buckets(), 1))
	for k := range keys {
		sp.Runs[k+1] = min(sp.Distinct[k+1]*sp.Runs[0], sp.Rows)
	}
	return sp, true
}

// conj is what a conjunction lets through of n rows of t, an index, whose key prefixes have so
// many values: where a term's value is known, by what is known of its column.
func (w *whatIfEstimator) conj(t *catalog.Table, n float64, c *plan.KeyConj, distinct []float64, env *expr.Env) float64 {
	by := estimate.Known{Estimator: w, Env: env}
	rows, ranges := n, map[int]estimate.Range{}
	for i := range c.Terms {
		term := &c.Terms[i]
		col := term.Columns[0]
		known := w.Column(t, t.Columns[t.PrimaryKey[col]].ID)
		if r, ok := estimate.KeyRange(by, known, term); ok {
			if o, ok := ranges[col]; ok {
				r = r.And(o)
			}
			ranges[col] = r
			continue
		}
		one := distinct[col] / distinct[term.Columns[len(term.Columns)-1]+1]
		switch term.Op {
		case plan.KeyEq:
			if part, ok := estimate.KeyEqual(by, known, rows, term.Args[0]); ok {
				one = part
			}
			n *= one
		case plan.KeyIn, plan.KeyTupleIn:
			n *= min(one*float64(len(term.Args)/len(term.Columns)), 1)
		case plan.KeyInArray:
			n *= min(one*estimate.ManyValues, 1)
		case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
		default:
			n = estimate.PartOf(n, estimate.PercentRange)
		}
	}
	for _, r := range ranges {
		n *= r.Part()
	}
	return n
}

// Part implements Estimator.
func (w *whatIfEstimator) Part(t *catalog.Table, cond, also *plan.KeyCond, from int, env *expr.Env) (float64, bool) {
	if w.of[t.ID] != nil {
		return 0, false
	}
	return w.Estimator.Part(t, cond, also, from, env)
}

// Column implements Estimator.
func (w *whatIfEstimator) Column(t *catalog.Table, id int) *colstats.Column {
	if of := w.of[t.ID]; of != nil {
		t = of
	}
	return w.Estimator.Column(t, id)
}

// WithIndexes is ctx where tables are as given: those of its catalog, with indexes more, of which
// catalog.Hypothetical says that they do not exist. What it plans can be shown, and not run.
func WithIndexes(ctx *planner.Context, tables []*catalog.Table) *planner.Context {
	q := *ctx
	in := &whatIfCatalog{ctx.Catalog, map[uint32]*catalog.Table{}}
	if ctx.Stored != nil {
		q.Stored = &whatIfCatalog{ctx.Stored, in.tables}
	}
	of := map[uint32]*catalog.Table{}
	for _, t := range tables {
		in.tables[t.ID] = t
		for i := range t.Indexes {
			if id := t.Indexes[i].ID; catalog.Hypothetical(id) {
				of[id] = t
			}
		}
	}
	q.Catalog = in
	if ctx.Estimator != nil {
		q.Estimator = &whatIfEstimator{Estimator: ctx.Estimator, of: of}
	}
	return &q
}

// whatIfContext is ctx where a table is as candidate c makes it.
func whatIfContext(ctx *planner.Context, c *candidate, t *catalog.Table, p *plan.Plan) *planner.Context {
	q := WithIndexes(ctx, []*catalog.Table{t})
	q.Notice, q.Options.Fired, q.ParamTypes = nil, nil, p.ParamTypes
	if e, ok := q.Estimator.(*whatIfEstimator); ok {
		e.least = c.least
	}
	return q
}

// whatIf gives what a statement costs as if there were an index, and the rows that it reads; ok
// is false where the plan does not read it.
func whatIf(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan, c *candidate) (cost, reads float64, ok bool) {
	t, err := c.build()
	if err != nil {
		return 0, 0, false
	}
	q := whatIfContext(ctx, c, t, p)
	then, err := planner.Plan(q, stmt)
	if err != nil || !readsTable(then.Root, whatIfID) {
		return 0, 0, false
	}
	return estimate.Cost(q.Known(), then.Root), estimate.Reads(q.Known(), then.Root), true
}

func readsTable(n plan.Node, id uint32) bool {
	if s, ok := walk.ScanUnder(n); ok {
		return s.Table.ID == id
	}
	if l, ok := n.(*plan.LookupJoin); ok && l.Right.Table.ID == id {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), func(in plan.Node) bool { return readsTable(in, id) })
}
