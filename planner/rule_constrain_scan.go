package planner

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// constrainScan moves a Filter over a scan into the scan: what it says of the key
// becomes the scan's key condition, from which spans, points and buckets are
// computed when it runs; the rest becomes its filter. What the spans alone decide is
// dropped, or kept as Recheck where that depends on how many spans there are, or where one
// range is read instead of many (see estimate.ReadAsOne).
//
// Not for conditions with a volatile function: they are evaluated once for each
// row that the rest lets through, in a Filter above.
func constrainScan(ctx *Context, n plan.Node) plan.Node {
	f, ok := n.(*plan.Filter)
	if !ok {
		return nil
	}
	if v, ok := f.Input.(*plan.VirtualScan); ok {
		return narrowVirtual(f, v)
	}
	s, ok := walk.ScanUnder(f.Input)
	if !ok || s.Key != nil || s.Filter != nil {
		return nil
	}
	var conds, volatile []expr.Expr
	for _, c := range walk.Conjuncts(f.Cond) {
		if expr.Volatile(c) {
			volatile = append(volatile, c)
		} else {
			conds = append(conds, ofScan(s, c))
		}
	}
	if len(conds) == 0 {
		return nil
	}
	c := *s
	if !constrain(ctx, &c, conds) {
		return &plan.Values{Cols: f.Columns()}
	}
	out := walk.WithScan(f.Input, &c)
	if len(volatile) > 0 {
		out = &plan.Filter{Input: out, Cond: walk.AndAll(volatile)}
	}
	return out
}

// ofScan prints the columns of s in c without the relation's name: the scan says it.
func ofScan(s *plan.Scan, c expr.Expr) expr.Expr {
	return expr.MapCols(c, func(x *expr.Col) expr.Expr {
		if x.Index >= len(s.Cols) {
			return x
		}
		name := s.Table.Columns[s.Cols[x.Index]].Name
		if len(x.Name) <= len(name) || !strings.HasSuffix(x.Name, "."+name) {
			return x
		}
		bare := *x
		bare.Name = name
		return &bare
	})
}

// constrain gives s the conditions; false if no row can satisfy them.
func constrain(ctx *Context, s *plan.Scan, conds []expr.Expr) bool {
	parts, rest := partsOf(s, conds)
	if !constrainKey(ctx, s, rest) {
		return false
	}
	if len(parts) > 0 {
		within(s, parts)
	}
	return true
}

// partsOf takes those of conds that cut s to parts of its table, as lists of their tokens.
func partsOf(s *plan.Scan, conds []expr.Expr) (parts, rest []expr.Expr) {
	if s.Of != nil {
		return nil, conds
	}
	for _, c := range conds {
		tokens, key, ok := part.Of(s.Table, c)
		if !ok || !expr.IsConst(tokens) || !isKey(s, key) {
			rest = append(rest, c)
			continue
		}
		parts = append(parts, tokens)
	}
	return parts, rest
}

// isKey says that list is the key columns of s, in order.
func isKey(s *plan.Scan, list []expr.Expr) bool {
	for i, e := range list {
		c, ok := e.(*expr.Col)
		if !ok || c.Index >= len(s.Cols) || s.Cols[c.Index] != s.Table.PrimaryKey[i] {
			return false
		}
	}
	return len(list) == len(s.Table.PrimaryKey)
}

// within cuts s to parts of its table.
func within(s *plan.Scan, parts []expr.Expr) {
	key := plan.KeyCond{Or: []plan.KeyConj{{}}}
	if s.Key != nil {
		key = *s.Key
	}
	key.Within = parts
	if key.Span != "" {
		key.Span += " AND "
	}
	key.Span += "part of " + s.Table.Name
	s.Key = &key
}

// constrainKey is constrain of conditions on columns.
func constrainKey(ctx *Context, s *plan.Scan, conds []expr.Expr) bool {
	reader := keycond.Reader{Scan: s}
	read := make([]keycond.DNF, len(conds))
	joined := keycond.Conjunction{}
	for i, c := range conds {
		read[i] = reader.Read(c)
		if !joined.And(read[i]) {
			read[i] = keycond.Nothing
		}
	}
	all := joined.DNF
	if all.Bound {
		all.Any = dropContradictions(s.Table, all.Any)
		if len(all.Any) == 0 {
			return false
		}
	}
	bindTail(s, all.Any)
	s.Said = slices.Clone(all.Any)
	run, useful := usableRun(s.Table, all)
	if !useful {
		// Conditions that are always true say nothing; the others are all filters.
		var rest []expr.Expr
		for i, c := range conds {
			if !isAlwaysTrue(read[i]) {
				rest = append(rest, c)
			}
		}
		s.Filter = walk.AndAll(rest)
		return true
	}
	for i := range all.Any {
		all.Any[i] = withoutUseless(s.Table, &all.Any[i])
	}
	var covered, rest []expr.Expr
	var span []string
	for i, c := range conds {
		reaches := read[i].Bound && reachesRun(read[i], run)
		if reaches && !isAlwaysTrue(read[i]) {
			span = append(span, keycond.Text(c, true))
		}
		switch {
		case isAlwaysTrue(read[i]):
		case reaches && read[i].Exact && withinRun(read[i], run):
			covered = append(covered, c)
		default:
			rest = append(rest, c)
		}
	}
	s.Key = &plan.KeyCond{Or: all.Any, Span: strings.Join(span, " AND ")}
	s.Filter = walk.AndAll(rest)
	if estimate.ReadAsOne(ctx.Known(), s) || !alwaysExact(s.Table, all.Any, run) {
		s.Recheck = walk.AndAll(covered)
	}
	return true
}

