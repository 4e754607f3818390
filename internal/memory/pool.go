package memory

import (
	"fmt"
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Pool is what all accounts of a DB may hold together. A nil Pool has no limit.
type Pool struct {
	limit int64
	used  atomic.Int64
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
	if used := p.used.Add(n); p.limit > 0 && used > p.limit && n > 0 {
		p.used.Add(-n)
		return false
	}
	return true
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
