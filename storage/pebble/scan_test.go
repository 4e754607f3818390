package pebble

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// TestSparseSpansCostFewSeeks asserts that spans without rows are passed over
// together.
func TestSparseSpansCostFewSeeks(t *testing.T) {
	ctx := context.Background()
	s, err := Open(t.TempDir(), &Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	table := s.Table("t")
	const rows = 20
	for i := range rows {
		m := storage.RowMutation{Key: fmt.Appendf(nil, "k%05d", i*500), Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000},
		}}
		if err := table.Mutate(ctx, []storage.RowMutation{m}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var spans []storage.Span
	for i := range 10_000 {
		k := fmt.Appendf(nil, "k%05d", i)
		spans = append(spans, storage.Span{Start: k, End: append(k[:len(k):len(k)], 0)})
	}
	for _, reverse := range []bool{false, true} {
		sc, err := table.Scan(ctx, &storage.ScanRequest{Spans: spans, Reverse: reverse})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		var b storage.RowBatch
		for err = sc.Next(&b); err == nil; err = sc.Next(&b) {
			n += b.Len()
		}
		if err != io.EOF || n != rows {
			t.Fatal(n, err)
		}
		if calls := sc.Stats().Calls; calls > rows*(leapAfter+2)+leapAfter {
			t.Errorf("reverse %v: %d seeks for %d rows", reverse, calls, rows)
		}
		if err := sc.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStepsOfPages holds that a page which is full costs one seek and a step from row to
// row, and none to the row behind it.
func TestStepsOfPages(t *testing.T) {
	s := openTest(t, testOptions(vfs.NewMem()))
	tb := mustCreate(t, s, storage.FamilySpec{Name: "f"})
	for i := range 100 {
		mustPut(t, tb, storage.WriteOptions{NoSync: true}, fmt.Sprintf("%03d", i), set("f", "a", 1, "x"))
	}
	for _, reverse := range []bool{false, true} {
		raw, err := tb.Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}, Reverse: reverse})
		if err != nil {
			t.Fatal(err)
		}
		sc := raw.(*scanner)
		var b storage.RowBatch
		for i := range 10 {
			if err := sc.Move([]storage.Span{{Start: fmt.Appendf(nil, "%03d", 10*i), End: fmt.Appendf(nil, "%03d", 10*i+10)}}, 3); err != nil {
				t.Fatal(err)
			}
			if err := sc.Next(&b); err != nil || b.Len() != 3 {
				t.Fatal(b.Len(), err)
			}
		}
		if err := sc.Next(&b); err != io.EOF {
			t.Fatal("more rows than the limit: ", err)
		}
		st := sc.it.(*iterator).Stats()
		if steps := st.ForwardStepCount[pebble.InterfaceCall] + st.ReverseStepCount[pebble.InterfaceCall]; steps != 20 || sc.calls.Load() != 10 {
			t.Errorf("reverse %v: %d steps and %d seeks for 10 pages of 3 rows", reverse, steps, sc.calls.Load())
		}
		if err := sc.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
