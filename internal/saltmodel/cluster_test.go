package saltmodel

import (
	"fmt"
	"testing"
)

func load(c *Cluster, seconds float64, key func(i int) string) Stats {
	c.Reset()
	n := int(seconds * float64(c.opts.Nodes*c.opts.WritesPerSecond) / float64(c.opts.Scale))
	for i := range n {
		c.Request("t", []byte(key(i)), c.opts.WriteCost(), 100)
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
	c.Create("t", nil)
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
	c.Create("t", nil)
	grow := load(c, 600, func(i int) string { return fmt.Sprintf("%09d", i) })
	near(t, "growing keys", grow.RowsPerSecond(), 14_000)
	if grow.Splits == 0 {
		t.Error("nothing was split")
	}
	// Tablets that are made at the start are spread.
	c = NewCluster(Options{Nodes: 4, Scale: 200})
	c.Create("t", [][]byte{[]byte("250"), []byte("500"), []byte("750")})
	near(t, "pre-split", load(c, 60, spread).RowsPerSecond(), 4*14_000)
}
