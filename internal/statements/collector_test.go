package statements

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

// TestBounds makes more shapes than there is room for, short and long ones: both bounds hold, and what
// is called most stays.
func TestBounds(t *testing.T) {
	c := New(5000)
	kept := c.Entry("u", "d", "the busy one", -1, nil)
	c.Add(kept, &Run{Class: Succeeded})
	c.Add(kept, &Run{Class: Succeeded})
	for i := range 20_000 {
		shape := fmt.Sprint("SELECT ", i)
		if i%2 == 0 {
			shape += strings.Repeat("x", 12_000)
		}
		c.Add(c.Entry("u", "d", shape, int64(i), nil), &Run{Class: Succeeded})
		entries, bytes := c.Size()
		if entries > 5000 || bytes > maxBytes || len(c.Entries()) != entries {
			t.Fatalf("there are %d entries of %d bytes", entries, bytes)
		}
	}
	if kept.Gone() || c.Entry("u", "d", "", -1, nil) != kept {
		t.Error("the shape that was called most is gone")
	}
	if n, _ := c.Info(); n == 0 {
		t.Error("nothing was forgotten")
	}
	if e := c.Entry("u", "d", strings.Repeat("x", maxShape+1), -2, nil); e.Shape != "" {
		t.Error("a long text is kept")
	}
}

// TestCounters compares sums, bounds and deviation with those of the times in a list.
func TestCounters(t *testing.T) {
	c := New(1)
	e := c.Entry("u", "d", "s", 1, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	var ms []float64
	for range 1000 {
		d := time.Duration(rng.IntN(1e7))
		ms = append(ms, float64(d)/1e6)
		c.Add(e, &Run{Time: d, Class: Succeeded, Rows: 1})
		c.Add(e, &Run{Time: time.Hour, Class: [2]byte{'2', '2'}, Work: Work{RowsRead: 2}})
	}
	var sum, squares float64
	for _, x := range ms {
		sum += x
	}
	for _, x := range ms {
		squares += (x - sum/1000) * (x - sum/1000)
	}
	got := e.Counters()
	if got.Calls != 1000 || got.Errors != 1000 || got.Rows != 1000 || got.RowsRead != 2000 || got.Max > 10*time.Millisecond {
		t.Errorf("the counters are %+v", got)
	}
	if want := math.Sqrt(squares / 1000); math.Abs(float64(got.StdDev())/1e6-want) > 1e-6*want {
		t.Errorf("the deviation is %v, want %v ms", got.StdDev(), want)
	}
	if math.Abs(float64(got.Total)/1e6-sum) > 1e-6*sum {
		t.Errorf("the sum is %v, want %v ms", got.Total, sum)
	}
	classes := map[string]int64{}
	c.Totals().Each(func(k Kind, class string, n int64) { classes[k.String()+class] += n })
	if classes["select00"] != 1000 || classes["select22"] != 1000 {
		t.Errorf("the totals are %v", classes)
	}
	c.Totals().Times(func(_ Kind, counts []uint64, n uint64, _ time.Duration) {
		if n != 2000 || counts[len(counts)-1] != 1000 {
			t.Errorf("%d of %d took up to a minute", counts[len(counts)-1], n)
		}
	})
}

// TestAddAllocates counts a statement whose shape is known.
func TestAddAllocates(t *testing.T) {
	c := New(10)
	e := c.Entry("u", "d", "s", 1, nil)
	if n := alloctest.PerRun(100, func() { c.Add(e, &Run{Time: 1, Class: Succeeded, Work: Work{RowsRead: 1}}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
