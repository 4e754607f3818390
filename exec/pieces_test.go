package exec

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// splitStore counts how its tables are cut, and the scans of them.
type splitStore struct {
	storage.Store
	splits, scans atomic.Int64
}

type splitTable struct {
	storage.Table
	s *splitStore
}

func (s *splitStore) Table(name string) storage.Table { return splitTable{s.Store.Table(name), s} }

func (t splitTable) Split(ctx context.Context, sp storage.Span, most int) ([]storage.Span, error) {
	t.s.splits.Add(1)
	return t.Table.Split(ctx, sp, most)
}

func (t splitTable) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

func (t splitTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	t.s.scans.Add(1)
	return t.Table.Scan(ctx, req)
}

// TestPieces holds that an aggregation and a Top N over many rows of an unsalted table are
// fed by scans of its pieces, with the same result and each row read once, and that few
// rows, rows in order, rows of one stream and aggregates that show the order are not.
func TestPieces(t *testing.T) {
	const rows = 30_000
	for _, store := range []storage.Store{mem.New(), remote{mem.New()}, newPebble(t)} {
		s := &splitStore{Store: store}
		f := newFixture(t, 0, withStore(s))
		f.load(rows, 60)
		total := func(in plan.Node, aggs ...plan.AggCall) *plan.Aggregate {
			a := &plan.Aggregate{Input: in, Aggs: aggs}
			for i := range aggs {
				a.Cols = append(a.Cols, plan.Column{Type: aggs[i].Agg.T})
			}
			return a
		}
		sums := []plan.AggCall{callOf("count"), callOf("sum", colAt(2, tInt8)), callOf("max", colAt(1, tInt8))}
		filtered := func() *plan.Scan {
			sc := f.scan("host", "ts", "n")
			sc.Filter = opCall("<", opCall("%", colAt(2, tInt8), lit(3)), lit(2))
			return sc
		}
		ordered := filtered()
		ordered.Order = plan.Forward
		locked := filtered()
		locked.ForUpdate = true
		limited := filtered()
		limited.Limit = lit(rows)
		top := func() plan.Node {
			return &plan.TopN{Input: filtered(), Keys: []plan.SortKey{{Expr: colAt(2, tInt8), Desc: true}, {Expr: colAt(0, tText)}, {Expr: colAt(1, tInt8)}}, Count: lit(7)}
		}
		grouped := func() plan.Node {
			a := total(filtered(), sums...)
			a.Groups = []expr.Expr{colAt(0, tText)}
			a.Cols = slices.Insert(a.Cols, 0, plan.Column{Type: tText})
			return a
		}
		for _, c := range []struct {
			name   string
			node   func() plan.Node
			pieces bool
		}{
			{"sums", func() plan.Node { return total(filtered(), sums...) }, true},
			{"groups", grouped, true},
			{"top", top, true},
			{"rows", func() plan.Node { return filtered() }, false},
			{"in order", func() plan.Node { return total(ordered, sums...) }, false},
			{"locked", func() plan.Node { return total(locked, sums...) }, false},
			{"limited", func() plan.Node { return total(limited, sums...) }, false},
			{"shown order", func() plan.Node { return total(filtered(), callOf("array_agg", colAt(1, tInt8))) }, false},
		} {
			run := func(set op.Settings) (string, int64, int64) {
				f.set, f.acts = set, &plan.Actuals{}
				splits, scans := s.splits.Load(), s.scans.Load()
				n := c.node()
				got := f.must(n)
				if f.work.RowsRead != rows {
					t.Errorf("%s: %d rows read of %d", c.name, f.work.RowsRead, rows)
				}
				in := n
				for len(in.Inputs()) > 0 {
					in = in.Inputs()[0]
				}
				if act := f.acts.Of(in).Rows; act != rows*2/3 {
					t.Errorf("%s: the scan counts %d rows of %d", c.name, act, rows*2/3)
				}
				if c.name == "groups" {
					got = sorted(got)
				}
				return got, s.splits.Load() - splits, s.scans.Load() - scans
			}
			want, splits, _ := run(op.Settings{Fanout: 1})
			if splits != 0 {
				t.Errorf("%s: cut for one stream", c.name)
			}
			got, splits, scans := run(op.Settings{})
			if got != want {
				t.Errorf("%s: %.200q by pieces, %.200q in one", c.name, got, want)
			}
			if c.pieces != (splits == 1) || c.pieces != (scans > 4) {
				t.Errorf("%s: cut %d times, %d scans", c.name, splits, scans)
			}
		}
		f.set, f.acts = op.Settings{}, nil
		splits := s.splits.Load()
		few := f.scan("host", "ts", "n")
		few.Access, few.Key = plan.RangeScan, key(term(plan.KeyEq, 0, lit("host-007")))
		f.must(total(few, sums...))
		if s.splits.Load() != splits {
			t.Error("few rows are cut into pieces")
		}
	}
}
