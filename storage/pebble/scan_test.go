package pebble

import (
	"context"
	"fmt"
	"io"
	"testing"

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
