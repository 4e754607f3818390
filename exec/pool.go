package exec

import (
	"sync"

	"github.com/saltsql/saltsql/planner/plan"
)

// Pool keeps the Statements of one prepared plan, so that a run finds its buffers
// and compiled expressions ready. It is safe for concurrent use.
type Pool struct {
	plan *plan.Plan

	mu   sync.Mutex
	free []*Statement
}

// maxPooled is how many idle Statements a plan keeps: about as many as run at
// once on an embedded store.
const maxPooled = 16

// NewPool makes a pool for a plan.
func NewPool(p *plan.Plan) *Pool { return &Pool{plan: p} }

// Plan is what the pool's Statements run.
func (p *Pool) Plan() *plan.Plan { return p.plan }

// Get gives a Statement that is not in use.
func (p *Pool) Get() (*Statement, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	return Prepare(p.plan)
}

// Put closes a Statement of this pool and takes it back.
func (p *Pool) Put(s *Statement) error {
	err := s.Close()
	s.cx = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && len(p.free) < maxPooled {
		p.free = append(p.free, s)
	}
	return err
}
