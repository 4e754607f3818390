package join

import "github.com/saltsql/saltsql/planner/plan"

// joinShape says what a join does with its rows, seen from its sides as they run: rows
// of the outer side come in batches, those of the inner side are kept.
type joinShape struct {
	outerLeft    bool // the outer side is the plan's left
	pairs        bool // matches are given
	outer, inner rowEnd
	single       bool // of the plan's left side no row may match twice
}

// rowEnd says what becomes of a row once all its candidates have been seen.
type rowEnd uint8

const (
	endNothing   rowEnd = iota
	endUnmatched        // without a match it is given, with NULLs for the other side
	endMatched          // with a match it is given
	endNone             // it is given if it surely has no match
	endMark             // it is given, and whether it has a match
)

func newJoinShape(k plan.JoinKind, outerLeft bool) joinShape {
	s := joinShape{outerLeft: outerLeft, pairs: k.GivesRight(), single: k == plan.Single}
	left, right := &s.outer, &s.inner
	if !outerLeft {
		left, right = right, left
	}
	switch k {
	case plan.Left, plan.Single:
		*left = endUnmatched
	case plan.Right:
		*right = endUnmatched
	case plan.Full:
		*left, *right = endUnmatched, endUnmatched
	case plan.Semi:
		*left = endMatched
	case plan.Anti:
		*left = endNone
	case plan.Mark:
		*left = endMark
	}
	return s
}

// gives says that a row for which seen is known is given at its end.
func (e rowEnd) gives(seen uint8) bool {
	switch e {
	case endUnmatched:
		return seen&seenTrue == 0
	case endMatched:
		return seen&seenTrue != 0
	case endNone:
		return seen == 0
	}
	return e == endMark
}

// decided says that further candidates change nothing at the end of a row.
func (e rowEnd) decided(seen uint8) bool {
	switch e {
	case endMatched, endMark:
		return seen&seenTrue != 0
	case endNone:
		return seen != 0
	}
	return false
}

// What has been seen of a row: bits.
const (
	seenTrue    = 1 // a match
	seenUnknown = 2 // a candidate of which nothing is known to be false
)

// givesNothing says that without inner rows no row is given.
func (s *joinShape) givesNothing() bool {
	return s.outer == endNothing || s.outer == endMatched
}

// onlyOuter says that the rows given are outer ones as they are, or with a mark.
func (m *matcher) onlyOuter() bool { return !m.shape.pairs && m.shape.outer != endNothing }

// pairsAlone says that candidates are all there is to give: each of them matches, and of no row
// it matters what is seen of it.
func (m *matcher) pairsAlone() bool {
	return m.shape.pairs && m.shape.outer == endNothing && !m.shape.single && m.innerSeen == nil && m.filter == nil && m.cond == nil && len(m.maybe) == 0
}

// existsOnly says that it is enough to know one match of an outer row.
func (m *matcher) existsOnly() bool { return m.onlyOuter() && m.filter == nil && m.cond == nil }

// marksInner says that what is seen of inner rows matters.
func (m *matcher) marksInner() bool {
	return m.shape.inner != endNothing || m.shape.single && !m.shape.outerLeft
}
