package statements

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

// use finds a statement of one table.
func use(c *Collector, shape string, id int64, table uint32) *Use {
	return c.Use(Key{"u", "d", id}, shape, nil, Select, []uint32{table}, false)
}

func all(uint32) bool { return true }

// TestBounds makes more shapes than there is room for, short and long ones: both bounds hold, and what
// is called most stays. What is gone stays in the sums.
func TestBounds(t *testing.T) {
	c := New(5000)
	kept := use(c, "the busy one", -1, 1)
	kept.Add(&Run{Class: Succeeded})
	kept.Add(&Run{Class: Succeeded})
	var first *Use
	for i := range 20_000 {
		shape := fmt.Sprint("SELECT ", i)
		if i%2 == 0 {
			shape += strings.Repeat("x", 12_000)
		}
		u := use(c, shape, int64(i), uint32(i%7))
		if !u.Add(&Run{Class: Succeeded}) {
			t.Fatal("a shape that was just made is gone")
		}
		if i == 0 {
			first = u
		}
		entries, bytes := c.Size()
		if entries > 5000 || bytes > maxBytes || len(c.Entries()) != entries {
			t.Fatalf("there are %d entries of %d bytes", entries, bytes)
		}
	}
	if use(c, "", -1, 1) != kept || !kept.Add(&Run{Class: Succeeded}) {
		t.Error("the shape that was called most is gone")
	}
	if first.Add(&Run{Class: Succeeded}) {
		t.Error("a shape that had to make room counts on")
	}
	if n, _ := c.Info(); n == 0 {
		t.Error("nothing was forgotten")
	}
	if u := use(c, strings.Repeat("x", maxShape+1), -2, 1); u.entry.Shape != "" {
		t.Error("a long text is kept")
	}
	c.Reset()
	sums := c.Totals(all)
	done := int64(0)
	sums.Each(func(_ Kind, _ string, n int64) { done += n })
	if done != 20_003 || sums.TableReads != 20_003 {
		t.Errorf("%d runs and %d of tables are in the sums", done, sums.TableReads)
	}
	if _, bytes := c.Size(); bytes != 0 {
		t.Errorf("%d bytes are left", bytes)
	}
}

// TestUses counts one shape over tables that come and go: an entry tells few apart, and no run
// is lost. What is dropped is in the sums alone.
func TestUses(t *testing.T) {
	c := New(10)
	for id := range uint32(100) {
		u := c.Use(Key{"u", "d", 1}, "s", nil, Insert, []uint32{id, 1000}, true)
		u.Add(&Run{Class: Succeeded})
		if again := c.Use(Key{"u", "d", 1}, "s", nil, Insert, []uint32{id, 1000}, true); again != u {
			t.Fatal("the same tables have another use")
		}
	}
	if e := c.Entries(); len(e) != 1 || len(e[0].uses) != maxUses || e[0].Counters().Calls != 100 {
		t.Errorf("%d uses", len(e[0].uses))
	}
	got := map[uint32]TableCount{}
	there := func(table uint32) bool { return table == 3 || table == 1000 }
	sums := c.Totals(there)
	sums.Tables(func(table uint32, n TableCount) {
		if there(table) {
			got[table] = n
		}
	})
	if len(got) != 2 || got[3] != (TableCount{Writes: 1}) || got[1000] != (TableCount{Writes: 100}) || sums.TableWrites != 200 {
		t.Errorf("%v, and %d in all", got, sums.TableWrites)
	}
	if n := len(c.left.tables); n != 2 {
		t.Errorf("%d tables are remembered", n)
	}
}

// TestConcurrentRuns counts from many goroutines while entries are forgotten and sums are asked
// for: no run is lost, and no sum goes back.
func TestConcurrentRuns(t *testing.T) {
	c := New(4)
	const workers, runs = 8, 2000
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			var kept [10]*Use
			for range runs {
				id := rng.IntN(len(kept))
				for kept[id] == nil || !kept[id].Add(&Run{Class: Succeeded, Work: Work{RowsRead: 1}}) {
					kept[id] = use(c, "s", int64(id), uint32(id))
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	was := int64(0)
	for end := false; !end; {
		select {
		case <-done:
			end = true
		default:
		}
		now := c.Totals(all)
		if now.RowsRead < was {
			t.Fatalf("%d rows after %d", now.RowsRead, was)
		}
		was = now.RowsRead
	}
	if was != workers*runs {
		t.Errorf("%d runs are counted of %d", was, workers*runs)
	}
}

// TestCounters compares sums, bounds and deviation with those of the times in a list.
func TestCounters(t *testing.T) {
	c := New(1)
	u := use(c, "s", 1, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	var ms []float64
	for range 1000 {
		d := time.Duration(rng.IntN(1e7))
		ms = append(ms, float64(d)/1e6)
		u.Add(&Run{Time: d, Class: Succeeded, Rows: 1})
		u.Add(&Run{Time: time.Hour, Class: [2]byte{'2', '2'}, Work: Work{RowsRead: 2}})
	}
	var sum, squares float64
	for _, x := range ms {
		sum += x
	}
	for _, x := range ms {
		squares += (x - sum/1000) * (x - sum/1000)
	}
	got := u.entry.Counters()
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
	c.Totals(all).Each(func(k Kind, class string, n int64) { classes[k.String()+class] += n })
	if classes["select00"] != 1000 || classes["select22"] != 1000 {
		t.Errorf("the totals are %v", classes)
	}
	c.Totals(all).Times(func(_ Kind, counts []uint64, n uint64, _ time.Duration) {
		if n != 2000 || counts[len(counts)-1] != 1000 {
			t.Errorf("%d of %d took up to a minute", counts[len(counts)-1], n)
		}
	})
}

// TestAddAllocates counts a statement whose shape is known.
func TestAddAllocates(t *testing.T) {
	u := use(New(10), "s", 1, 1)
	if n := alloctest.PerRun(100, func() { u.Add(&Run{Time: 1, Class: Succeeded, Work: Work{RowsRead: 1}}) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkAdd is what counting a statement costs.
func BenchmarkAdd(b *testing.B) {
	u := use(New(10), "s", 1, 1)
	for b.Loop() {
		u.Add(&Run{Time: 50_000, Rows: 1, Given: 1, Class: Succeeded, Work: Work{Calls: 1, RowsRead: 1, Bytes: 100, Buckets: 1}})
	}
}
