package session

import (
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/planner/plan"
)

// idle keeps operators that are not small for the next run of their plan, in whichever
// session that is: no session holds any between its statements. Those that nobody has
// taken for a while go, and the oldest ones where there are too many.
type idle struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	kept  []kept // the oldest first
	timer *time.Timer
	ended bool
}

type kept struct {
	r     *operators
	bytes int64
	since time.Time
}

const (
	// idleTime is how long operators are kept.
	idleTime = 30 * time.Second
	// idleShare is how much of the pool they may hold, and idleMost all the same where
	// the pool has no limit.
	idleShare = 8
	idleMost  = 64 << 20
)

func newIdle(pool *memory.Pool) *idle {
	limit := pool.Limit() / idleShare
	if limit <= 0 {
		limit = idleMost
	}
	return &idle{limit: limit}
}

// take gives operators of a plan; nil if none are kept.
func (i *idle) take(p *plan.Plan) *operators {
	i.mu.Lock()
	defer i.mu.Unlock()
	for at := len(i.kept) - 1; at >= 0; at-- {
		if k := i.kept[at]; k.r.Plan() == p {
			i.kept = slices.Delete(i.kept, at, at+1)
			i.bytes -= k.bytes
			return k.r
		}
	}
	return nil
}

// give keeps operators that hold n bytes.
func (i *idle) give(r *operators, n int64) {
	if n > i.limit {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return
	}
	i.kept = append(i.kept, kept{r, n, time.Now()})
	i.bytes += n
	old := 0
	for i.bytes > i.limit {
		i.bytes -= i.kept[old].bytes
		old++
	}
	i.kept = slices.Delete(i.kept, 0, old)
	if i.timer == nil {
		i.timer = time.AfterFunc(idleTime, i.expire)
	}
}

// expire lets go of what has been kept for idleTime.
func (i *idle) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	old := 0
	for old < len(i.kept) && time.Since(i.kept[old].since) >= idleTime {
		i.bytes -= i.kept[old].bytes
		old++
	}
	i.kept = slices.Delete(i.kept, 0, old)
	if len(i.kept) > 0 && !i.ended {
		i.timer = time.AfterFunc(idleTime-time.Since(i.kept[0].since), i.expire)
	}
}

// end lets go of all.
func (i *idle) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended, i.kept, i.bytes = true, nil, 0
	if i.timer != nil {
		i.timer.Stop()
	}
}

// held is how much is kept.
func (i *idle) held() (bytes int64, operators int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bytes, len(i.kept)
}
