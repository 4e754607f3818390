package exec

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// countdown is a context that is canceled when it has been asked often enough.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// cancelPlans are plans over enough rows to spill.
func cancelPlans(t *testing.T) map[string]func() plan.Node {
	numbers := func(n int) plan.Node {
		series := &plan.TableFunc{Name: "generate_series", Args: []expr.Expr{lit(1), lit(n)}, Cols: []plan.Column{{Type: tInt8}}}
		text, err := expr.ResolveCast(colAt(0, tInt8), tText, expr.Explicit, 0)
		if err != nil {
			t.Fatal(err)
		}
		return &plan.Project{Input: series, Exprs: []expr.Expr{colAt(0, tInt8), opCall("%", colAt(0, tInt8), lit(7)), text},
			Cols: []plan.Column{{Type: tInt8}, {Type: tInt8}, {Type: tText}}}
	}
	cols := []plan.Column{{Type: tInt8}, {Type: tInt8}, {Type: tText}}
	window := func(partition []expr.Expr, f plan.Frame) func() plan.Node {
		return func() plan.Node {
			call := func(name string, args ...expr.Expr) plan.WindowCall {
				a := callOf(name, args...)
				return plan.WindowCall{Agg: a.Agg, Args: a.Args, T: a.Agg.T, Frame: f}
			}
			n := &plan.Window{Input: numbers(6000), Partition: partition, Order: []plan.SortKey{{Expr: colAt(0, tInt8), Desc: true}},
				Calls: []plan.WindowCall{call("count"), call("max", colAt(2, tText)), call("string_agg", colAt(2, tText), lit(","))}, Cols: cols}
			for _, c := range n.Calls {
				n.Cols = append(n.Cols[:len(n.Cols):len(n.Cols)], plan.Column{Type: c.T})
			}
			return n
		}
	}
	five := plan.Frame{Mode: plan.FrameRows, Start: plan.Bound{Kind: plan.OffsetPreceding, Offset: lit(100)}, End: plan.Bound{Kind: plan.OffsetFollowing, Offset: lit(5)}}
	return map[string]func() plan.Node{
		"window":            window(nil, five),
		"window partitions": window([]expr.Expr{colAt(1, tInt8)}, five),
		"except": func() plan.Node {
			return &plan.SetOp{Except: true, All: true, Left: numbers(5000), Right: numbers(4000), Cols: cols}
		},
		"intersect": func() plan.Node { return &plan.SetOp{Left: numbers(4000), Right: numbers(5000), Cols: cols} },
		"sets": func() plan.Node {
			n := &plan.Aggregate{Input: numbers(4000), Groups: []expr.Expr{colAt(0, tInt8), colAt(2, tText)}, Sets: [][]int{{0, 1}, {1}, {}}, Groupings: [][]int{{0, 1}},
				Aggs: []plan.AggCall{callOf("count"), callOf("max", colAt(2, tText))}}
			n.Cols = []plan.Column{{Type: tInt8}, {Type: tText}, {Type: tInt8}, {Type: tText}, {Type: tInt4}}
			return n
		},
		"recursion": func() plan.Node {
			one := []plan.Column{{Type: tInt8}}
			scan := func() plan.Node { return &plan.WithScan{ID: 3, Cols: one} }
			step := &plan.Append{Cols: one, Parts: []plan.Node{scan(), &plan.Project{Input: scan(), Exprs: []expr.Expr{opCall("+", colAt(0, tInt8), lit(1))}, Cols: one}}}
			return &plan.Limit{Input: &plan.RecursiveUnion{ID: 3, All: true, Start: oneValue(lit(1)), Step: step, Cols: one}, Count: lit(20000)}
		},
		"recursion distinct": func() plan.Node {
			one := []plan.Column{{Type: tInt8}}
			each := func(e expr.Expr) plan.Node {
				return &plan.Project{Input: &plan.WithScan{ID: 3, Cols: one}, Exprs: []expr.Expr{e}, Cols: one}
			}
			twice := opCall("*", colAt(0, tInt8), lit(2))
			step := &plan.Append{Cols: one, Parts: []plan.Node{each(twice), each(opCall("+", twice, lit(1)))}}
			return &plan.Limit{Input: &plan.RecursiveUnion{ID: 3, Start: oneValue(lit(1)), Step: step, Cols: one}, Count: lit(6000)}
		},
		"project set": func() plan.Node {
			c := plan.SetCall{Name: "generate_series", Args: []expr.Expr{lit(1), colAt(1, tInt8)}}
			return &plan.ProjectSet{Input: numbers(3000), Sets: []plan.SetCall{c}, Cols: append(cols[:3:3], plan.Column{Type: tInt8})}
		},
		"distinct": func() plan.Node {
			a, err := expr.ResolveAgg("count", []expr.Expr{colAt(2, tText)}, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			b, err := expr.ResolveAgg("sum", []expr.Expr{colAt(0, tInt8)}, true, 0)
			if err != nil {
				t.Fatal(err)
			}
			return &plan.Aggregate{Input: numbers(6000), Groups: []expr.Expr{opCall("%", colAt(0, tInt8), lit(3))},
				Aggs: []plan.AggCall{{Agg: a, Args: a.Args, Distinct: true}, {Agg: b, Args: b.Args, Distinct: true}},
				Cols: []plan.Column{{Type: tInt8}, {Type: tInt8}, {Type: types.Of(types.Numeric)}}}
		},
	}
}

// TestCancelLeavesNothing cancels statements wherever they look whether they are, or
// leaves them after some rows: nothing stays booked, no file open, no goroutine alive.
func TestCancelLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many statements")
	}
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	for name, make := range cancelPlans(t) {
		t.Run(name, func(t *testing.T) {
			op, err := Build(make())
			if err != nil {
				t.Fatal(err)
			}
			run := func(asks, batches int) (used int) {
				cx := exectest.Context(t, 32<<10)
				c := &countdown{context.Background(), asks}
				cx.Ctx = c
				defer func() {
					if err := op.Close(); err != nil {
						t.Error(err)
					}
					if n := cx.Memory.Used(); n != 0 {
						t.Errorf("canceled at %d, left at %d: %d bytes are still booked", asks, batches, n)
					}
					if n := exectest.SpillFiles(t); n != 0 {
						t.Errorf("canceled at %d, left at %d: %d files are still open", asks, batches, n)
					}
				}()
				if err := op.Open(cx); err != nil {
					return asks - c.left
				}
				for range batches {
					_, err := op.Next()
					if err != nil {
						if err != io.EOF && !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
						break
					}
				}
				return asks - c.left
			}
			all := run(1<<30, 1<<30)
			for range 6 {
				run(rng.IntN(all+1), 1<<30)
				run(1<<30, rng.IntN(40))
			}
			if run(1<<30, 1<<30) != all {
				t.Error("the statement does not run again as it ran")
			}
		})
	}
}
