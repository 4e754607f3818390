package session

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestShownRows: a number finds its key, in its storage alone, until a million others have come; what they take is
// booked, and given back.
func TestShownRows(t *testing.T) {
	var held memory.Account
	pool := memory.NewPool(1 << 30)
	held.Open(pool, 0, 0)
	defer held.Close()
	var r shownRows
	key := func(i int) []byte { return fmt.Appendf(nil, "key%d", i) }
	const all = maxShown + 1000
	for i := range all {
		if n, err := r.number(&held, "t.1", key(i)); n != int64(i) || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, _ := r.number(&held, "t.1", key(all-1)); n != all-1 {
		t.Fatalf("a key has the numbers %d and %d", all-1, n)
	}
	for _, n := range []int64{1000, all - 1} {
		if k, ok := r.key("t.1", n); !ok || string(k) != string(key(int(n))) {
			t.Errorf("%d is %q", n, k)
		}
		if k, ok := r.key("t.2", n); ok {
			t.Errorf("%d is %q of another table", n, k)
		}
	}
	for _, n := range []int64{-1, 0, 999, all} {
		if k, ok := r.key("t.1", n); ok {
			t.Errorf("%d is %q, and should be forgotten", n, k)
		}
	}
	if n, _ := r.number(&held, "t.1", key(0)); n != all {
		t.Errorf("a key that was forgotten has the number %d", n)
	}
	if b := r.share.Bytes(); b < maxShown*shownBytes || held.Used() < b {
		t.Errorf("%d bytes are booked", b)
	}
	r.forget()
	if b := r.share.Bytes(); b != 0 {
		t.Errorf("%d bytes are booked for nothing", b)
	}
	if n, _ := r.number(&held, "t.1", key(0)); n != all+1 {
		t.Errorf("the number %d is given again", n)
	}
	small := memory.NewPool(64 << 10)
	var few memory.Account
	few.Open(small, 0, 0)
	defer few.Close()
	var s shownRows
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		_, err = s.number(&few, "t", key(i))
	}
	if sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
		t.Errorf("memory is short: %v", err)
	}
}
