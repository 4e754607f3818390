package txn

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// TestManyChangesOfOneRow changes one row again and again in a transaction, after savepoints of
// which every third is rolled back to: a statement merges a bounded number of changes, and reads one
// of each column, however many there are.
func TestManyChangesOfOneRow(t *testing.T) {
	const statements = 2_000
	st := newStore(t)
	x := begin(t, NewManager(st, nil), Options{})
	table, key := x.Store().Table("t"), []byte("k")
	for n := range statements {
		merged := x.buf.merges
		mark := x.Mark()
		ts, want := int64(n+1)*1000, fmt.Sprint(n)
		then := []storage.Mutation{
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("a"), Timestamp: ts, Value: []byte(want), Latest: true},
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("b"), Timestamp: ts, Value: []byte(want)},
		}
		ok, err := table.CheckAndMutate(ctx, &storage.CondMutation{Key: key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: then, Else: then})
		if err != nil || ok != (n == 0) {
			t.Fatal(ok, err)
		}
		if n%3 == 2 {
			x.RollbackTo(mark)
			want = fmt.Sprint(n - 1)
		}
		var b storage.RowBatch
		if _, err := table.MultiGet(ctx, [][]byte{key}, nil, &b); err != nil || b.Len() != 1 || b.NumCells(0) != 2 ||
			string(b.Cell(0, 0).Value) != want || string(b.Cell(0, 1).Value) != want {
			t.Fatalf("statement %d: %d cells, %v", n, b.NumCells(0), err)
		}
		if did := x.buf.merges - merged; did > 4*keepEvery {
			t.Fatalf("statement %d merged %d changes", n, did)
		}
	}
	r := x.buf.find("t", key)
	if n := len(x.buf.changesOf(r, statements, 1)); n != 2 {
		t.Errorf("%d changes are read of a row of two columns", n)
	}
	kept := 0
	for _, s := range r.merged {
		kept += len(s.muts)
	}
	if n := 2 * len(r.changes); kept > n {
		t.Errorf("%d changes are kept merged of %d", kept, n)
	}
}
