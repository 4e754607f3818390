package scope

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Sets are the set-returning functions in the expressions of one level. In the bound
// expressions a call stands as the column of its ID.
type Sets struct {
	List []*SetItem
}

// SetItem is a call of a set-returning function.
type SetItem struct {
	Call  plan.SetCall
	ID    logical.ColumnID
	Depth int  // how many are within one another below it
	Done  bool // a ProjectSet computes it
}

// NoSets refuses a set-returning function at p.
func (p *Place) NoSets(pos int) *sqlerr.Error {
	clause := p.Clause
	if p.setsIn != "" {
		clause = p.setsIn
	}
	switch clause {
	case NestedAgg:
		return sqlerr.New(sqlerr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").At(pos)
	case InWindowCall:
		return sqlerr.New(sqlerr.FeatureNotSupported, "window function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").At(pos)
	case "CASE", "COALESCE", "GREATEST", "LEAST", "NULLIF":
		return sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", clause).
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").At(pos)
	case "functions in FROM":
		return sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM").At(pos)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", clause).At(pos)
}

// WithoutSets is p where set-returning functions are refused as in clause.
func (p *Place) WithoutSets(clause string) *Place {
	if !p.Sets {
		return p
	}
	inner := *p
	inner.Sets, inner.setsIn = false, clause
	return &inner
}

// HoldsColumn says that a column is named in e.
func HoldsColumn(e expr.Expr, id logical.ColumnID) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && c.Index == id {
			found = true
		}
		return !found
	})
	return found
}

// In says that one of es holds a call.
func (s *Sets) In(es ...expr.Expr) bool {
	for _, x := range s.List {
		for _, e := range es {
			if HoldsColumn(e, x.ID) {
				return true
			}
		}
	}
	return false
}

// HoldQuery says that a query is in the arguments of a call.
func (s *Sets) HoldQuery() bool {
	return slices.ContainsFunc(s.List, func(x *SetItem) bool { return slices.ContainsFunc(x.Call.Args, logical.HoldsQuery) })
}

// Over puts what is not computed yet above a node, of those that wanted accepts: calls
// within one another come one after another, the others side by side.
func (s *Sets) Over(node logical.Node, wanted func(*SetItem) bool) logical.Node {
	deepest := -1
	for _, x := range s.List {
		if !x.Done && wanted(x) {
			deepest = max(deepest, x.Depth)
		}
	}
	for depth := 0; depth <= deepest; depth++ {
		p := &logical.ProjectSet{Input: node}
		for _, x := range s.List {
			if !x.Done && x.Depth == depth && wanted(x) {
				p.Sets, p.Cols = append(p.Sets, x.Call), append(p.Cols, x.ID)
				x.Done = true
			}
		}
		if len(p.Sets) > 0 {
			node = p
		}
	}
	return node
}

// AllSets wants every call.
func AllSets(*SetItem) bool { return true }
