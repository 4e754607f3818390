package idle

import (
	"container/list"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
)

// Kept are things that wait for their next use, each by what it is made of.
type Kept[K comparable, R any] struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	order list.List             // of *kept[K, R], the oldest first
	of    map[K][]*list.Element // likewise
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
	return &Kept[K, R]{limit: limit, of: map[K][]*list.Element{}}
}

// Take gives what is kept of k; ok is false for nothing.
func (i *Kept[K, R]) Take(k K) (r R, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	same := i.of[k]
	if len(same) == 0 {
		return r, false
	}
	return i.remove(same[len(same)-1], same[:len(same)-1]).r, true
}

// remove takes a thing away, and leaves those given of what it is made of.
func (i *Kept[K, R]) remove(at *list.Element, others []*list.Element) *kept[K, R] {
	one := i.order.Remove(at).(*kept[K, R])
	at.Value = nil // the list of those with the same K may still know it
	i.bytes -= one.bytes
	if i.of[one.of] = others; len(others) == 0 {
		delete(i.of, one.of)
	}
	return one
}

// oldest is the thing that is kept longest; nil is none.
func (i *Kept[K, R]) oldest() *kept[K, R] {
	at := i.order.Front()
	if at == nil {
		return nil
	}
	return at.Value.(*kept[K, R])
}

func (i *Kept[K, R]) removeOldest() {
	same := i.of[i.oldest().of]
	i.remove(same[0], same[1:])
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
	i.of[k] = append(i.of[k], i.order.PushBack(&kept[K, R]{k, r, n, time.Now()}))
	for i.bytes += n; i.bytes > i.limit; {
		i.removeOldest()
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(keptFor, i.expire)
	}
}

// expire lets go of what has been kept for keptFor.
func (i *Kept[K, R]) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	for i.oldest() != nil && time.Since(i.oldest().since) >= keptFor {
		i.removeOldest()
	}
	if first := i.oldest(); first != nil && !i.ended {
		i.timer = time.AfterFunc(keptFor-time.Since(first.since), i.expire)
	}
}

// End lets go of all.
func (i *Kept[K, R]) End() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended, i.bytes = true, 0
	i.order.Init()
	clear(i.of)
	if i.timer != nil {
		i.timer.Stop()
	}
}

// Held is how much is kept.
func (i *Kept[K, R]) Held() (bytes int64, things int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bytes, i.order.Len()
}
