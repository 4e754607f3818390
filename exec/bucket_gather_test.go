package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// joinedByKey joins the table with itself by its full key, so that what belongs together
// lies in one bucket.
func joinedByKey(f *fixture, wrap func(*plan.Scan) plan.Node, cond expr.Expr) plan.Node {
	left, right := f.scan("host", "ts", "n"), f.scan("host", "ts", "note")
	left.Filter = cond
	return &plan.HashJoin{Join: plan.Join{Kind: plan.Left, Left: wrap(left), Right: wrap(right), Match: plan.Match{
		Keys:   []plan.JoinKey{{Left: colAt(0, tText), Right: colAt(0, tText)}, {Left: colAt(1, tInt8), Right: colAt(1, tInt8)}},
		Filter: opCall("<", opCall("%", colAt(2, tInt8), lit(3)), lit(2)),
	}}}
}

func TestBucketGather(t *testing.T) {
	plainScan := func(s *plan.Scan) plan.Node { return s }
	for _, store := range []storage.Store{mem.New(), remote{mem.New()}, newPebble(t)} {
		f := newFixture(t, 16, withStore(store))
		f.load(12000, 60)
		gathered := func(s *plan.Scan) plan.Node { return f.gathered(s) }
		cond := opCall(">", colAt(2, tInt8), lit(100))
		want := sorted(f.must(joinedByKey(f, gathered, cond)))
		for _, serial := range []bool{false, true} {
			f.acts = &plan.Actuals{}
			join := joinedByKey(f, plainScan, cond)
			byBucket := &plan.SaltGather{Input: join, Serial: serial}
			if got := sorted(f.must(byBucket)); got != want {
				t.Fatalf("joined by bucket it is not the same: %d bytes, want %d", len(got), len(want))
			}
			if f.work.RowsRead != 24000 {
				t.Errorf("%d rows read, want each of both sides once", f.work.RowsRead)
			}
			rows := int64(strings.Count(want, "\n"))
			for _, n := range []plan.Node{byBucket, join} {
				if got := f.acts.Of(n).Rows; got != rows {
					t.Errorf("%T counts %d rows, want %d", n, got, rows)
				}
			}
			f.acts = nil
		}

		// The right side is read whole for each bucket where it has a gather of its own.
		mixed := joinedByKey(f, plainScan, cond).(*plan.HashJoin)
		mixed.Right = gathered(mixed.Right.(*plan.Scan))
		if got := sorted(f.must(&plan.SaltGather{Input: mixed})); got != want {
			t.Fatal("with one side gathered it is not the same")
		}

		// Grouped by bucket there is nothing to combine, and an aggregate above is fed
		// by all workers.
		group := func(in plan.Node) *plan.Aggregate {
			a := &plan.Aggregate{Input: in, Groups: []expr.Expr{colAt(0, tText), colAt(1, tInt8)}, Aggs: []plan.AggCall{callOf("count")}}
			a.Cols = []plan.Column{{Type: tText}, {Type: tInt8}, {Type: tInt8}}
			return a
		}
		total := func(in plan.Node) *plan.Aggregate {
			a := &plan.Aggregate{Input: in, Aggs: []plan.AggCall{callOf("count"), callOf("sum", colAt(2, tInt8))}}
			a.Cols = []plan.Column{{Type: tInt8}, {Type: a.Aggs[1].Agg.T}}
			return a
		}
		if got := f.must(total(&plan.SaltGather{Input: group(f.scan("host", "ts"))})); got != "12000|12000\n" {
			t.Fatal(got)
		}

		// One bound key touches one bucket of each side.
		bound := joinedByKey(f, func(s *plan.Scan) plan.Node {
			s.Access, s.Key = plan.PointRead, key(term(plan.KeyEq, 0, lit("host-007")), term(plan.KeyEq, 1, lit(67)))
			return s
		}, nil)
		if got := f.must(&plan.SaltGather{Input: bound}); got != "host-007|67|67|host-007|67|note 67\n" || f.work.RowsRead != 2 || f.work.Buckets != 2 {
			t.Fatal(got, f.work)
		}
	}
}

func TestBucketMerge(t *testing.T) {
	for _, store := range []storage.Store{mem.New(), remote{mem.New()}} {
		f := newFixture(t, 16, withStore(store))
		f.load(5000, 60)
		cond := opCall("=", opCall("%", colAt(1, tInt8), lit(2)), lit(0))
		keys := []plan.SortKey{{Expr: colAt(0, tText)}, {Expr: colAt(1, tInt8), Desc: true, NullsFirst: true}}
		want := f.must(&plan.Filter{Input: f.merged(f.scan("host", "ts", "note"), plan.Forward), Cond: cond})
		s := f.scan("host", "ts", "note")
		s.Order = plan.Forward
		if got := f.must(&plan.SaltMerge{Input: &plan.Filter{Input: s, Cond: cond}, Keys: keys}); got != want {
			t.Fatalf("%.200s\nwant\n%.200s", got, want)
		}
		if f.work.RowsRead != 5000 {
			t.Error(f.work)
		}
	}
}

// TestBucketGatherEnds: left or failing at any moment no goroutine is left behind, which
// TestMain sees, and no byte.
func TestBucketGatherEnds(t *testing.T) {
	f := newFixture(t, 16, withStore(remote{mem.New()}))
	f.load(3000, 60)
	exectest.Seeds(t, 30, func(t *testing.T, r *rand.Rand) {
		plainScan := func(s *plan.Scan) plan.Node { return s }
		var cond expr.Expr
		if r.IntN(2) == 0 { // division by zero, at one row
			cond = opCall(">", opCall("/", lit(1), opCall("-", colAt(2, tInt8), lit(r.IntN(3000)))), lit(-5))
		}
		root := plan.Node(&plan.SaltGather{Input: joinedByKey(f, plainScan, cond)})
		if r.IntN(3) == 0 {
			a := &plan.Aggregate{Input: root, Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tInt8}}}
			root = a
		}
		s, err := Prepare(&plan.Plan{Root: root, Columns: root.Columns(), Tables: []*catalog.Table{f.table}})
		if err != nil {
			t.Fatal(err)
		}
		f.set = op.Settings{WorkMem: 30 << 10, TempDir: t.TempDir()}
		for range 3 {
			cx := f.context()
			ctx, cancel := context.WithCancel(context.Background())
			cx.Ctx = ctx
			if err := s.Open(cx); err != nil {
				t.Fatal(err)
			}
			for range r.IntN(10) {
				if _, err := s.Next(); err != nil {
					break
				}
				if r.IntN(10) == 0 {
					cancel()
				}
			}
			if err := s.Close(); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			cancel()
			if n := cx.Memory.Used(); n != 0 {
				t.Errorf("%d bytes are still booked", n)
			}
			if n := exectest.SpillFiles(t); n != 0 {
				t.Error(fmt.Sprint(n, " files are still open"))
			}
		}
	})
}
