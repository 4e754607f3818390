package exec

import (
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestWindowMemory: one partition much larger than work_mem is computed in about work_mem,
// over frames that grow, slide, and are put together from a tree.
func TestWindowMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("many rows")
	}
	const rows, work = 150_000, 1 << 20
	slide := plan.Frame{Mode: plan.FrameRows, Start: plan.Bound{Kind: plan.OffsetPreceding, Offset: lit(20000)}, End: plan.Bound{Kind: plan.OffsetFollowing, Offset: lit(10)}}
	grow := plan.Frame{Mode: plan.FrameRows, End: plan.Bound{Kind: plan.CurrentRow}}
	series := &plan.TableFunc{Name: "generate_series", Args: []expr.Expr{lit(1), lit(rows)}, Cols: []plan.Column{{Type: tInt8}}}
	text, err := expr.ResolveCast(colAt(0, tInt8), tText, expr.Explicit, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := &plan.Project{Input: series, Exprs: []expr.Expr{opCall("%", opCall("*", colAt(0, tInt8), lit(7919)), lit(rows)), text},
		Cols: []plan.Column{{Type: tInt8}, {Type: tText}}}
	n := &plan.Window{Input: in, Order: []plan.SortKey{{Expr: colAt(0, tInt8)}}, Cols: []plan.Column{{Type: tInt8}, {Type: tText}}}
	add := func(name string, f plan.Frame, args ...expr.Expr) {
		a := callOf(name, args...)
		n.Calls = append(n.Calls, plan.WindowCall{Agg: a.Agg, Args: a.Args, T: a.Agg.T, Frame: f})
		n.Cols = append(n.Cols, plan.Column{Type: a.Agg.T})
	}
	add("sum", slide, colAt(0, tInt8))
	add("max", slide, colAt(0, tInt8))
	add("count", grow)
	add("min", grow, colAt(1, tText))
	lead, args, err := expr.ResolveWindow("lead", []expr.Expr{colAt(0, tInt8), &expr.Const{Value: types.NewInt(5000), T: tInt4}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	n.Calls, n.Cols = append(n.Calls, plan.WindowCall{Func: lead, Args: args, T: lead.T, Frame: grow}), append(n.Cols, plan.Column{Type: tInt8})
	op, err := Build(n)
	if err != nil {
		t.Fatal(err)
	}
	cx := exectest.Context(t, work)
	at := int64(0)
	err = exectest.Run(t, op, cx, func(b *vec.Batch) {
		for i := range b.Rows() {
			s := b.Row(i)
			first, last := max(at-20000, 0), min(at+10, rows-1)
			sum := (first + last) * (last - first + 1) / 2
			if d := b.Cols[2].Datum(s); b.Cols[0].Ints[s] != at || b.Cols[3].Ints[s] != last || b.Cols[4].Ints[s] != at+1 || d.Decimal.Coeff.Int64() != sum {
				t.Fatalf("row %d: %d, sum %v, want %d, max %d, count %d", at, b.Cols[0].Ints[s], d.Decimal, sum, b.Cols[3].Ints[s], b.Cols[4].Ints[s])
			}
			if ahead := at + 5000; ahead < rows && b.Cols[6].Ints[s] != ahead || ahead >= rows && !b.Cols[6].Null(s) {
				t.Fatalf("row %d: lead %d", at, b.Cols[6].Ints[s])
			}
			at++
		}
	})
	if err != nil || at != rows {
		t.Fatal(at, err)
	}
	if peak := cx.Memory.Peak(); peak > 8*work {
		t.Errorf("%d bytes at the most, with work_mem of %d", peak, work)
	}
	if cx.Work.SpillBytes == 0 {
		t.Error("nothing spilled")
	}
}
