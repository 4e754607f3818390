package indexadvice

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/plan"
)

// mostStatements bounds the plans that are made.
//
//saltsql:limit statements: shapes of statements that saltsql.index_advice looks at, those that have read most
const mostStatements = 50

// mostIncluded is how many columns an index that serves several statements includes at most.
const mostIncluded = 8

// worseAllowed is how many times the rows of its own index a statement may read by one that it
// has in common with others.
const worseAllowed = 2

// Statement is a shape of statements that the server has seen.
type Statement struct {
	Text            string
	Calls, RowsRead int64
	// Plan plans it now; nil where that cannot be.
	Plan func() *Planned
}

// Planned is a statement with what it was planned with.
type Planned struct {
	Context *planner.Context
	Stmt    *tree.Statement
	Plan    *plan.Plan
}

// Index is one that is advised.
type Index struct {
	advise.Proposal
	Statements      int
	Calls, RowsRead int64 // of these statements
	// Spared is about how many of RowsRead would not have been read.
	Spared int64
	// Example is that of the statements which has read most.
	Example string

	serves []served
}

// served is a statement that an index is advised for.
type served struct {
	*Planned
	read     float64 // by one call, by its estimate
	alone    float64 // with the index that was found for it alone
	then     float64 // with this one
	rowsRead int64
}

// Advise names the indexes that would spare rows, the one that spares most first.
func Advise(list []Statement) []Index {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Statement) int { return cmp.Compare(b.RowsRead, a.RowsRead) })
	if len(list) > mostStatements {
		list = list[:mostStatements]
	}
	var found []Index
	for i := range list {
		s := &list[i]
		p := s.Plan()
		if p == nil {
			continue
		}
		for _, o := range advise.Propose(p.Context, p.Stmt, p.Plan) {
			n := Index{Proposal: o, Statements: 1, Calls: s.Calls, RowsRead: s.RowsRead, Example: s.Text,
				serves: []served{{p, o.Read, o.Then, o.Then, s.RowsRead}}}
			found = join(found, n)
		}
	}
	for i := range found {
		found[i].Spared = found[i].spared()
	}
	found = slices.DeleteFunc(found, func(x Index) bool { return x.Spared == 0 })
	slices.SortStableFunc(found, func(a, b Index) int { return cmp.Compare(b.Spared, a.Spared) })
	return found
}

// join adds an index to the list: into one that then serves the statements of both, if there is
// such a one.
func join(list []Index, n Index) []Index {
	for i := range list {
		if both, ok := list[i].with(&n); ok {
			list[i] = both
			return list
		}
	}
	return append(list, n)
}

// with makes one index of two: the longer, where its first parts are those of the shorter, with the
// columns that either includes. ok is false where a statement of either would read many more rows by it.
func (x *Index) with(n *Index) (both Index, ok bool) {
	if x.Table.ID != n.Table.ID {
		return both, false
	}
	both = *x
	short := n
	if len(n.Columns) > len(x.Columns) {
		both.Columns, both.Desc, short = n.Columns, n.Desc, x
	}
	k := len(short.Columns)
	if !slices.Equal(both.Columns[:k], short.Columns) || !slices.Equal(both.Desc[:k], short.Desc) {
		return both, false
	}
	both.Include = nil
	for _, col := range slices.Concat(x.Include, n.Include) {
		if !slices.Contains(both.Columns, col) && !slices.Contains(both.Include, col) {
			both.Include = append(both.Include, col)
		}
	}
	if len(both.Include) > mostIncluded {
		return both, false
	}
	both.serves = nil
	for _, of := range []*Index{x, n} {
		same := slices.Equal(both.Columns, of.Columns) && slices.Equal(both.Include, of.Include)
		for _, s := range of.serves {
			if !same {
				then, uses := both.Reads(s.Context, s.Stmt, s.Plan)
				if !uses || then > s.alone*worseAllowed {
					return both, false
				}
				s.then = then
			}
			both.serves = append(both.serves, s)
		}
	}
	both.Statements, both.Calls, both.RowsRead = x.Statements+n.Statements, x.Calls+n.Calls, x.RowsRead+n.RowsRead
	return both, true
}

// spared applies what the estimates say to the rows that were read.
func (x *Index) spared() int64 {
	sum := 0.0
	for _, s := range x.serves {
		if s.read > 0 {
			sum += float64(s.rowsRead) * max(0, 1-s.then/s.read)
		}
	}
	return int64(sum)
}
