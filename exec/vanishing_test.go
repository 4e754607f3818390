package exec

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// vanishing is a store from which another deletes rows between a statement's
// read of them and its first compare-and-set.
type vanishing struct {
	storage.Store
	rows []storage.RowMutation
	once *sync.Once
}

func (s vanishing) Table(name string) storage.Table { return vanishingTable{s.Store.Table(name), s} }

type vanishingTable struct {
	storage.Table
	s vanishing
}

func (t vanishingTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if m.Cond.Op == storage.CellTSEquals {
		var err error
		t.s.once.Do(func() { err = t.Table.Mutate(ctx, t.s.rows, storage.WriteOptions{}) })
		if err != nil {
			return false, err
		}
	}
	return t.Table.CheckAndMutate(ctx, m)
}

// Rows that vanish under ON CONFLICT and ON DUPLICATE KEY are tried again in
// the order of the store's keys and still are a batch like any other: its
// selection ascends, and each row is its own.
func TestRowsVanish(t *testing.T) {
	const n = 7
	for _, dup := range []bool{false, true} {
		f := newFixture(t, 0, withStore(remote{mem.New()}))
		var rows [][]any
		var gone []storage.RowMutation
		for i := range n {
			rows = append(rows, []any{fmt.Sprintf("h%d", n-i), 1, i, 1.5, "x"})
		}
		f.must(f.insert(rows...))
		sc, err := f.base.Table(f.table.Physical).Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
		if err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		if err := sc.Next(&b); err != nil {
			t.Fatal(err)
		}
		sc.Close()
		for i := range b.Len() {
			gone = append(gone, storage.RowMutation{Key: append([]byte(nil), b.Key(i)...), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}})
		}
		f.use(vanishing{f.base, gone, new(sync.Once)})

		// A CASE is worked out for each arm's rows apart.
		isOdd := opCall("=", opCall("%", f.col("n"), lit(2)), lit(1))
		returning := []expr.Expr{f.col("host"), f.col("n"), &expr.Case{Whens: []expr.When{{Cond: isOdd, Then: lit("odd")}}, Else: lit("even"), T: tText}}
		cols := []plan.Column{{Type: tText}, {Type: tInt8}, {Type: tText}}
		set := []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(100))}}
		check := plan.CheckExpr{Name: "small", Cond: opCall("<", f.col("n"), lit(1000))}
		var root plan.Node
		if dup {
			up := f.upsert(plan.ReadFirst, []int{0, 1, 2, 3, 4}, rows...)
			up.Set, up.Returning, up.Cols, up.Checks = set, returning, cols, []plan.CheckExpr{check}
			root = up
		} else {
			ins := f.insert(rows...)
			ins.OnConflict, ins.Mode = plan.ConflictUpdate, plan.ReadFirst
			ins.Set, ins.Returning, ins.Cols, ins.Checks = set, returning, cols, []plan.CheckExpr{check}
			root = ins
		}
		want := ""
		for i := range n {
			want += fmt.Sprintf("h%d|%d|%s\n", n-i, i, []string{"even", "odd"}[i%2])
		}
		if got := f.must(root); got != want {
			t.Errorf("ON DUPLICATE KEY %v: got\n%swant\n%s", dup, got, want)
		}
	}
}
