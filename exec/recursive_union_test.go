package exec

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

func oneValue(e expr.Expr) plan.Node {
	return &plan.Values{Rows: [][]expr.Expr{{e}}, Cols: []plan.Column{{Type: e.Type()}}}
}

func TestRecursiveUnionAgainstPostgres(t *testing.T) {
	o := newOracle(t, 1)
	tab := o.table("e", 60, oracleColumn{"a", "int8", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "NULL"}},
		oracleColumn{"b", "int8", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "NULL"}})
	for _, mem := range []int64{0, 1 << 10} {
		o.f.set = op.Settings{WorkMem: mem, TempDir: t.TempDir()}
		cols := []plan.Column{{Type: tInt8}}
		count := func(all bool, upTo int) *plan.RecursiveUnion {
			return &plan.RecursiveUnion{ID: 7, All: all, Cols: cols, Start: oneValue(lit(1)), Step: &plan.Project{
				Input: &plan.Filter{Input: &plan.WithScan{ID: 7, Cols: cols}, Cond: opCall("<", colAt(0, tInt8), lit(upTo))},
				Exprs: []expr.Expr{opCall("+", colAt(0, tInt8), lit(1))}, Cols: cols}}
		}
		o.check("WITH RECURSIVE c AS (SELECT 1::int8 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT * FROM c", count(true, 3000), nil)
		o.check("WITH RECURSIVE c AS (SELECT 1::int8 AS n UNION SELECT n + 1 FROM c WHERE n < 300) SELECT * FROM c", count(false, 300), nil)
		// A walk over a graph with circles.
		walk := &plan.RecursiveUnion{ID: 1, Cols: cols, Start: oneValue(lit(3)), Step: &plan.Project{
			Input: &plan.HashJoin{Join: plan.Join{Left: tab.node(), Right: &plan.WithScan{ID: 1, Cols: cols}, Match: plan.Match{Keys: []plan.JoinKey{{Left: tab.col("a"), Right: colAt(0, tInt8)}}}}},
			Exprs: []expr.Expr{colAt(2, tInt8)}, Cols: cols}}
		o.check("WITH RECURSIVE c AS (SELECT 3::int8 AS n UNION SELECT b FROM e JOIN c ON a = n) SELECT * FROM c", walk, nil)
		// One that has no end is ended by a limit; doubling rows fill memory and spill.
		endless := &plan.RecursiveUnion{ID: 2, All: true, Cols: cols, Start: oneValue(lit(1)), Step: &plan.Append{Cols: cols, Parts: []plan.Node{
			&plan.Project{Input: &plan.WithScan{ID: 2, Cols: cols}, Exprs: []expr.Expr{opCall("*", colAt(0, tInt8), lit(2))}, Cols: cols},
			&plan.Project{Input: &plan.WithScan{ID: 2, Cols: cols}, Exprs: []expr.Expr{opCall("+", colAt(0, tInt8), lit(1))}, Cols: cols}}}}
		o.check("SELECT 20000::int8", &plan.Aggregate{Input: &plan.Limit{Input: endless, Count: lit(20000)}, Aggs: []plan.AggCall{callOf("count")}, Cols: cols}, nil)
		if mem > 0 && o.f.work.SpillBytes == 0 {
			t.Error("nothing spilled")
		}
	}
}

// TestRecursiveUnionSpills: the rows that a recursion has given are spilled at work_mem, and those
// before them too where their texts took more than that.
func TestRecursiveUnionSpills(t *testing.T) {
	for _, c := range []struct {
		upTo, wide  int
		work, limit int64
	}{{100_000, 0, 64 << 10, 1 << 20}, {100_000, 0, 1 << 20, 2 << 20}, {3_000, 3_000, 256 << 10, 16 << 20}} {
		cols := []plan.Column{{Type: tInt8}, {Type: tText}}
		n := colAt(0, tInt8)
		each := func(e expr.Expr) plan.Node {
			return &plan.Project{Input: &plan.WithScan{ID: 7, Cols: cols}, Exprs: []expr.Expr{e, colAt(1, tText)}, Cols: cols}
		}
		twice := opCall("*", n, lit(2))
		step := &plan.Filter{Cond: opCall("<=", n, lit(c.upTo)), Input: &plan.Append{Cols: cols,
			Parts: []plan.Node{each(twice), each(opCall("+", twice, lit(1))), each(opCall("+", n, lit(1)))}}}
		start := &plan.Values{Rows: [][]expr.Expr{{lit(1), lit(strings.Repeat("x", c.wide))}}, Cols: cols}
		op, err := Build(&plan.RecursiveUnion{ID: 7, Cols: cols, Start: start, Step: step})
		if err != nil {
			t.Fatal(err)
		}
		cx := exectest.Context(t, c.work)
		cx.Memory.Open(cx.Pool, c.limit, c.work)
		given := map[int64]bool{}
		rows := 0
		err = exectest.Run(t, op, cx, func(b *vec.Batch) {
			for i := range b.Rows() {
				given[b.Cols[0].Ints[b.Row(i)]] = true
				rows++
			}
		})
		if err != nil || len(given) != c.upTo || rows != c.upTo {
			t.Fatalf("%+v: %d rows, %d of them different, %v", c, rows, len(given), err)
		}
		if cx.Work.SpillBytes == 0 {
			t.Error("nothing spilled")
		}
	}
}
