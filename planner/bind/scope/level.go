package scope

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
)

// Level is one query of a statement while it is bound. Names that its scope does not
// have are looked for in the levels around it.
type Level struct {
	Parent *Level
	Depth  int
	// Scope is what may be named at the place that is being bound.
	Scope *Scope
	// At is the place where the query of the level below stands.
	At Place
	// Deepest is the depth of the innermost level, this one or one around it, of which
	// a column or an aggregate has been named since it was last set to NoLevel.
	Deepest   int
	Aggs      Aggs
	Windows   Windows
	Sets      Sets
	Groupings []GroupingCall
	Grouped   bool // it has GROUP BY, which may name a whole row
	Several   bool // GROUP BY may have several grouping sets
	Queries   []BoundQuery
	// Recursive: the query reads the round before of a recursive one.
	Recursive bool
}

// BoundQuery is a query in an expression of a level. Written alike in GROUP BY, DISTINCT ON
// or ORDER BY, it means the one of the select list.
type BoundQuery struct {
	Written tree.Expr
	Bound   expr.Expr
}

// NoLevel is the Deepest of what names no column.
const NoLevel = -1

// NewLevel begins a query that stands at p, which is nil for a statement's own.
func NewLevel(p *Place) *Level {
	l := &Level{Scope: noColumns, Deepest: NoLevel}
	if p != nil && p.Level != nil {
		l.Parent, l.Depth = p.Level, p.Level.Depth+1
		p.Level.At = *p
	}
	return l
}

// noColumns is a scope without relations.
var noColumns = &Scope{}

// NoteNamed records, for l and the levels up to the one of it, that a column of that one is named.
func (l *Level) NoteNamed(of *Level) {
	for k := l; ; k = k.Parent {
		k.Deepest = max(k.Deepest, of.Depth)
		if k == of {
			return
		}
	}
}

// outer gives the level of a depth: l, or one around it.
func (l *Level) outer(depth int) *Level {
	for l.Depth > depth {
		l = l.Parent
	}
	return l
}

// NamedBy runs bind and says which level is the innermost that it names: l itself where
// it names none.
func (l *Level) NamedBy(bind func()) *Level {
	saved := l.Deepest
	l.Deepest = NoLevel
	bind()
	depth := l.Deepest
	l.Deepest = max(saved, depth)
	if depth == NoLevel {
		depth = l.Depth
	}
	return l.outer(depth)
}

// Place is where an expression stands: what it may name and hold. Who keeps one copies it,
// and nobody calls a function value with one: places are many, and stay on the stack.
type Place struct {
	Level  *Level // nil: no columns at all
	Clause string // as in "aggregate functions are not allowed in WHERE"
	// NoColumns refuses what looks like a column as that, whether there is one or not.
	NoColumns bool
	// What may stand here: aggregates, window functions, set-returning functions.
	Aggs, Windows, Sets bool
	// NoQueries refuses queries: its text is the hint of the refusal. Queries allows them where
	// there is no level yet.
	NoQueries string
	Queries   bool
	// RowQueries takes queries whose one row is assigned to several columns; nil refuses them.
	RowQueries *[]logical.Node
	setsIn     string // what refuses set-returning functions within clause, as CASE
}

// OfGroups says that what stands here, or a query around it, is computed of groups.
func (p *Place) OfGroups() bool {
	if p.Aggs && p.Level.Grouped {
		return true
	}
	if p.Level == nil {
		return false
	}
	for l := p.Level.Parent; l != nil; l = l.Parent {
		if l.Grouped && l.At.Aggs {
			return true
		}
	}
	return false
}

// Scope is what may be named here.
func (p *Place) Scope() *Scope {
	if p.Level == nil {
		return noColumns
	}
	return p.Level.Scope
}
