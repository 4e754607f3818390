package memory

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func TestAccount(t *testing.T) {
	pool := NewPool(100)
	var a, b Account
	a.Open(pool, 60, 20)
	b.Open(pool, 60, 20)
	spills, stays := Of(&a, true), Of(&a, false)
	if !spills.To(20) || spills.To(21) {
		t.Fatal("work_mem does not bound what spills")
	}
	if err := spills.MustTo(30); err != nil {
		t.Fatal(err)
	}
	if err := stays.MustTo(31); sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
		t.Fatal("the statement's limit does not hold", err)
	}
	if err := stays.MustTo(30); err != nil || a.Used() != 60 || pool.Used() != 60 {
		t.Fatal(err, a.Used(), pool.Used())
	}
	if err := b.Need(41); sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
		t.Fatal("the pool's limit does not hold", err)
	}
	if err := b.Fits(40); err != nil || pool.Used() != 60 {
		t.Fatal(err, pool.Used())
	}
	stays.Release()
	if a.Used() != 30 || a.Peak() != 60 {
		t.Fatal(a.Used(), a.Peak())
	}
	a.Close()
	if pool.Used() != 0 {
		t.Fatal(pool.Used())
	}
	a.Open(pool, 60, 20)
	spills.Release() // of the run before
	if err := stays.MustToOf(&a, 10); err != nil || a.Used() != 10 {
		t.Fatal(err, a.Used())
	}
}

func TestNoLimit(t *testing.T) {
	var a Account
	s := Of(&a, true)
	if !s.To(1<<40) || (*Account)(nil).Need(1<<40) != nil || Of(nil, true).n != 0 {
		t.Fatal("the zero account has a limit")
	}
}

func TestTotal(t *testing.T) {
	if n := Total(); n < 64<<20 {
		t.Fatal(n)
	}
}

// TestGarbageIsCollected: memory that comes and goes under a pool is collected before
// garbage is as large as the pool.
func TestGarbageIsCollected(t *testing.T) {
	p := NewPool(16 << 20)
	var a Account
	a.Open(p, 0, 0)
	defer a.Close()
	before := cycles()
	const rounds = 64
	for range rounds {
		if err := a.Need(8 << 20); err != nil {
			t.Fatal(err)
		}
		if p.freed.Load() > 16<<20 {
			t.Fatal("garbage as large as the pool", p.freed.Load())
		}
		if err := a.Need(-8 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if n := cycles() - before; n == 0 || n > rounds {
		t.Error(n, "collections")
	}
}
