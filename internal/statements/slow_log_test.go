package statements

import (
	"testing"
	"time"
)

// TestSlowLogBound lets 100 lines through in a second, and tells how many were left out.
func TestSlowLogBound(t *testing.T) {
	var l SlowLog
	now := time.Unix(100, 0)
	written := 0
	for range 250 {
		if _, ok := l.take(now); ok {
			written++
		}
	}
	dropped, ok := l.take(now.Add(time.Second))
	if written != slowPerSecond || !ok || dropped != 150 || l.total != 150 {
		t.Errorf("%d lines were written, and the next tells of %d that were not", written, dropped)
	}
}
