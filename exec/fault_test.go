package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

// faulty is a fixture over a store that fails by rules added later.
func faulty(t *testing.T, buckets int, weak bool) (*fixture, *fault.Store) {
	s := fault.Wrap(mem.New())
	if weak {
		return newFixture(t, buckets, withStore(remote{s})), s
	}
	return newFixture(t, buckets, withStore(s)), s
}

func TestReadFaults(t *testing.T) {
	for _, weak := range []bool{false, true} {
		f, s := faulty(t, 16, weak)
		f.load(20000, 5)
		roots := map[string]plan.Node{
			"merge": f.merged(f.scan(), plan.Forward), "gather": f.gathered(f.scan()), "aggregate": countAll(f),
			"limit": &plan.Limit{Input: f.merged(limited(f.scan(), 10), plan.Forward), Count: lit(10)},
		}
		for name, root := range roots {
			for _, rule := range []fault.Rule{
				{Op: storage.OpScan, Do: fault.FailBefore, Nth: 3},
				{Op: storage.OpScan, Do: fault.Cut, Rows: 7, Nth: 2},
				{Op: storage.OpScan, Do: fault.Delay, Delay: time.Millisecond, Nth: 2, Times: 2},
				{Op: storage.OpScan, Do: fault.CancelRace, Rows: 100, Nth: 4},
			} {
				s.Reset()
				want := f.must(root)
				s.Add(rule)
				got, err := f.run(root)
				if err == nil {
					// It never came to the call, or that only took longer.
					if sorted(got) != sorted(want) {
						t.Errorf("%s %+v: %d bytes, want %d", name, rule, len(got), len(want))
					}
				} else if c := sqlerr.CodeOf(err); c != sqlerr.CannotConnectNow && c != sqlerr.QueryCanceled {
					t.Errorf("%s %+v: %v", name, rule, err)
				}
			}
		}
		s.Reset()
	}
}

func limited(s *plan.Scan, n int) *plan.Scan {
	s.Limit = lit(n)
	return s
}

func TestWriteFaults(t *testing.T) {
	rows := func(n int) (list [][]any) {
		for i := range n {
			list = append(list, []any{"h", i, i, 1.0, nil})
		}
		return list
	}
	count := func(f *fixture) int { return strings.Count(f.all(), "\n") }

	t.Run("nothing happened is tried again", func(t *testing.T) {
		f, s := faulty(t, 4, true)
		s.Add(fault.Rule{Op: storage.OpCheckAndMutate, Do: fault.FailBefore, Times: 3})
		f.must(f.insert(rows(1)...))
		if count(f) != 1 {
			t.Fatal("not written")
		}
	})
	t.Run("a lost answer", func(t *testing.T) {
		f, s := faulty(t, 4, true)
		s.Add(fault.Rule{Op: storage.OpCheckAndMutate, Do: fault.FailAfter})
		f.refused(f.insert(rows(1)...), sqlerr.StatementCompletionUnknown, "not known whether")
	})
	t.Run("a part of a blind write", func(t *testing.T) {
		f, s := faulty(t, 4, true)
		s.Add(fault.Rule{Op: storage.OpMutate, Do: fault.Partial, Rows: 4})
		f.refused(f.upsert(plan.Blind, []int{0, 1, 2, 3, 4}, rows(10)...), sqlerr.CannotConnectNow, "4 rows were written")
		if count(f) != 4 {
			t.Fatal(count(f))
		}
	})
	t.Run("a part of conditional writes", func(t *testing.T) {
		f, s := faulty(t, 4, true)
		s.Add(fault.Rule{Op: storage.OpCheckAndMutate, Do: fault.FailBefore, Nth: 30, Times: -1})
		e := f.refused(f.insert(rows(200)...), sqlerr.CannotConnectNow)
		s.Reset()
		if want := fmt.Sprintf("%d rows were written", count(f)); !strings.Contains(e.Detail, want) {
			t.Fatalf("%s, want %s", e.Detail, want)
		}
	})
	t.Run("an atomic statement", func(t *testing.T) {
		f, s := faulty(t, 4, false)
		s.Add(fault.Rule{Op: storage.OpCommit, Do: fault.FailBefore})
		f.refused(f.insert(rows(10)...), sqlerr.CannotConnectNow)
		if count(f) != 0 {
			t.Fatal("half a statement")
		}
		f.must(f.insert(rows(10)...)) // no lock is left
	})
	t.Run("an ambiguous commit", func(t *testing.T) {
		f, s := faulty(t, 4, false)
		s.Add(fault.Rule{Op: storage.OpCommit, Do: fault.FailAfter})
		f.refused(f.insert(rows(10)...), sqlerr.StatementCompletionUnknown)
	})
}

// TestReadsOwnTable: without a snapshot, rows that a statement writes must not
// become its own input.
func TestReadsOwnTable(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.load(3000, 3)
		exprs := shifted(f)
		ins := &plan.Insert{Table: f.table, Mode: plan.CheckAbsent, Input: &plan.Project{Input: f.gathered(f.scan()), Exprs: exprs, Cols: f.cols()}}
		f.must(ins)
		if f.work.RowsWritten != 3000 {
			t.Fatal(f.work)
		}
		up := &plan.Update{Table: f.table, Input: f.forWrite(nil), MovesKey: true, Mode: plan.ReadFirst,
			Set: []plan.SetColumn{{Column: 1, Value: opCall("+", f.col("ts"), lit(1_000_000))}}}
		f.must(up)
		if f.work.RowsWritten != 6000 {
			t.Fatal(f.work)
		}
	})
}

// shifted copies a row under another key.
func shifted(f *fixture) []expr.Expr {
	return []expr.Expr{opCall("||", f.col("host"), lit("x")), opCall("+", f.col("ts"), lit(10000)), f.col("n"), f.col("cpu"), f.col("note")}
}

// broken is a store whose scans panic after a while.
type broken struct{ storage.Store }

type brokenTable struct{ storage.Table }

type brokenScanner struct {
	storage.Scanner
	n int
}

func (b broken) Table(name string) storage.Table { return brokenTable{b.Store.Table(name)} }

func (b brokenTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	s, err := b.Table.Scan(ctx, req)
	return &brokenScanner{Scanner: s}, err
}

func (b *brokenScanner) Next(dst *storage.RowBatch) error {
	if b.n++; b.n > 3 {
		panic("broken")
	}
	return b.Scanner.Next(dst)
}

func TestPanicsAreErrors(t *testing.T) {
	for _, s := range []storage.Store{broken{mem.New()}, remote{broken{mem.New()}}} {
		for _, buckets := range []int{0, 2} {
			f := newFixture(t, buckets, withStore(s))
			f.load(20000, 5)
			for _, root := range []plan.Node{f.merged(f.scan(), plan.Forward), f.gathered(f.scan()), countAll(f), &plan.Sort{Input: f.gathered(f.scan()), Keys: []plan.SortKey{{Expr: colAt(1, tInt8)}}}} {
				f.refused(root, sqlerr.InternalError, "internal error")
			}
			if err := s.Admin().DropTable(context.Background(), f.table.Physical); err != nil {
				t.Fatal(err)
			}
		}
	}
}
