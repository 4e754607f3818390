package heat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestMinutes adds to relations at random while the clock goes on, stands still, jumps and is set
// back: minutes and what was before them add up to the sums, and each minute has what the model says.
func TestMinutes(t *testing.T) {
	const buckets = 3
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		now := time.Unix(1_000_000_000, 0)
		h := testHeat(DefaultMemory, nil, &now)
		model := map[uint32]map[time.Time][buckets]Counts{}
		var memo [4]Memo
		for range 2000 {
			now = now.Add(time.Duration(rng.IntN(20)) * time.Second)
			switch rng.IntN(200) {
			case 0:
				now = now.Add(time.Duration(rng.IntN(30)) * time.Minute)
			case 1:
				now = now.Add(-time.Duration(rng.IntN(120)) * time.Second)
			}
			if rng.IntN(5) > 0 || !now.Truncate(time.Minute).Equal(h.minute) {
				h.Sums(nil, false)
			}
			id, b, n := uint32(rng.IntN(4)), rng.IntN(buckets), rng.Int64N(1000)
			cell := &h.Counter(rng.Int64N(5)).Cells(&memo[id], id, buckets)[b]
			cell.Hit(n)
			cell.Given(-rng.Int64N(2))
			cell.Wrote(2, n)
			if model[id] == nil {
				model[id] = map[time.Time][buckets]Counts{}
			}
			at := now.Truncate(time.Minute)
			m := model[id][at]
			m[b].Add(&Counts{Hits: 1, BytesRead: n, RowsWritten: 2, BytesWritten: n})
			model[id][at] = m
		}
		for _, s := range h.Sums(nil, true) {
			var kept, all Counts
			seen := map[time.Time]Counts{}
			for _, m := range s.Minutes {
				of, err := m.Counts(buckets)
				if err != nil {
					t.Fatal(err)
				}
				sum := seen[m.At]
				for b := range of {
					kept.Add(&of[b])
					sum.Add(&of[b])
				}
				seen[m.At] = sum
			}
			for b := range s.Buckets {
				all.Add(&s.Buckets[b])
			}
			var before Counts
			for at, want := range model[s.ID] {
				var of Counts
				for b := range want {
					of.Add(&want[b])
				}
				got, ok := seen[at]
				got.RowsRead, got.RowsReturned = 0, 0
				if !ok {
					before.Add(&of)
				} else if got != of {
					t.Fatalf("seed %d: relation %d at %s: %+v, want %+v", seed, s.ID, at, got, of)
				}
			}
			rest := all.Less(&kept)
			rest.RowsRead, rest.RowsReturned = 0, 0
			if rest != before {
				t.Fatalf("seed %d: relation %d: %+v was before the minutes, want %+v", seed, s.ID, rest, before)
			}
		}
		now = now.Add(2 * Keep)
		for _, s := range h.Sums(nil, true) {
			if len(s.Minutes) > 0 {
				t.Fatalf("%d minutes are kept for ever", len(s.Minutes))
			}
		}
	}
}

// TestMinutesMemory: minutes give way to counters, those of what is used least first, and no sum is
// lost; what is left is booked.
func TestMinutesMemory(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	const most = 2 << 20
	h := testHeat(most, func(uint32) bool { return true }, &now)
	var memos [600]Memo
	touch := func(id uint32, n int64) {
		if cells := h.Counter(1).Cells(&memos[id], id, 16); cells != nil {
			for range n {
				cells[n%16].Hit(1_000_000)
			}
		}
	}
	check := func() {
		t.Helper()
		used, kept := ringBytes(most), int64(0)
		for _, r := range h.relations {
			used, kept = used+r.bytes(), kept+r.kept
		}
		if used != h.used || kept != h.kept || h.used > most || h.kept > most/2 {
			t.Fatalf("%d bytes are booked and %d used, %d and %d of minutes", used, h.used, kept, h.kept)
		}
	}
	for minute := range 200 {
		for id := range uint32(150) {
			touch(id, int64(1+id%40))
		}
		now = now.Add(time.Minute)
		h.Sums(nil, false)
		if minute%20 == 0 {
			check()
		}
	}
	check()
	with := map[bool]int{}
	for _, s := range h.Sums(nil, true) {
		if s.ID%40 > 30 || s.ID%40 < 10 {
			with[s.ID%40 > 30] += len(s.Minutes)
		}
		if b := (1 + s.ID%40) % 16; s.Buckets[b].Hits != 200*int64(1+s.ID%40) {
			t.Errorf("relation %d: %d hits", s.ID, s.Buckets[b].Hits)
		}
	}
	if with[true] <= with[false] {
		t.Errorf("busy relations have %d minutes, idle ones %d", with[true], with[false])
	}
	for id := uint32(150); id < 600; id++ {
		touch(id, 1)
	}
	check()
	if len(h.relations) < 500 {
		t.Errorf("minutes leave room for %d relations only", len(h.relations))
	}
}

// TestMinuteBytes holds the form of a minute, which servers of several versions read.
func TestMinuteBytes(t *testing.T) {
	list := []Counts{{}, {Hits: 3, RowsWritten: 1000}, {RowsReturned: -1}}
	data := appendCounts(nil, list)
	if got := fmt.Sprintf("% x", data); got != "00 41 06 d0 0f 10 01" {
		t.Errorf("a minute is %s", got)
	}
	if back, err := (&Minute{Data: data}).Counts(3); err != nil || !slices.Equal(back, list) {
		t.Errorf("%+v, %v", back, err)
	}
	for n := range data {
		if _, err := (&Minute{Data: data[:n]}).Counts(3); err == nil {
			t.Errorf("%d bytes are a minute", n)
		}
	}
}

// TestRunEnds with its context.
func TestRunEnds(t *testing.T) {
	now := time.Unix(1, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	testHeat(DefaultMemory, nil, &now).Run(ctx)
	(*Heat)(nil).Run(ctx)
}
