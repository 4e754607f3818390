package planner

import (
	"strings"

	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
)

// seekGaps lets a scan leave out the rows between those that a condition on a later key
// column wants, where a column before it is not bound to values:
//
//	key (a, b, c):   b = 5             for each a, seek b = 5
//	                 a = 1 AND c > 7   for each b of a = 1, seek c > 7
//
// The condition stays in the filter. Where the number of values before it is known, it
// decides (see seeksPay); else the scan finds out when it runs: with many, it reads on.
// Small lists and ranges need none of this: their cross product is read as spans.
//
// Not for full keys, nor for a table known to be small.
func seekGaps(ctx *Context, n plan.Node) plan.Node {
	s, ok := scanUnder(n)
	if !ok || s.Skip != nil || s.Distinct > 0 || s.Reduced != nil || ctx.Hints.has(hintRangeScan) {
		return nil
	}
	switch s.Access {
	case plan.FullScan, plan.RangeScan, plan.SkipScan:
	default:
		return nil
	}
	g, ok := readGaps(s)
	if !ok || !seeksPay(ctx, s, g.from) {
		return nil
	}
	c := *s
	c.Skip, c.SkipFrom, c.Access = g.skip, g.from, plan.SkipScan
	return withScan(n, &c)
}

// gaps is what a scan's filter says of key columns behind one that is not bound to values.
type gaps struct {
	skip  *plan.KeyCond
	from  int
	exact bool // it says nothing else
}

func readGaps(s *plan.Scan) (g gaps, ok bool) {
	if s.Filter == nil {
		return g, false
	}
	reader := keycond.Reader{Scan: s}
	all := keycond.DNF{}
	conds := conjuncts(s.Filter)
	texts := map[int][]string{}
	g.exact = true
	for _, c := range conds {
		d := reader.Read(c)
		joined, ok := all.And(d)
		if !ok || !d.Bound {
			g.exact = false
			continue
		}
		g.exact = g.exact && d.Exact
		all = joined
		text := spanText(c, true)
		for i := range d.Any {
			for j := range d.Any[i].Terms {
				p := d.Any[i].Terms[j].Columns[0]
				if list := texts[p]; len(list) == 0 || list[len(list)-1] != text {
					texts[p] = append(list, text)
				}
			}
		}
	}
	if !all.Bound || len(all.Any) == 0 || len(all.Any) > maxExactSpans {
		return g, false
	}
	g.from = -1
	for i := range all.Any {
		p := firstBehind(s.Key, &all.Any[i])
		if p <= 0 || g.from > 0 && p != g.from {
			return g, false
		}
		g.from = p
	}
	g.skip = &plan.KeyCond{}
	for i := range all.Any {
		var c plan.KeyConj
		for _, t := range all.Any[i].Terms {
			if t.Columns[0] >= g.from && t.Op != plan.KeyIsNull {
				c.Terms = append(c.Terms, t)
			}
		}
		if len(c.Terms) == 0 {
			return g, false
		}
		g.exact = g.exact && len(c.Terms) == len(all.Any[i].Terms)
		g.skip.Or = append(g.skip.Or, c)
	}
	seen := map[string]bool{}
	var span []string
	for p := g.from; p < len(s.Table.PrimaryKey); p++ {
		for _, text := range texts[p] {
			if !seen[text] {
				seen[text] = true
				span = append(span, text)
			}
		}
	}
	g.skip.Span = strings.Join(span, " AND ")
	return g, true
}

// firstBehind gives the first key column that c narrows behind the first column that
// neither the scan's key condition binds to values nor c does.
func firstBehind(key *plan.KeyCond, c *plan.KeyConj) int {
	run := 0
	if key != nil && len(key.Or) > 0 {
		run = 1 << 30
		for i := range key.Or {
			run = min(run, valueRun(&key.Or[i]))
		}
	}
	best := -1
	for i := range c.Terms {
		t := &c.Terms[i]
		if p := t.Columns[0]; p > run && t.Op != plan.KeyIsNull && (best < 0 || p < best) {
			best = p
		}
	}
	return best
}
