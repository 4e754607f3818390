package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
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

// Proposal is an index that a statement would cost much less with.
type Proposal struct {
	Table   *catalog.Table
	Columns []int // of Table.Columns
	Desc    []bool
	Include []int
	// Read is how many rows, of tables and indexes, the statement reads without it, and Then
	// with it, by estimates.
	Read, Then float64

	left  float64 // of its cost
	least float64 // see candidate
}

// Propose finds indexes for a statement, of each table one at most, by its plan.
func Propose(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan) []Proposal {
	f := finder{into: map[*plan.Scan]*wishes{}}
	f.visit(p.Root, nil, nil)
	now, read := estimate.Cost(ctx.Known(), p.Root), estimate.Reads(ctx.Known(), p.Root)
	if read < estimate.LeastRows {
		return nil // of so little none spares much
	}
	type found struct {
		candidate
		cost, then float64
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
			cost, then, ok := whatIf(ctx, stmt, p, &c)
			if !ok {
				cost = now
			}
			if more := included(s, &c); len(more) > 0 && len(more) <= mostIncluded {
				wide := c
				wide.include = more
				if less, reads, ok := whatIf(ctx, stmt, p, &wide); ok && less < cost*worthIncluding {
					c, cost, then = wide, less, reads
				}
			}
			if cost >= now*worthAdvice {
				continue
			}
			at := slices.IndexFunc(best, func(b found) bool { return b.table == c.table })
			switch {
			case at < 0:
				best = append(best, found{c, cost, then})
			case cost < best[at].cost*planner.Worthwhile:
				best[at] = found{c, cost, then}
			}
		}
	}
	var list []Proposal
	for _, b := range best {
		list = append(list, Proposal{b.table, b.columns, b.desc, b.include, read, b.then, b.cost / now, b.least})
	}
	return list
}

// Reads is how many rows a statement of that plan would read with the proposal's index; ok is
// false where it would not use it.
func (o *Proposal) Reads(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan) (rows float64, ok bool) {
	_, rows, ok = whatIf(ctx, stmt, p, o.candidate())
	return rows, ok
}

func (o *Proposal) candidate() *candidate {
	return &candidate{table: o.Table, columns: o.Columns, desc: o.Desc, include: o.Include, least: o.least}
}

// DDL is the statement that makes the index.
func (o *Proposal) DDL(schema bool) string {
	on := ident.Quote(o.Table.Name)
	if schema {
		on = ident.Quote(o.Table.Schema) + "." + on
	}
	return "CREATE INDEX ON " + on + " " + o.candidate().text() + ";"
}

// indexAdvice words the proposals.
func indexAdvice(ctx *planner.Context, stmt *tree.Statement, p *plan.Plan) []Advice {
	var list []Advice
	for _, o := range Propose(ctx, stmt, p) {
		t := o.Table
		a := Advice{
			Problem: fmt.Sprintf("an index on %s would leave about %s of what this costs.", t.Name, percentOf(o.left)),
			Cure:    "Each write of a row that changes its columns writes entries of it too.",
			DDL:     o.DDL(false),
			table:   t,
		}
		if rows, known := (&adviser{ctx: ctx}).rows(t); known {
			a.Problem = strings.TrimSuffix(a.Problem, ".") + fmt.Sprintf(": about %.0f rows are read, and %.0f rows and entries with it.", o.Read, o.Then)
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
