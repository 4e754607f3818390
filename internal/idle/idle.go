package idle

import (
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
)

// Kept are things that wait for their next use, each by what it is made of.
type Kept[K comparable, R any] struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	kept  []kept[K, R] // the oldest first
	timer *time.Timer
	ended bool
}

type kept[K comparable, R any] struct {
	of    K
	r     R
	bytes int64
	since time.Time
}

const (
	// keptFor is how long a thing is kept.
	keptFor = 30 * time.Second
	// Share is how much of the pool they may hold, and most all the same where the pool
	// has no limit.
	Share = 8
	most  = 64 << 20
)

// New makes one that keeps nothing yet.
func New[K comparable, R any](pool *memory.Pool) *Kept[K, R] {
	limit := pool.Limit() / Share
	if limit <= 0 {
		limit = most
	}
	return &Kept[K, R]{limit: limit}
}

// Take gives what is kept of k; ok is false for nothing.
func (i *Kept[K, R]) Take(k K) (r R, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for at := len(i.kept) - 1; at >= 0; at-- {
		if one := &i.kept[at]; one.of == k {
			r = one.r
			i.bytes -= one.bytes
			i.kept = slices.Delete(i.kept, at, at+1)
			return r, true
		}
	}
	return r, false
}

// Give keeps r, which is made of k and holds n bytes.
func (i *Kept[K, R]) Give(k K, r R, n int64) {
	if n > i.limit {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return
	}
	i.kept = append(i.kept, kept[K, R]{k, r, n, time.Now()})
	i.bytes += n
	old := 0
	for i.bytes > i.limit {
		i.bytes -= i.kept[old].bytes
		old++
	}
	i.kept = slices.Delete(i.kept, 0, old)
	if i.timer == nil {
		i.timer = time.AfterFunc(keptFor, i.expire)
	}
}

// expire lets go of what has been kept for keptFor.
func (i *Kept[K, R]) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	old := 0
	for old < len(i.kept) && time.Since(i.kept[old].since) >= keptFor {
		i.bytes -= i.kept[old].bytes
		old++
	}
	i.kept = slices.Delete(i.kept, 0, old)
	if len(i.kept) > 0 && !i.ended {
		i.timer = time.AfterFunc(keptFor-time.Since(i.kept[0].since), i.expire)
	}
}

// End lets go of all.
func (i *Kept[K, R]) End() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended, i.kept, i.bytes = true, nil, 0
	if i.timer != nil {
		i.timer.Stop()
	}
}

// Held is how much is kept.
func (i *Kept[K, R]) Held() (bytes int64, things int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bytes, len(i.kept)
}
