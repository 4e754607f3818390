package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Advice is one thing that a plan does because of a table's key, and what would spare it.
type Advice struct {
	Problem string
	// Cure says what to write instead; DDL is the statement, if one helps.
	Cure string
	DDL  string

	table *catalog.Table // that an index is advised for
}

// For looks for what a key makes expensive: full scans, filters on columns that the key
// does not serve, buckets that are read because SALT_COLUMNS are not bound, and sorts that
// another key would spare. It gives nothing for a plan that reads what it must, nor, where
// that is known, for little of a large table. Where an index would serve the statement, which
// is that of the plan, the index is named and what another key would do is not; stmt may be nil.
func For(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan) []Advice {
	a := &adviser{ctx: ctx, plan: p}
	if stmt != nil && !ctx.Options.DisableAllRules {
		a.list = indexAdvice(ctx, stmt, p)
	}
	for i := range a.list {
		a.indexed = append(a.indexed, a.list[i].table.ID)
	}
	a.visit(p.Root, nil)
	return a.list
}

// FullScans names the tables that a plan reads whole: without a key condition, and without a
// LIMIT that ends the scan.
func FullScans(p *plan.Plan) []string {
	var names []string
	var visit func(n plan.Node)
	visit = func(n plan.Node) {
		if s, ok := walk.ScanUnder(n); ok {
			of := s.Table
			if s.Of != nil {
				of = s.Of
			}
			if isWhole(s) && !slices.Contains(names, of.Name) {
				names = append(names, of.Name)
			}
			return
		}
		for _, in := range n.Inputs() {
			visit(in)
		}
	}
	visit(p.Root)
	return names
}

func isWhole(s *plan.Scan) bool {
	return s.Access == plan.FullScan && (s.Limit == nil || s.Filter != nil)
}

type adviser struct {
	ctx     *planner.Context
	plan    *plan.Plan
	list    []Advice
	indexed []uint32            // tables that indexes are advised for
	told    []*plan.Scan        // of which a join's advice speaks
	rowsOf  map[plan.Node]int64 // see estimates
}

// visit looks at a plan from the top: sort is the order that something above wants of
// n and has to make itself.
func (a *adviser) visit(n plan.Node, sort []plan.SortKey) {
	if s, ok := walk.ScanUnder(n); ok {
		a.scan(s, sort)
		return
	}
	switch n := n.(type) {
	case *plan.Sort:
		sort = n.Keys
	case *plan.TopN:
		sort = n.Keys
	case *plan.Project:
		sort = keysThrough(sort, n)
	case *plan.Filter, *plan.Limit:
	case *plan.HashJoin, *plan.MergeJoin:
		j := plan.AsJoin(n)
		a.join(j.Kind, j.Left, j.Right, j.Keys)
		sort = nil
	default:
		sort = nil
	}
	for _, in := range n.Inputs() {
		a.visit(in, sort)
	}
}

func keysThrough(keys []plan.SortKey, p *plan.Project) []plan.SortKey {
	below, ok := keyorder.Ordering{Keys: keys}.Through(p)
	if !ok {
		return nil
	}
	return below.Keys
}

func (a *adviser) scan(s *plan.Scan, sort []plan.SortKey) {
	if s.Distinct > 0 || s.Of != nil || slices.Contains(a.told, s) {
		return
	}
	if slices.Contains(a.indexed, s.Table.ID) {
		if !isWhole(s) {
			a.buckets(s)
		}
		return
	}
	whole := isWhole(s) || s.Skip != nil
	rows, ok := a.spanRows(s)
	little := ok && !whole && rows <= estimate.FewRows
	switch {
	case whole:
		a.unbound(s)
	case !little && a.filtered(s):
	case ok && rows >= float64(s.Table.Buckets())*a.ctx.Estimator.SeekRows():
		// Each bucket gives so many rows that going to it does not matter, and they are read
		// in parallel.
	default:
		a.buckets(s)
	}
	if !little {
		a.sort(s, sort)
	}
}

// spanRows is how many rows a scan of a table that is not small reads.
func (a *adviser) spanRows(s *plan.Scan) (float64, bool) {
	if n, ok := a.rows(s.Table); !ok || n <= estimate.FewRows {
		return 0, false
	}
	sp, ok := estimate.KeySpread(a.ctx.Known(), s)
	return sp.Rows, ok
}

