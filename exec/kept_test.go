package exec

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/plan/plantest"
)

// keepsLittle are the nodes whose operators hold no more than batches, whatever comes, or what
// another test looks at.
var keepsLittle = map[string]string{
	"Scan": "pages", "SaltMerge": "a page of each bucket", "SaltGather": "a few batches of each bucket", "VirtualScan": "booked as the relation is read",
	"Filter": "a batch", "Project": "a batch", "Limit": "a batch", "RowByRow": "a batch", "Append": "a batch", "Values": "of the plan",
	"OneRow": "a row", "External": "a batch of its source", "WithScan": "a reader: With has the rows", "DistinctOn": "a row",
	"LookupJoin": "a batch and its matches", "Apply": "answers of queries, in KeptBatches",
	"Insert": "writes: BookWrites", "Upsert": "writes: BookWrites", "Update": "writes: BookWrites", "Delete": "writes: BookWrites", "Lock": "locks of the transaction",
}

// TestKeptIsBooked: what an operator of each kind of node holds in the middle of its work is booked.
// The live heap, which the collector tells, is held against the statement's account.
func TestKeptIsBooked(t *testing.T) {
	const rows, wide = 20_000, 300
	cols := []plan.Column{{Type: tInt8}, {Type: tText}}
	n, s := colAt(0, tInt8), colAt(1, tText)
	series := func(args ...any) plan.Node {
		f := &plan.TableFunc{Name: "generate_series", Cols: cols[:1]}
		for _, a := range args {
			f.Args = append(f.Args, lit(a))
		}
		return f
	}
	padded := func(of expr.Expr) expr.Expr {
		return opCall("||", &expr.Cast{X: of, To: tText, Explicit: true}, lit(strings.Repeat("x", wide)))
	}
	// Rows descend, by which none of them is the first or the last twice.
	in := func() plan.Node {
		return &plan.Project{Input: series(rows, 1, -1), Exprs: []expr.Expr{n, padded(n)}, Cols: cols}
	}
	list := types.ArrayOf(tText)
	on := func(l, r expr.Expr) plan.Match {
		return plan.Match{Keys: []plan.JoinKey{{Left: l, Right: r}}}
	}
	window := callOf("max", s)
	cases := map[string]plan.Node{
		"Sort":           &plan.Sort{Input: in(), Keys: []plan.SortKey{{Expr: n}}},
		"TopN":           &plan.TopN{Input: in(), Keys: []plan.SortKey{{Expr: n}}, Count: lit(rows - 1)},
		"Aggregate":      &plan.Aggregate{Input: in(), Groups: []expr.Expr{n, s}, Cols: cols},
		"Aggregate list": &plan.Aggregate{Input: in(), Aggs: []plan.AggCall{callOf("array_agg", s)}, Cols: []plan.Column{{Type: list}}},
		"HashJoin":       &plan.HashJoin{Join: plan.Join{Left: in(), Right: in(), Match: on(n, n)}},
		"MergeJoin":      &plan.MergeJoin{Join: plan.Join{Match: on(colAt(0, tInt8), colAt(0, tInt8)), Left: &plan.Project{Input: in(), Exprs: []expr.Expr{lit(1), s}, Cols: cols}, Right: &plan.Project{Input: in(), Exprs: []expr.Expr{lit(1), s}, Cols: cols}}, Desc: []bool{false}},
		"NestedLoop":     &plan.NestedLoop{Join: plan.Join{Left: in(), Right: in(), Match: plan.Match{Filter: opCall("<", colAt(0, tInt8), colAt(2, tInt8))}}},
		"With": &plan.With{ID: 1, Query: in(), Body: &plan.Append{Cols: cols, Parts: []plan.Node{
			&plan.Filter{Input: &plan.WithScan{ID: 1, Cols: cols}, Cond: opCall("<", n, lit(0))}, &plan.WithScan{ID: 1, Cols: cols}}}},
		"RecursiveUnion": &plan.RecursiveUnion{ID: 2, Cols: cols, Start: in(),
			Step: &plan.Filter{Input: &plan.WithScan{ID: 2, Cols: cols}, Cond: opCall("<", n, lit(0))}},
		"SetOp":      &plan.SetOp{Left: in(), Right: in(), Cols: cols},
		"Window":     &plan.Window{Input: in(), Calls: []plan.WindowCall{{Agg: window.Agg, Args: window.Args, T: window.Agg.T, Frame: plan.Frame{Mode: plan.FrameRows, End: plan.Bound{Kind: plan.CurrentRow}}}}, Cols: append(cols[:2:2], plan.Column{Type: tText})},
		"ProjectSet": &plan.ProjectSet{Input: &plan.Limit{Input: in(), Count: lit(10)}, Sets: []plan.SetCall{{Name: "generate_series", Args: []expr.Expr{lit(1), lit(rows)}}}, Cols: append(cols[:2:2], plan.Column{Type: tInt8})},
		"TableFunc":  series(1, 100*rows),
	}
	for _, node := range plantest.Nodes(t) {
		name := strings.TrimPrefix(fmt.Sprintf("%T", node), "*plan.")
		if cases[name] == nil && keepsLittle[name] == "" {
			t.Errorf("%s has no case here, and keepsLittle does not say why", name)
		}
	}
	for name, node := range cases {
		t.Run(name, func(t *testing.T) {
			o, err := Build(node)
			if err != nil {
				t.Fatal(err)
			}
			cx := exectest.Context(t, 0)
			before := liveHeap()
			if err := o.Open(cx); err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			most := int64(0)
			for batch := range 30 {
				if _, err := o.Next(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if batch%10 > 0 {
					continue
				}
				held, booked := liveHeap()-before, cx.Memory.Used()
				most = max(most, held)
				if slack := int64(1 << 20); held > booked+booked/3+slack {
					t.Errorf("after %d batches %d bytes are held, %d booked", batch+1, held, booked)
				}
			}
			t.Logf("%d bytes at the most", most)
		})
	}
}

// liveHeap is how many bytes are reachable.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
