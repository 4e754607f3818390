package window_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/window"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var tInt8 = types.Of(types.Int8)

// Columns of the rows: what they are partitioned and ordered by, and a unique number.
const (
	colPart = iota
	colKey
	colID
)

// calls are computed over each frame; each of the model's takes the frame's rows, in order.
var calls = []struct {
	name  string
	model func(frame [][]types.Datum) string
}{
	{"count", func(f [][]types.Datum) string { return fmt.Sprint(len(f)) }},
	{"min", func(f [][]types.Datum) string { return extreme(f, -1) }},
	{"max", func(f [][]types.Datum) string { return extreme(f, 1) }},
	{"sum", func(f [][]types.Datum) string {
		sum := int64(0)
		for _, row := range f {
			sum += row[colID].Int
		}
		if len(f) == 0 {
			return "NULL"
		}
		return fmt.Sprint(sum)
	}},
	{"first_value", func(f [][]types.Datum) string { return at(f, 0) }},
	{"last_value", func(f [][]types.Datum) string { return at(f, len(f)-1) }},
}

func at(f [][]types.Datum, i int) string {
	if i < 0 || i >= len(f) {
		return "NULL"
	}
	return fmt.Sprint(f[i][colID].Int)
}

func extreme(f [][]types.Datum, sign int) string {
	if len(f) == 0 {
		return "NULL"
	}
	best := f[0][colID].Int
	for _, row := range f {
		if sign*int(row[colID].Int-best) > 0 {
			best = row[colID].Int
		}
	}
	return fmt.Sprint(best)
}

// Functions and aggregates over frames of every kind give what they give over the rows that
// the frame's definition picks, in memory and from files.
func TestFramesModel(t *testing.T) {
	exectest.Seeds(t, 150, func(t *testing.T, r *rand.Rand) {
		rows := make([][]types.Datum, []int{0, 1, 5, 60, 300, 1500}[r.IntN(6)])
		parts, keys := 1+r.IntN(4), 1+r.IntN(40)
		null := func(n int) types.Datum {
			if r.IntN(10) == 0 {
				return types.NullDatum
			}
			return types.NewInt(int64(r.IntN(n)))
		}
		for i := range rows {
			rows[i] = []types.Datum{null(parts), null(keys), types.NewInt(int64(i))}
		}
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		f := randomFrame(r)
		order := []plan.SortKey{{Expr: exectest.Col(colKey, tInt8), Desc: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}}
		// Which row is the first of its peers is not said: where it matters, none has peers.
		byID := f.Mode == plan.FrameRows || f.Exclude == plan.ExcludeCurrentRow || r.IntN(4) == 0
		if byID || r.IntN(2) == 0 {
			order, byID = append(order, plan.SortKey{Expr: exectest.Col(colID, tInt8)}), true
		}
		in := &plan.External{}
		ts := []types.T{tInt8, tInt8, tInt8}
		for i, ty := range ts {
			in.Cols = append(in.Cols, plan.Column{Name: fmt.Sprint("c", i), Type: ty})
		}
		n := &plan.Window{Input: in, Order: order, Cols: slices.Clone(in.Cols), Partition: []expr.Expr{exectest.Col(colPart, tInt8)}}
		if r.IntN(4) == 0 {
			n.Partition = nil
		}
		used := calls
		if !byID {
			used = calls[:4] // the order within peers is not said
		}
		for _, c := range used {
			call := plan.WindowCall{Frame: f}
			if fn, args, err := expr.ResolveWindow(c.name, []expr.Expr{exectest.Col(colID, tInt8)}, 0); err == nil {
				call.Func, call.Args, call.T = fn, args, fn.T
			} else {
				a, err := expr.ResolveAgg(c.name, []expr.Expr{exectest.Col(colID, tInt8)}, false, 0)
				if err != nil {
					t.Fatal(err)
				}
				call.Agg, call.Args, call.T = a, a.Args, a.T
			}
			n.Calls, n.Cols = append(n.Calls, call), append(n.Cols, plan.Column{Name: c.name, Type: call.T})
		}
		workMem := []int64{0, 1 << 10, 20 << 10}[r.IntN(3)]
		t.Log(len(rows), "rows", f, "partition", len(n.Partition), "keys", len(order), "work_mem", workMem)
		oper, err := window.NewWindow(n, &exectest.Batches{Rows: rows, Types: ts, Rand: r})
		if err != nil {
			t.Fatal(err)
		}
		want := model(rows, n, f)
		for range 2 {
			seen := 0
			if err := exectest.Run(t, oper, exectest.Context(t, workMem), func(b *vec.Batch) {
				for i := range b.Rows() {
					s := b.Row(i)
					seen++
					id := b.Cols[colID].Ints[s]
					for k, c := range used {
						v := b.Cols[len(ts)+k]
						if got, want := exectest.Text(v.Type, v.Datum(s)), c.model(want[id]); got != want {
							t.Fatalf("%s of row %d: %s, want %s", c.name, id, got, want)
						}
					}
				}
			}); err != nil {
				t.Fatal(err)
			}
			if seen != len(rows) {
				t.Fatalf("%d rows of %d", seen, len(rows))
			}
		}
	})
}