// unbound is about a scan that the key does not narrow.
func (a *adviser) unbound(s *plan.Scan) {
	t := s.Table
	first := t.Columns[t.PrimaryKey[0]].Name
	how := "every row of " + t.Name + " is read"
	if rows, ok := a.rows(t); ok {
		how += fmt.Sprintf(", about %d", rows)
		if rows <= estimate.FewRows {
			how += " (too few to matter yet)"
		}
	}
	if s.Skip != nil {
		how = fmt.Sprintf("%s is sought once for each value of %s", t.Name, columnList(t, t.PrimaryKey[:s.SkipFrom]))
	}
	if s.Filter == nil {
		a.add(Advice{Problem: how + ".", Cure: "Bind " + first + ", the first column of the key, or add a LIMIT."})
		return
	}
	if rows, ok := a.rows(t); ok && given(a.ctx, s) > float64(rows)/2 {
		a.add(Advice{Problem: fmt.Sprintf("%s, and most of them pass the filter: %s.", how, keycond.Text(s.Filter, true)),
			Cure: "No index makes that less. Ask for fewer rows, or add a LIMIT."})
		return
	}
	cols, desc := a.keyFor(s, nil)
	adv := Advice{Problem: fmt.Sprintf("%s, for the filter does not bind %s, the first column of the key: %s.", how, first, keycond.Text(s.Filter, true))}
	if len(cols) == 0 {
		adv.Cure = "Compare " + first + " with a value or a range."
	} else {
		adv.Cure = "If this is asked often, bind " + first + " too, or keep a second table with a key that begins with " + t.Columns[cols[0]].Name + "."
		adv.DDL = a.withKey(t, cols, desc)
	}
	a.add(adv)
}

// filtered is about rows that are read and dropped by a filter on columns that are not in the key.
func (a *adviser) filtered(s *plan.Scan) bool {
	if s.Filter == nil || s.Access == plan.PointRead || s.Access == plan.MultiPointRead {
		return false
	}
	cols, desc := a.keyFor(s, nil)
	fixed := len(keyorder.FixedColumns(s))
	if len(cols) <= fixed {
		return false
	}
	a.add(Advice{
		Problem: fmt.Sprintf("the rows of the span of %s are read and filtered: %s.", s.Table.Name, keycond.Text(s.Filter, true)),
		Cure:    "If few of them pass, keep a second table whose key has " + columnList(s.Table, cols[fixed:]) + " behind what is bound.",
		DDL:     a.withKey(s.Table, cols, desc),
	})
	return true
}

// buckets is about a range that is read in every bucket.
func (a *adviser) buckets(s *plan.Scan) {
	t := s.Table
	if t.Options.SaltBuckets < 2 || t.Epochs != nil || s.Key == nil || s.Access == plan.PointRead || s.Access == plan.MultiPointRead {
		return
	}
	run := len(t.PrimaryKey)
	for i := range s.Key.Or {
		run = min(run, keycond.ValueRun(&s.Key.Or[i]))
		if keycond.BindsBucket(t, &s.Key.Or[i]) {
			return
		}
	}
	if run == 0 || run == len(t.PrimaryKey) {
		return
	}
	names := make([]string, run)
	for i := range run {
		names[i] = t.Columns[t.PrimaryKey[i]].Name
	}
	c := *t
	c.Options.SaltColumns = names
	a.add(Advice{
		Problem: fmt.Sprintf("all %d buckets of %s are read, though %s is bound: the bucket follows from the whole key.",
			t.Options.SaltBuckets, t.Name, strings.Join(names, ", ")),
		Cure: "If no value of " + strings.Join(names, ", ") + " is written faster than one tablet takes, salt by it alone: such a read then touches one bucket.",
		DDL:  a.create(&c, "by_"+strings.Join(names, "_")),
	})
}

// sort is about rows that are sorted, though a key could give them in that order.
func (a *adviser) sort(s *plan.Scan, keys []plan.SortKey) {
	if len(keys) == 0 || s.Access == plan.PointRead || s.Access == plan.MultiPointRead {
		return
	}
	cols, desc := a.keyFor(s, keys)
	if len(cols) == 0 {
		return
	}
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = keycond.Text(k.Expr, true)
		if k.Desc {
			texts[i] += " DESC"
		}
	}
	a.add(Advice{
		Problem: fmt.Sprintf("the rows of %s are sorted by %s, which its key (%s) does not give.", s.Table.Name, strings.Join(texts, ", "), s.Table.KeyText()),
		Cure:    "A key in that order is read without a sort, and no further than a LIMIT.",
		DDL:     a.withKey(s.Table, cols, desc),
	})
}

func (a *adviser) rows(t *catalog.Table) (int64, bool) {
	if a.ctx == nil || a.ctx.Estimator == nil {
		return 0, false
	}
	return a.ctx.Estimator.TableRows(t)
}

func (a *adviser) add(adv Advice) {
	if !slices.Contains(a.list, adv) {
		a.list = append(a.list, adv)
	}
}