func isAlwaysTrue(d keycond.DNF) bool {
	return d.Bound && d.Exact && len(d.Any) == 1 && len(d.Any[0].Terms) == 0
}

func dropContradictions(t *catalog.Table, any []plan.KeyConj) []plan.KeyConj {
	ts := make([]types.T, len(t.PrimaryKey))
	for i, c := range t.PrimaryKey {
		ts[i] = t.Columns[c].Type
	}
	var out []plan.KeyConj
	for i := range any {
		if !keycond.Contradicts(&any[i], ts) {
			out = append(out, any[i])
		}
	}
	return out
}

// usableRun gives how many leading key columns every conjunction binds to single values; a
// range on the column after them counts too. useful says that reading by the
// condition reads less than everything.
func usableRun(t *catalog.Table, d keycond.DNF) (run int, useful bool) {
	if !d.Bound {
		return 0, false
	}
	run = len(t.PrimaryKey)
	useful = true
	for i := range d.Any {
		n := keycond.ValueRun(&d.Any[i])
		run = min(run, n)
		if n == 0 && !keycond.Bounds(&d.Any[i], 0) && !keycond.BindsBucket(t, &d.Any[i]) && !keycond.BoundsEpoch(t, &d.Any[i]) {
			useful = false
		}
	}
	return run, useful
}

// reachesRun says that a condition has a part in the spans.
func reachesRun(d keycond.DNF, run int) bool {
	for i := range d.Any {
		for j := range d.Any[i].Terms {
			if d.Any[i].Terms[j].Columns[0] <= run {
				return true
			}
		}
	}
	return false
}

// withinRun says that the spans hold all that a condition says.
func withinRun(d keycond.DNF, run int) bool {
	for i := range d.Any {
		for j := range d.Any[i].Terms {
			if d.Any[i].Terms[j].Columns[0] > run {
				return false
			}
		}
	}
	return true
}

// withoutUseless drops terms that cannot narrow the spans: those behind a range
// of a column that has no next value. A term that helps to decide the bucket, or the epoch, stays.
func withoutUseless(t *catalog.Table, c *plan.KeyConj) plan.KeyConj {
	run := keycond.ValueRun(c)
	if run >= len(t.PrimaryKey) || plan.Discrete(t.Columns[t.PrimaryKey[run]].Type.Kind) && keycond.Bounds(c, run) || keycond.BindsBucket(t, c) || keycond.BoundsEpoch(t, c) {
		return *c
	}
	var out plan.KeyConj
	for i := range c.Terms {
		if c.Terms[i].Columns[0] <= run {
			out.Terms = append(out.Terms, c.Terms[i])
		}
	}
	return out
}

// exactSpans is that number for a table, and exactHoles one of the spans that <> and
// NOT IN part.
func exactSpans(t *catalog.Table) int {
	return min(keycond.MaxExactSpans, rowcodec.SpansPerBucket(t.Buckets()))
}

func exactHoles(t *catalog.Table) int {
	return min(rowcodec.MaxSplitSpans, rowcodec.MaxSplitScans/max(t.Buckets(), 1))
}

// alwaysExact says that the spans mean the condition whatever the parameters
// are: values for the leading columns, then at most ranges of the next one, and
// few of them.
func alwaysExact(table *catalog.Table, any []plan.KeyConj, run int) bool {
	total, most, mostHoles := 0, exactSpans(table), exactHoles(table)
	for i := range any {
		spans, holes := 1, false
		for j := range any[i].Terms {
			t := &any[i].Terms[j]
			if keycond.IsInt(table.Columns[table.PrimaryKey[t.Columns[0]]].Type.Kind) && anyWider(t.Args) {
				return false // a number may be too large to be compared as a whole one
			}
			switch t.Op {
			case plan.KeyEq, plan.KeyLt, plan.KeyLe, plan.KeyGt, plan.KeyGe, plan.KeyPrefix, plan.KeyIsNull, plan.KeyIsNotNull:
			case plan.KeyIn:
				spans *= len(t.Args)
			case plan.KeyNe, plan.KeyNotIn:
				spans *= len(t.Args) + 1
				holes = true
			default:
				return false
			}
			if t.Columns[0] > run || spans > most || holes && spans > mostHoles {
				return false
			}
		}
		total += spans
	}
	return total <= most
}

// anyWider says that one of the values compared is of a number type that is not whole.
func anyWider(args []expr.Expr) bool {
	return slices.ContainsFunc(args, func(a expr.Expr) bool { return keycond.IsWider(a.Type().Kind) })
}
