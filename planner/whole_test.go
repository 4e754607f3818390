package planner

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// whole says what is wrong with a plan: an expression that names a column which its input does not
// give, or another than it says, and a node that describes other columns than it gives. The golden
// tests ask it after each rule.
func whole(n plan.Node) error {
	if s, ok := walk.ScanUnder(n); ok {
		return named(s, s.Columns(), s.Filter, s.Recheck)
	}
	for _, in := range n.Inputs() {
		if err := whole(in); err != nil {
			return err
		}
	}
	if j := plan.AsJoin(n); j != nil {
		return wholeJoin(n, j)
	}
	switch n := n.(type) {
	case *plan.Insert, *plan.Upsert, *plan.Update, *plan.Delete: // over the table's columns
		return nil
	case *plan.VirtualScan:
		return named(n, n.Columns(), n.Filter)
	case *plan.Project:
		if len(n.Exprs) != len(n.Cols) {
			return fmt.Errorf("a projection of %d expressions has %d columns", len(n.Exprs), len(n.Cols))
		}
	case *plan.Aggregate:
		if n.Phase == plan.Final {
			return nil // over what is below its Partial
		}
		if n.Phase == plan.Complete && len(n.Cols) != len(n.Groups)+len(n.Aggs)+len(n.Groupings) {
			return fmt.Errorf("%d groups and %d aggregates have %d columns", len(n.Groups), len(n.Aggs), len(n.Cols))
		}
	case *plan.Window:
		if len(n.Cols) != plan.Width(n.Input)+len(n.Calls) {
			return fmt.Errorf("a window over %d columns with %d calls has %d", plan.Width(n.Input), len(n.Calls), len(n.Cols))
		}
	case *plan.Append:
		for _, p := range n.Parts {
			if plan.Width(p) != len(n.Cols) {
				return fmt.Errorf("a part of %d columns among those of %d", plan.Width(p), len(n.Cols))
			}
		}
	}
	var over []plan.Column
	if ins := n.Inputs(); len(ins) == 1 {
		over = ins[0].Columns()
	}
	var list []expr.Expr
	walk.VisitExprs(n, func(e expr.Expr) { list = append(list, e) })
	return named(n, over, list...)
}

func wholeJoin(n plan.Node, j *plan.Join) error {
	left, right := j.Left.Columns(), j.Right.Columns()
	both := append(left[:len(left):len(left)], right...)
	err := named(n, both, j.Filter, j.Cond)
	for _, k := range j.Keys {
		if err == nil {
			err = named(n, left, k.Left)
		}
		if err == nil {
			err = named(n, right, k.Right)
		}
	}
	if err == nil {
		err = named(n, left, ofLeft(n)...)
	}
	if s, ok := j.Right.(*plan.Scan); ok && err == nil {
		err = whole(s)
	}
	return err
}

// named says that a node's expressions are over the columns of its input.
func named(n plan.Node, cols []plan.Column, list ...expr.Expr) (err error) {
	for _, e := range list {
		if e == nil {
			continue
		}
		expr.Walk(e, func(x expr.Expr) bool {
			c, ok := x.(*expr.Col)
			switch {
			case !ok || err != nil:
			case c.Index < 0 || c.Index >= len(cols):
				err = fmt.Errorf("%T: %s is column %d of %d", n, expr.ToText(e), c.Index, len(cols))
			case c.T.Base() != cols[c.Index].Type.Base():
				err = fmt.Errorf("%T: %s takes column %d, %s, for one of type %s", n, expr.ToText(e), c.Index, cols[c.Index].Type, c.T)
			}
			return true
		})
	}
	return err
}

// TestWholeSees: a plan is found out whose expression names a column that is not there, or another.
func TestWholeSees(t *testing.T) {
	in := &plan.Values{Cols: []plan.Column{{Name: "a", Type: types.Of(types.Int8)}}}
	at := func(i int, k types.Kind) expr.Expr { return &expr.Col{Index: i, T: types.Of(k)} }
	keys := func(e expr.Expr) []plan.SortKey { return []plan.SortKey{{Expr: e}} }
	for _, tt := range []struct {
		n  plan.Node
		ok bool
	}{
		{&plan.Sort{Input: in, Keys: keys(at(0, types.Int8))}, true},
		{&plan.Sort{Input: in, Keys: keys(at(1, types.Int8))}, false},
		{&plan.Sort{Input: in, Keys: keys(at(0, types.Text))}, false},
		{&plan.Limit{Input: &plan.Sort{Input: in, Keys: keys(at(1, types.Int8))}}, false},
		{&plan.Project{Input: in, Exprs: []expr.Expr{at(0, types.Int8)}}, false},
		{&plan.HashJoin{Join: plan.Join{Left: in, Right: in, Match: plan.Match{Filter: at(1, types.Int8)}}}, true},
		{&plan.HashJoin{Join: plan.Join{Left: in, Right: in, Match: plan.Match{Keys: []plan.JoinKey{{Left: at(0, types.Int8), Right: at(1, types.Int8)}}}}}, false},
	} {
		if err := whole(tt.n); (err == nil) != tt.ok {
			t.Errorf("%T: %v", tt.n, err)
		}
	}
}
