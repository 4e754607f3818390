package memory

import (
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Account is one statement's memory. Goroutines of the statement share it. The zero
// value and nil have no limit. It may be opened again once it is closed.
type Account struct {
	pool  *Pool
	of    *Account // whose part it is; nil takes from the pool
	limit int64    // of all; 0 is none
	work  int64    // of what could be spilled; 0 is none

	used  atomic.Int64
	spill atomic.Int64 // of used, what could be spilled
	peak  atomic.Int64
	epoch uint64 // shares of runs before are void
}

// Open begins an account with limit bytes for all, and work for what its holders could
// also spill; 0 is no limit.
func (a *Account) Open(pool *Pool, limit, work int64) {
	a.Close()
	a.pool, a.limit, a.work = pool, limit, work
	a.peak.Store(0)
}

// OpenPart begins an account that is a part of another: what is taken of it is taken of that.
// work is what its holders could also spill; 0 is no limit.
func (a *Account) OpenPart(of *Account, work int64) {
	a.Open(of.pool, 0, work)
	a.of = of
}

// Close gives everything back, whoever took it.
func (a *Account) Close() {
	if n := a.used.Swap(0); n != 0 {
		a.give(n)
	}
	a.of = nil
	a.spill.Store(0)
	a.epoch++
}

// Peak is the most that was taken at one time since Open.
func (a *Account) Peak() int64 { return a.peak.Load() }

// Work is the limit on what could be spilled, in bytes.
func (a *Account) Work() int64 { return a.work }

// Spillable is what is taken of the limit on what could be spilled.
func (a *Account) Spillable() int64 { return a.spill.Load() }

// Used is what is taken.
func (a *Account) Used() int64 { return a.used.Load() }

func (a *Account) take(n int64) bool {
	used := a.used.Add(n)
	if n > 0 && (a.limit > 0 && used > a.limit || !a.above(n)) {
		a.used.Add(-n)
		return false
	}
	if n < 0 {
		a.give(-n)
	} else if used > a.peak.Load() {
		a.peak.Store(used) // about: two goroutines may be at it
	}
	return true
}

// above takes n bytes of what the account is a part of.
func (a *Account) above(n int64) bool {
	if a.of != nil {
		return a.of.take(n)
	}
	return a.pool.take(n)
}

// give gives them back to it.
func (a *Account) give(n int64) {
	if a.of != nil {
		a.of.take(-n)
		return
	}
	a.pool.take(-n)
}

// Need takes n bytes that cannot be spilled: 53200 if they are not there. A negative n
// gives bytes back.
func (a *Account) Need(n int64) error {
	if a == nil || a.take(n) {
		return nil
	}
	return a.refused(n)
}

// Fits says whether n bytes could be taken now: 53200 if not. Nothing is taken.
func (a *Account) Fits(n int64) error {
	if a == nil {
		return nil
	}
	if !a.take(n) {
		return a.refused(n)
	}
	a.take(-n)
	return nil
}

func (a *Account) refused(n int64) error {
	if a.of != nil {
		return a.of.refused(n)
	}
	if used := a.used.Load(); a.limit > 0 && used+n > a.limit {
		return sqlerr.New(sqlerr.OutOfMemory, "out of memory").
			WithDetail("The statement holds %s of the %s that one statement may, and asked for %s more.", Size(used), Size(a.limit), Size(n)).
			WithHint("Let it hold less at a time: fewer or smaller rows, lists and groups. Or raise saltsql.max_statement_memory.")
	}
	return a.pool.refused(n)
}

// Share is what one holder has taken of an account. It is for one goroutine at a time.
type Share struct {
	a     *Account
	n     int64
	epoch uint64
	// Spills says that the holder could spill instead: what it takes counts against
	// work_mem too.
	Spills bool
}

// Of makes an empty share of an account.
func Of(a *Account, spills bool) Share {
	s := Share{a: a, Spills: spills}
	if a != nil {
		s.epoch = a.epoch
	}
	return s
}

// Bytes is what the share has taken.
func (s *Share) Bytes() int64 { return s.n }

// To makes the share n bytes; false if it cannot grow to that within work_mem, the
// statement's limit and the pool.
func (s *Share) To(n int64) bool {
	d := n - s.n
	if s.a == nil || d == 0 {
		s.n = n
		return true
	}
	if s.Spills {
		if total := s.a.spill.Add(d); d > 0 && s.a.work > 0 && total > s.a.work {
			s.a.spill.Add(-d)
			return false
		}
	}
	if !s.a.take(d) {
		if s.Spills {
			s.a.spill.Add(-d)
		}
		return false
	}
	s.n = n
	return true
}

// MustTo makes the share n bytes beyond work_mem too: 53200 if it cannot grow to that.
func (s *Share) MustTo(n int64) error {
	d := n - s.n
	if s.a == nil || d == 0 {
		s.n = n
		return nil
	}
	if err := s.a.Need(d); err != nil {
		return err
	}
	if s.Spills {
		s.a.spill.Add(d)
	}
	s.n = n
	return nil
}

// Release gives back what is held of the account's present run.
func (s *Share) Release() {
	if s.a != nil && s.epoch == s.a.epoch {
		s.To(0)
	}
	s.n = 0
}

// MustToOf is MustTo for a holder that outlives runs: what it took of another account,
// or of this one's run before, is void.
func (s *Share) MustToOf(a *Account, n int64) error {
	if a == nil {
		return nil
	}
	if s.a != a || s.epoch != a.epoch {
		*s = Of(a, s.Spills)
	}
	return s.MustTo(n)
}
