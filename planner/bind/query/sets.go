package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// sets are the set-returning functions in the expressions of one level. In the bound
// expressions a call stands as the column of its ID.
type sets struct {
	list []*setItem
}

type setItem struct {
	Call  plan.SetCall
	ID    logical.ColumnID
	depth int  // how many are within one another below it
	done  bool // a ProjectSet computes it
}

// bindSetItem binds a call in an expression and gives the column that stands for it.
func (b *Binder) bindSetItem(p *Place, c *tree.Func) (expr.Expr, error) {
	pos := b.Pos(c)
	if p.Level == nil || !p.sets {
		return nil, p.noSets(pos)
	}
	set, err := b.setCall(p, c)
	if err != nil {
		return nil, err
	}
	if len(set.cols) > 1 {
		if set.Set == nil || set.Name == "unnest" {
			return nil, sqlerr.Unsupported("a row as one value is not supported", "Call "+c.Name+" in FROM.").At(pos)
		}
		row := types.RecordOf(expr.ShapeOf(set.cols))
		set.Set = set.Set.Records(set.cols)
		set.cols = []expr.SetColumn{{Name: c.Name, T: row}}
	}
	s := &p.Level.sets
	item := &setItem{Call: set.SetCall}
	for _, x := range s.list {
		if x.Call.Name == set.Name && x.Call.Set == set.Set && expr.EqualLists(x.Call.Args, set.Args) && !slices.ContainsFunc(set.Args, logical.VolatileExpr) {
			return &expr.Col{Index: x.ID, T: set.cols[0].T, Name: c.Name, At: pos}, nil
		}
		for _, a := range set.Args {
			if holds(a, x.ID) {
				item.depth = max(item.depth, x.depth+1)
			}
		}
	}
	item.ID = b.Meta.Add(logical.Column{Name: c.Name, Type: set.cols[0].T})
	s.list = append(s.list, item)
	return &expr.Col{Index: item.ID, T: set.cols[0].T, Name: c.Name, At: pos}, nil
}

// noSets refuses a set-returning function at p.
func (p *Place) noSets(pos int) error {
	clause := p.Clause
	if p.setsIn != "" {
		clause = p.setsIn
	}
	switch clause {
	case nestedAgg:
		return sqlerr.New(sqlerr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item.").At(pos)
	case inWindowCall:
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

// without is p where set-returning functions are refused as in clause.
func (p *Place) without(clause string) *Place {
	if !p.sets {
		return p
	}
	inner := *p
	inner.sets, inner.setsIn = false, clause
	return &inner
}

func holds(e expr.Expr, id logical.ColumnID) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && c.Index == id {
			found = true
		}
		return !found
	})
	return found
}

// in says that one of es holds a call.
func (s *sets) in(es ...expr.Expr) bool {
	for _, x := range s.list {
		for _, e := range es {
			if holds(e, x.ID) {
				return true
			}
		}
	}
	return false
}

// holdQuery says that a query is in the arguments of a call.
func (s *sets) holdQuery() bool {
	return slices.ContainsFunc(s.list, func(x *setItem) bool { return slices.ContainsFunc(x.Call.Args, HoldsQuery) })
}

// over puts what is not computed yet above a node, of those that wanted accepts: calls
// within one another come one after another, the others side by side.
func (s *sets) over(node logical.Node, wanted func(*setItem) bool) logical.Node {
	deepest := -1
	for _, x := range s.list {
		if !x.done && wanted(x) {
			deepest = max(deepest, x.depth)
		}
	}
	for depth := 0; depth <= deepest; depth++ {
		p := &logical.ProjectSet{Input: node}
		for _, x := range s.list {
			if !x.done && x.depth == depth && wanted(x) {
				p.Sets, p.Cols = append(p.Sets, x.Call), append(p.Cols, x.ID)
				x.done = true
			}
		}
		if len(p.Sets) > 0 {
			node = p
		}
	}
	return node
}

func allSets(*setItem) bool { return true }
