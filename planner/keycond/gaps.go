package keycond

import (
	"strings"

	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// MaxExactSpans is a number of spans that are surely not joined to fewer on a table of
// few buckets.
const MaxExactSpans = 500

// Gaps is what a scan's filter says of key columns behind one that is not bound to values.
type Gaps struct {
	Skip  *plan.KeyCond
	From  int
	Exact bool // it says nothing else
}

// ReadGaps reads the filter of a scan; ok is false where a seek gains nothing by it.
func ReadGaps(s *plan.Scan) (g Gaps, ok bool) {
	if s.Filter == nil {
		return g, false
	}
	reader := Reader{Scan: s}
	all := Conjunction{}
	conds := walk.Conjuncts(s.Filter)
	texts := map[int][]string{}
	g.Exact = true
	for _, c := range conds {
		d := reader.Read(c)
		if !d.Bound || !all.And(d) {
			g.Exact = false
			continue
		}
		g.Exact = g.Exact && d.Exact
		text := Text(c, true)
		for i := range d.Any {
			for j := range d.Any[i].Terms {
				p := d.Any[i].Terms[j].Columns[0]
				if list := texts[p]; len(list) == 0 || list[len(list)-1] != text {
					texts[p] = append(list, text)
				}
			}
		}
	}
	if !all.Bound || len(all.Any) == 0 || len(all.Any) > MaxExactSpans {
		return g, false
	}
	g.From = -1
	for i := range all.Any {
		p := firstBehind(s.Key, &all.Any[i])
		if p <= 0 || g.From > 0 && p != g.From {
			return g, false
		}
		g.From = p
	}
	g.Skip = &plan.KeyCond{}
	for i := range all.Any {
		var c plan.KeyConj
		for _, t := range all.Any[i].Terms {
			if t.Columns[0] >= g.From && t.Op != plan.KeyIsNull {
				c.Terms = append(c.Terms, t)
			}
		}
		if len(c.Terms) == 0 {
			return g, false
		}
		g.Exact = g.Exact && len(c.Terms) == len(all.Any[i].Terms)
		g.Skip.Or = append(g.Skip.Or, c)
	}
	seen := map[string]bool{}
	var span []string
	for p := g.From; p < len(s.Table.PrimaryKey); p++ {
		for _, text := range texts[p] {
			if !seen[text] {
				seen[text] = true
				span = append(span, text)
			}
		}
	}
	g.Skip.Span = strings.Join(span, " AND ")
	return g, true
}

// firstBehind gives the first key column that c narrows behind the first column that
// neither the scan's key condition binds to values nor c does.
func firstBehind(key *plan.KeyCond, c *plan.KeyConj) int {
	run := 0
	if key != nil && len(key.Or) > 0 {
		run = 1 << 30
		for i := range key.Or {
			run = min(run, ValueRun(&key.Or[i]))
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
