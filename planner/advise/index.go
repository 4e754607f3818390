package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Index advice is found by planning: the conditions, orders and joins of a plan say which
// indexes might serve its scans; the statement is planned as if its table had each of them,
// and what that plan costs says whether the index is worth its name.

const (
	// worthAdvice is the part of a statement's cost that an index must not leave.
	worthAdvice = 0.5
	// worthIncluding is the part that a covering index must not leave of a plain one's.
	worthIncluding = 0.6
	// mostIncluded is how many columns a covering index that is advised includes at most.
	mostIncluded = 4
	// mostCandidates bounds the plans that are made for advice.
	mostCandidates = 40
)

// indexAdvice names the indexes, of each table one at most, by which a statement would cost much
// less than by its plan.
func indexAdvice(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan) []Advice {
	f := finder{into: map[*plan.Scan]*wishes{}}
	f.visit(p.Root, nil, nil)
	now, read := estimate.Cost(ctx.Known(), p.Root), estimate.Reads(ctx.Known(), p.Root)
	if read < estimate.LeastRows {
		return nil // of so little none spares much
	}
	type found struct {
		candidate
		cost float64
		root plan.Node
	}
	var best []found
	tried := 0
	for _, s := range f.order {
		if rows, known := (&adviser{ctx: ctx}).rows(s.Table); known && rows <= estimate.FewRows {
			continue
		}
		for _, c := range f.into[s].candidates(s) {
			if tried++; tried > mostCandidates {
				break
			}
			c.least = given(ctx, s)
			root, cost, ok := whatIf(ctx, stmt, p, &c)
			if !ok {
				cost = now
			}
			if more := included(s, &c); len(more) > 0 && len(more) <= mostIncluded {
				wide := c
				wide.include = more
				if covered, less, ok := whatIf(ctx, stmt, p, &wide); ok && less < cost*worthIncluding {
					c, root, cost = wide, covered, less
				}
			}
			if cost >= now*worthAdvice {
				continue
			}
			at := slices.IndexFunc(best, func(b found) bool { return b.table == c.table })
			switch {
			case at < 0:
				best = append(best, found{c, cost, root})
			case cost < best[at].cost*planner.Worthwhile:
				best[at] = found{c, cost, root}
			}
		}
	}
	var list []Advice
	for _, b := range best {
		t := b.table
		a := Advice{
			Problem: fmt.Sprintf("an index on %s would leave about %s of what this costs.", t.Name, percentOf(b.cost/now)),
			Cure:    "Each write of a row that changes its columns writes entries of it too.",
			DDL:     "CREATE INDEX ON " + ident.Quote(t.Name) + " " + b.text() + ";",
			table:   t,
		}
		if rows, known := (&adviser{ctx: ctx}).rows(t); known {
			then := estimate.Reads(whatIfContext(ctx, &b.candidate, t, p).Known(), b.root)
			a.Problem = strings.TrimSuffix(a.Problem, ".") + fmt.Sprintf(": about %.0f rows are read, and %.0f rows and entries with it.", read, then)
			a.Cure += fmt.Sprintf(" It begins with about %d entries.", rows)
		}
		list = append(list, a)
	}
	return list
}

// given is how many rows a scan gives, if there were no limit, where enough is known of its
// conditions; else 0.
func given(ctx *planner.Context, s *plan.Scan) float64 {
	all := *s
	all.Limit, all.Distinct, all.Filter = nil, 0, nil
	rows, ok := estimate.ScanRows(ctx.Known(), &all)
	if !ok {
		return 0
	}
	if s.Filter == nil {
		return rows
	}
	part, known := estimate.ConditionsPart(ctx.Known(), s.Table, s.Cols, walk.Conjuncts(s.Filter))
	if !known {
		return 0
	}
	return rows * part
}

func percentOf(part float64) string {
	if part < 0.01 {
		return "1% or less"
	}
	return fmt.Sprintf("%.0f%%", part*100)
}
