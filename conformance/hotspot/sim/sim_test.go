package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// The wrapper is the store.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := Wrap(mem.New(), NewCluster(Options{Nodes: 3}))
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func load(c *Cluster, seconds float64, key func(i int) string) Stats {
	c.Reset()
	n := int(seconds * float64(c.opts.Nodes*c.opts.WritesPerSecond) / float64(c.opts.Scale))
	for i := range n {
		c.request("t", []byte(key(i)), c.perRow(c.opts.WritesPerSecond), 100)
	}
	return c.Stats()
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < 0.9*want || got > 1.1*want {
		t.Errorf("%s: %g, want about %g", what, got, want)
	}
}

func TestModel(t *testing.T) {
	// One tablet: one node works, until its load has split it over all.
	c := NewCluster(Options{Nodes: 4, Scale: 200})
	c.create("t", nil)
	spread := func(i int) string { return fmt.Sprintf("%03d", i*7919%1000) }
	first := load(c, 10, spread)
	near(t, "one tablet", first.RowsPerSecond(), 14_000)
	load(c, 600, spread)
	later := load(c, 60, spread)
	if later.RowsPerSecond() < 0.8*4*14_000 || later.Tablets < 4 {
		t.Errorf("split by load: %g rows/s, %d tablets", later.RowsPerSecond(), later.Tablets)
	}
	// Keys that grow stay with one node, however the table is split.
	c = NewCluster(Options{Nodes: 4, Scale: 200})
	c.create("t", nil)
	grow := load(c, 600, func(i int) string { return fmt.Sprintf("%09d", i) })
	near(t, "growing keys", grow.RowsPerSecond(), 14_000)
	if grow.Splits == 0 {
		t.Error("nothing was split")
	}
	// Tablets that are made at the start are spread.
	c = NewCluster(Options{Nodes: 4, Scale: 200})
	c.create("t", [][]byte{[]byte("250"), []byte("500"), []byte("750")})
	near(t, "pre-split", load(c, 60, spread).RowsPerSecond(), 4*14_000)
}

// What each call costs.
func TestCosts(t *testing.T) {
	ctx := context.Background()
	c := NewCluster(Options{})
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
