package memory

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Pool is what all accounts of a DB may hold together. A nil Pool has no limit.
type Pool struct {
	limit int64
	used  atomic.Int64
	freed atomic.Int64 // given back, and perhaps not yet collected

	collecting sync.Mutex
	cycles     uint64 // of the collector, when freed was last set to 0
}

// NewPool makes a pool of limit bytes; negative is no limit.
func NewPool(limit int64) *Pool { return &Pool{limit: max(limit, 0)} }

// Limit is the size of the pool in bytes; 0 is no limit.
func (p *Pool) Limit() int64 {
	if p == nil {
		return 0
	}
	return p.limit
}

// Used is how many bytes are taken.
func (p *Pool) Used() int64 {
	if p == nil {
		return 0
	}
	return p.used.Load()
}

func (p *Pool) take(n int64) bool {
	if p == nil {
		return true
	}
	used := p.used.Add(n)
	switch {
	case p.limit == 0:
	case n < 0:
		p.freed.Add(-n)
	case used > p.limit:
		p.used.Add(-n)
		return false
	case used+p.freed.Load() > p.limit && p.freed.Load() > p.limit/4:
		p.collect()
	}
	return true
}

// collect makes room in the process for what the pool has room for. What is given back
// is garbage until the collector has run, which by itself may be too late where large
// texts come and go: to that it adds at most half of the pool.
func (p *Pool) collect() {
	p.collecting.Lock()
	defer p.collecting.Unlock()
	if p.freed.Load() <= p.limit/4 {
		return // another did it
	}
	if cycles() == p.cycles {
		runtime.GC()
	}
	p.cycles = cycles()
	p.freed.Store(0)
}

// cycles is how often the collector has run.
func cycles() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func (p *Pool) refused(n int64) *sqlerr.Error {
	return sqlerr.New(sqlerr.OutOfMemory, "out of memory").
		WithDetail("All statements together hold %s of the %s there are for them, and %s more were asked for.", Size(p.Used()), Size(p.limit), Size(n)).
		WithHint("Try again when others are done, close prepared statements and portals that are not used, or start the server with more --memory.")
}

// Size prints a number of bytes.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