func randomFrame(r *rand.Rand) plan.Frame {
	f := plan.Frame{Mode: []plan.FrameMode{plan.FrameRows, plan.FrameRange, plan.FrameGroups}[r.IntN(3)], Exclude: plan.Exclusion(r.IntN(4))}
	for {
		f.Start.Kind, f.End.Kind = plan.BoundKind(r.IntN(4)), plan.BoundKind(1+r.IntN(4))
		offset := f.Start.Kind == plan.OffsetPreceding || f.Start.Kind == plan.OffsetFollowing || f.End.Kind == plan.OffsetPreceding || f.End.Kind == plan.OffsetFollowing
		if f.Start.Kind <= f.End.Kind && !(offset && f.Mode == plan.FrameRange) {
			break
		}
	}
	f.Start.Offset, f.End.Offset = exectest.Lit(r.IntN(30)), exectest.Lit(r.IntN(30))
	return f
}

// model gives the rows of each row's frame, in their order.
func model(rows [][]types.Datum, n *plan.Window, f plan.Frame) map[int64][][]types.Datum {
	cmp := func(a, b types.Datum, desc, nullsFirst bool) int {
		switch {
		case a.Null && b.Null:
			return 0
		case a.Null || b.Null:
			if a.Null == nullsFirst {
				return -1
			}
			return 1
		}
		c := types.Compare(tInt8, a, b)
		if desc {
			c = -c
		}
		return c
	}
	peers := func(a, b []types.Datum) int {
		for _, k := range n.Order {
			i := k.Expr.(*expr.Col).Index
			if c := cmp(a[i], b[i], k.Desc, k.NullsFirst); c != 0 {
				return c
			}
		}
		return 0
	}
	parts := map[string][][]types.Datum{}
	for _, row := range rows {
		p := ""
		if n.Partition != nil {
			p = fmt.Sprint(row[colPart].Null, row[colPart].Int)
		}
		parts[p] = append(parts[p], row)
	}
	out := map[int64][][]types.Datum{}
	for _, part := range parts {
		slices.SortFunc(part, peers)
		group := make([]int, len(part)) // the number of each row's peers
		for i := 1; i < len(part); i++ {
			group[i] = group[i-1]
			if peers(part[i-1], part[i]) != 0 {
				group[i]++
			}
		}
		for i, row := range part {
			place := func(k int) int { // of row k against row i, in the frame's unit
				if f.Mode == plan.FrameRows {
					return k - i
				}
				return group[k] - group[i]
			}
			bound := func(b plan.Bound) (offset int, bounded bool) {
				switch b.Kind {
				case plan.OffsetPreceding:
					return -int(b.Offset.(*expr.Const).Value.Int), true
				case plan.OffsetFollowing:
					return int(b.Offset.(*expr.Const).Value.Int), true
				case plan.CurrentRow:
					return 0, true
				}
				return 0, false
			}
			lo, from := bound(f.Start)
			hi, to := bound(f.End)
			frame := [][]types.Datum{}
			for k := range part {
				switch {
				case from && place(k) < lo, to && place(k) > hi:
				case f.Exclude == plan.ExcludeCurrentRow && k == i:
				case f.Exclude == plan.ExcludeGroup && group[k] == group[i]:
				case f.Exclude == plan.ExcludeTies && group[k] == group[i] && k != i:
				default:
					frame = append(frame, part[k])
				}
			}
			out[row[colID].Int] = frame
		}
	}
	return out
}
