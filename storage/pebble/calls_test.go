package pebble

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// TestCalls makes calls of each kind: all are counted, about one in TimedShare is timed.
func TestCalls(t *testing.T) {
	ctx := context.Background()
	s, err := Open("store", &Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	table := s.Table("t")
	set := func(k string) []storage.Mutation {
		return []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: []byte(k)}}
	}
	const n = 3200
	for i := range n {
		k := fmt.Sprint(i % 10)
		if err := table.Mutate(ctx, []storage.RowMutation{{Key: []byte(k), Mutations: set(k)}}, storage.WriteOptions{NoSync: true}); err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		if _, err := table.MultiGet(ctx, [][]byte{[]byte(k)}, nil, &b); err != nil || b.Len() != 1 {
			t.Fatal(b.Len(), err)
		}
		sc, err := table.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Next(&b); err != nil {
			t.Fatal(err)
		}
		if err := sc.Next(&b); err != io.EOF {
			t.Fatal(err)
		}
		sc.Close()
		if _, err := table.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte(k), Cond: storage.Cond{Op: storage.RowPresent}, Then: set(k)}); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 7 {
		var b storage.RowBatch
		if _, err := table.MultiGet(gone, [][]byte{[]byte("1")}, nil, &b); storage.CodeOf(err) != storage.CodeCanceled {
			t.Fatal(err)
		}
	}
	if err := s.Table("none").Mutate(ctx, []storage.RowMutation{{Key: []byte("k"), Mutations: set("k")}}, storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeNotFound {
		t.Fatal(err)
	}
	for _, c := range s.Calls() {
		expected, done := uint64(n/TimedShare), int64(n)
		if c.Op == "scan" {
			expected, done = expected*2, done*2
		}
		if c.Done != done {
			t.Errorf("%s: %d calls did well, want %d", c.Op, c.Done, done)
		}
		if c.Timed < expected/3 || c.Timed > expected*3 { // a hundred or more, by chance
			t.Errorf("%s: %d calls are timed, about %d expected", c.Op, c.Timed, expected)
		}
		if c.Time <= 0 || c.Within[len(c.Within)-1] > c.Timed {
			t.Errorf("%s: %+v", c.Op, c)
		}
		for i := range c.Within[1:] {
			if c.Within[i] > c.Within[i+1] {
				t.Errorf("%s: %v are not sums", c.Op, c.Within)
			}
		}
		failed := map[string]map[storage.Code]int64{"get": {storage.CodeCanceled: 7}, "write": {storage.CodeNotFound: 1}}[c.Op]
		if fmt.Sprint(c.Failed) != fmt.Sprint(failed) && len(c.Failed)+len(failed) > 0 {
			t.Errorf("%s: failed %v, want %v", c.Op, c.Failed, failed)
		}
	}
}
