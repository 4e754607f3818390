package logical

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// SubqueryKind is what a query in an expression is for.
type SubqueryKind uint8

const (
	Scalar SubqueryKind = iota // the one value of its one row; NULL where there is no row, 21000 where there are two
	Exists                     // whether it has a row
	Any                        // whether Cond is true for a row; NULL where not, but unknown for one
	Array                      // an array of its one column, in its order
)

// Subquery is a query as a value. To package expr it is a leaf. The query may name
// columns of what stands around it. IN is Any with an equality; x op ALL (query) is Not
// of an Any whose Cond is negated.
type Subquery struct {
	Kind  SubqueryKind
	Query Node
	Cond  expr.Expr // of Any: over Query's columns and those around
	T     types.T
	At    int
}

var _ expr.Expr = (*Subquery)(nil)

// Type is the value's.
func (s *Subquery) Type() types.T { return s.T }

// Pos is where it stands in the statement.
func (s *Subquery) Pos() int { return s.At }

// HoldsQuery says that a query is in e.
func HoldsQuery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if _, ok := x.(*Subquery); ok {
			found = true
		}
		return !found
	})
	return found
}
