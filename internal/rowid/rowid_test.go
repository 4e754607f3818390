package rowid

import (
	"testing"
	"time"
)

// TestApart takes keys from servers with one clock, which is set back meanwhile: none is given
// twice, and those of one server grow.
func TestApart(t *testing.T) {
	now := epoch.Add(time.Hour)
	clock := func() time.Time { return now }
	seen := map[int64]bool{}
	sources := []*Source{New(clock), New(clock), New(clock)}
	last := make([]int64, len(sources))
	for i, s := range sources {
		s.SetSlot(i)
	}
	for round := range 50 {
		if now = now.Add(time.Microsecond); round == 25 {
			now = now.Add(-time.Minute)
		}
		for i, s := range sources {
			first, step := s.Take(3)
			for k := range int64(3) {
				id := first + k*step
				if seen[id] || id <= last[i] {
					t.Fatalf("round %d: server %d gives %d after %d", round, i, id, last[i])
				}
				seen[id], last[i] = true, id
			}
		}
	}
}
