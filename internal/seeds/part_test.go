package seeds

import (
	"testing"
	"time"
)

// TestParts holds that in n days each case has its turn once.
func TestParts(t *testing.T) {
	for n := uint64(1); n < 6; n++ {
		for i := range uint64(10) {
			times := 0
			for day := range n {
				if inPart(20_000+day, i, n) {
					times++
				}
			}
			if times != 1 {
				t.Errorf("case %d of parts of %d: %d times", i, n, times)
			}
		}
	}
}

func TestUntil(t *testing.T) {
	rounds := 0
	for more := Until(7, time.Hour, time.Hour); more(rounds); rounds++ {
	}
	if rounds != 7 {
		t.Errorf("%d rounds, not the 7 that were asked for", rounds)
	}
	rounds = 0
	for more := Until(0, 0, 0); more(rounds); rounds++ {
	}
	if rounds != 1 {
		t.Errorf("%d rounds in no time, not 1", rounds)
	}
}
