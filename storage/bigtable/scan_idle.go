package bigtable

import (
	"errors"
	"sync"
	"time"
)

var errIdle = errors.New("idle")

// watchIdle calls expire once when progress has stood still for about limit:
// a server that does not answer is asked again for ever. Time in
// which the reader is not waiting for the service (paused) does not count.
// After stop has returned, expire is not called any more.
func watchIdle(limit time.Duration, state func() (progress int64, paused bool), expire func()) (stop func()) {
	const looks = 8
	period := max(limit/looks, time.Millisecond)
	var (
		mu      sync.Mutex // guards all below
		timer   *time.Timer
		stopped bool
		last    = int64(-1)
		idle    int
	)
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(period, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		if n, paused := state(); n != last || paused {
			last, idle = n, 0
		} else if idle++; idle >= looks {
			stopped = true
			expire()
			return
		}
		timer.Reset(period)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
