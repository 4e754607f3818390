package query

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// WITH queries and views are bound where they are named, so that a short text can make a
// plan of any depth and, where each names the one before it twice, of any size.
const (
	//saltsql:limit statements: WITH queries and views that name one another (54001)
	MaxExpansionDepth = 1000
	//saltsql:limit statements: expressions and columns that names of WITH queries and views stand for (54001)
	maxExpanded = 1 << 18 // expressions and columns, of 100 to 300 bytes each
)

// expansion bounds what the names of WITH queries and views stand for, and what operands
// that are compared more than once do: 54001.
type expansion struct {
	depth  int
	size   int
	copied int
	nested int
	kept   int // WITH queries that are run by themselves
}

func (x *expansion) enter(pos int) {
	if x.depth++; x.depth > MaxExpansionDepth {
		panic(TooDeep(pos))
	}
}

func TooDeep(pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("WITH queries and views may name one another %d deep.", MaxExpansionDepth).At(pos)
}

func (x *expansion) leave() { x.depth-- }

// maxNesting bounds how deep joins and queries of the text stand in one another.
//
//saltsql:limit statements: joins and queries in one another (54001)
const maxNesting = 2000

// maxJoins bounds the relations that a statement names in joins: the work of planning grows
// faster than their number.
//
//saltsql:limit statements: relations that are joined (54001)
const maxJoins = 256

// nest enters a join or a query.
func (x *expansion) nest(pos int) {
	if x.nested++; x.nested > maxNesting {
		panic(sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Joins and queries may stand %d deep in one another.", maxNesting).At(pos))
	}
}

func (x *expansion) unnest() { x.nested-- }

// grow counts n more expressions or columns of what is expanded.
func (x *expansion) grow(n, pos int) {
	if x.depth == 0 {
		return
	}
	if x.size += n; x.size > maxExpanded {
		panic(sqlerr.New(sqlerr.StatementTooComplex, "statement too complex").
			WithDetail("WITH queries and views, written out where they are named, have more than %d expressions.", maxExpanded).
			WithHint("Name each of them once, or store its rows in a table first.").At(pos))
	}
}

// copy counts an operand that stands in the plan so many times more than in the text, as
// those of BETWEEN and CASE do. One within another doubles what is in it each time.
func (x *expansion) copy(e expr.Expr, times, pos int) {
	switch e.(type) {
	case *expr.Col, *expr.Const, *expr.Param:
		return
	}
	nodes := 0
	expr.Walk(e, func(expr.Expr) bool {
		nodes++
		return nodes <= maxExpanded
	})
	if x.copied += nodes * times; x.copied > maxExpanded {
		panic(sqlerr.New(sqlerr.StatementTooComplex, "statement too complex").
			WithDetail("Operands, written out as often as BETWEEN, CASE and IN compare them, have more than %d expressions.", maxExpanded).
			WithHint("Compute them in a subquery and use its columns.").At(pos))
	}
}

// fewJoins refuses a statement that joins too many relations.
func (b *Binder) fewJoins(pos int) {
	if b.Meta.Relations() > maxJoins {
		panic(sqlerr.New(sqlerr.StatementTooComplex, "too many relations are joined").
			WithHint("A statement can join %d. Store the rows of some of the joins in a table first.", maxJoins).At(pos))
	}
}
