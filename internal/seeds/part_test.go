package seeds

import (
	"slices"
	"testing"
	"time"
)

// TestParts holds that each case has its turn, and that the gate takes all.
func TestParts(t *testing.T) {
	t.Setenv("SALTSQL_FULL", "1")
	if all := slices.Collect(Part(t, 5, Whole)); !slices.Equal(all, []int{0, 1, 2, 3, 4}) {
		t.Errorf("the gate takes %v", all)
	}
	t.Setenv("SALTSQL_FULL", "")
	first, turns := map[int]bool{}, map[int]bool{}
	for _, day := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"} {
		t.Setenv("SALTSQL_SEED", day)
		turns[Turn(7, 4)] = true
		for i := range Part(t, 4, 0) { // the time is over at once
			if first[i] = true; asked() == "" {
				break
			}
		}
	}
	if len(first) != 4 || len(turns) != 4 {
		t.Errorf("in twenty days only the cases %v and %v have had their turn", first, turns)
	}
}

func TestUntil(t *testing.T) {
	rounds := 0
	for more := Until(7, time.Hour); more(rounds); rounds++ {
	}
	if rounds != 7 {
		t.Errorf("%d rounds, not the 7 that were asked for", rounds)
	}
	rounds = 0
	for more := Until(0, 0); more(rounds); rounds++ {
	}
	if rounds != 1 {
		t.Errorf("%d rounds in no time, not 1", rounds)
	}
}
