package heat

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

func testHeat(most int64, there func(id uint32) bool, now *time.Time) *Heat {
	return New(most, func() time.Time { return *now }, func() func(uint32) bool { return there })
}

// TestCounters has many sessions add to many buckets side by side: the sums are those of a model.
func TestCounters(t *testing.T) {
	now := time.Unix(1, 0)
	h := testHeat(DefaultMemory, nil, &now)
	const sessions, each, buckets = 9, 2000, 5
	var mu sync.Mutex
	want := make([]Counts, buckets)
	var wg sync.WaitGroup
	for s := range int64(sessions) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(s)))
			sum, c := make([]Counts, buckets), h.Counter(s)
			var m Memo
			for range each {
				b, n := rng.IntN(buckets), rng.Int64N(9)
				cell := &c.Cells(&m, 7, buckets)[b]
				cell.Hit(n)
				cell.Miss()
				cell.Scan()
				cell.Read(n, 2*n)
				cell.Given(n - 1)
				cell.Wrote(1, n)
				sum[b].Add(&Counts{Hits: 1, Misses: 1, Scans: 1, RowsRead: 1 + n, RowsReturned: n, BytesRead: 3 * n, RowsWritten: 1, BytesWritten: n})
			}
			mu.Lock()
			defer mu.Unlock()
			for b := range want {
				want[b].Add(&sum[b])
			}
		})
	}
	wg.Wait()
	got := h.Sums(nil, false)
	if len(got) != 1 || got[0].ID != 7 || len(got[0].Buckets) != buckets {
		t.Fatalf("got %+v", got)
	}
	for b := range want {
		if got[0].Buckets[b] != want[b] {
			t.Errorf("bucket %d: %+v, want %+v", b, got[0].Buckets[b], want[b])
		}
	}
}

// TestCountingAllocatesNothing is of a relation that the session has touched before.
func TestCountingAllocatesNothing(t *testing.T) {
	now := time.Unix(1, 0)
	c := testHeat(DefaultMemory, nil, &now).Counter(1)
	var m Memo
	n := alloctest.PerRun(100, func() { c.Cells(&m, 7, 4)[3].Hit(10) })
	if n > 0 {
		t.Errorf("a hit allocates %v times", n)
	}
}

// TestMemory holds that 10,000 tables stay within the limit, that no relation is counted in part, and
// that those which are there no more make room.
func TestMemory(t *testing.T) {
	now := time.Unix(1, 0)
	const most = 4 << 20
	gone := map[uint32]bool{}
	h := testHeat(most, func(id uint32) bool { return !gone[id] }, &now)
	touch := func(session int64, id uint32) bool {
		var m Memo
		cells := h.Counter(session).Cells(&m, id, 16)
		if cells != nil {
			cells[id%16].Miss()
		}
		return cells != nil
	}
	for id := range uint32(100) {
		touch(1, id)
		gone[id] = true
	}
	now = now.Add(2 * young)
	counted := map[uint32]int64{}
	for session := range int64(3) {
		for id := uint32(100); id < 10_100; id++ {
			if touch(session, id) {
				counted[id]++
			}
			if h.used > most {
				t.Fatalf("%d bytes are used of %d", h.used, most)
			}
		}
	}
	if !h.Full() || len(counted) < 1000 {
		t.Errorf("full is %v with %d relations", h.Full(), len(counted))
	}
	var used int64
	for _, s := range h.Sums(nil, false) {
		if gone[s.ID] {
			t.Errorf("relation %d is kept", s.ID)
		}
		if s.Buckets[s.ID%16].Misses != 3 || counted[s.ID] != 3 {
			t.Errorf("relation %d: %d of %d looks are counted", s.ID, s.Buckets[s.ID%16].Misses, counted[s.ID])
		}
	}
	for _, r := range h.relations {
		used += r.bytes()
	}
	if used += ringBytes(most); used != h.used {
		t.Errorf("%d bytes are booked, %d used", h.used, used)
	}
	beside := testHeat(most, func(uint32) bool { return true }, &now)
	var wg sync.WaitGroup
	for session := range int64(16) {
		wg.Go(func() {
			for id := range uint32(5000) {
				var m Memo
				beside.Counter(session).Cells(&m, (id*7+uint32(session)*311)%5000, 16)
			}
		})
	}
	wg.Wait()
	used = ringBytes(most)
	for _, r := range beside.relations {
		used += r.bytes()
	}
	if used != beside.used || used > most || !beside.Full() {
		t.Errorf("side by side %d bytes are booked, %d used of %d", beside.used, used, most)
	}
	var none *Heat
	if New(0, nil, nil) != none || none.Counter(1).Cells(new(Memo), 1, 1) != nil || none.Memory() != 0 || !none.Full() || none.Sums(nil, false) != nil {
		t.Error("a heat without memory counts")
	}
}

// TestExpectedPeak compares with draws.
func TestExpectedPeak(t *testing.T) {
	for _, c := range []struct {
		n       int64
		buckets int
	}{{1, 4}, {40, 4}, {160, 16}, {1600, 16}, {16_000, 16}, {5000, 256}} {
		rng := rand.New(rand.NewPCG(1, 2))
		const draws = 400
		above, below := 0, 0
		want := ExpectedPeak(c.n, c.buckets)
		for range draws {
			of, most := make([]int, c.buckets), 0
			for range c.n {
				b := rng.IntN(c.buckets)
				of[b]++
				most = max(most, of[b])
			}
			peak := float64(most) * float64(c.buckets) / float64(c.n)
			if peak > want*1.0001 {
				above++
			}
			if peak < want*0.9999 {
				below++
			}
		}
		// It is the median: a peak above it, and one below it, are each no more than half of the cases.
		if above > draws*6/10 || below > draws*6/10 {
			t.Errorf("%d into %d: of %d peaks %d are above %.3f and %d below", c.n, c.buckets, draws, above, want, below)
		}
	}
	if ExpectedPeak(0, 4) != 0 || ExpectedPeak(9, 1) != 1 {
		t.Error("nothing, or one bucket, has another peak")
	}
}
