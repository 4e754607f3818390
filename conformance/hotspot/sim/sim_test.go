package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// The wrapper is the store.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := Wrap(mem.New(), saltmodel.NewCluster(saltmodel.Options{Nodes: 3}))
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// What each call costs.
func TestCosts(t *testing.T) {
	ctx := context.Background()
	c := saltmodel.NewCluster(saltmodel.Options{})
	s := Wrap(mem.New(), c)
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t")
	var rows []storage.RowMutation
	for i := range 1400 {
		rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "%04d", i), Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: make([]byte, 11_000-5)}}})
	}
	near := func(what string, want time.Duration) {
		t.Helper()
		if got := c.Stats().Elapsed; (got - want).Abs() > want/50 {
			t.Errorf("%s took %v, want %v", what, got, want)
		}
		c.Reset()
	}
	if err := tb.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	near("1,400 writes", 100*time.Millisecond)
	keys := make([][]byte, 1700/2)
	for i := range keys {
		keys[i] = rows[i].Key
	}
	if _, err := tb.MultiGet(ctx, keys, nil, &storage.RowBatch{}); err != nil {
		t.Fatal(err)
	}
	near("850 reads", 50*time.Millisecond)
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var b storage.RowBatch
	for sc.Next(&b) == nil {
	}
	near("15.4 MB scanned", 70*time.Millisecond)
}
