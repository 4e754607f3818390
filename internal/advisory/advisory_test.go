package advisory

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestModel takes and gives locks at random beside a model: who holds what, by counts.
func TestModel(t *testing.T) {
	type held struct{ s, key, shared int }
	var table Table[int, int]
	model := map[held]int{}
	r := rand.New(rand.NewPCG(1, 2))
	n := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	for range 20000 {
		s, key, shared := r.IntN(4), r.IntN(3), r.IntN(2) == 0
		if r.IntN(2) == 0 {
			free := true
			for h, count := range model {
				free = free && (count == 0 || h.s == s || h.key != key || h.shared == 1 && shared)
			}
			got, err := table.Take(context.Background(), s, key, Options{Shared: shared, Book: func() error { return nil }})
			if err != nil || got != free {
				t.Fatalf("Take(%d, %d, shared %v) = %v, %v; the model: %v (%v)", s, key, shared, got, err, free, model)
			}
			if got {
				model[held{s, key, n(shared)}]++
			}
			continue
		}
		h := held{s, key, n(shared)}
		if got, want := table.Give(s, key, shared), model[h] > 0; got != want {
			t.Fatalf("Give(%d, %d, shared %v) = %v, want %v", s, key, shared, got, want)
		} else if got {
			if model[h]--; model[h] == 0 {
				delete(model, h)
			}
		}
		shown := map[held]int{}
		table.Each(func(e Entry[int, int]) {
			if e.Held.Exclusive > 0 {
				shown[held{e.Session, e.Key, 0}] = e.Held.Exclusive
			}
			if e.Held.Shared > 0 {
				shown[held{e.Session, e.Key, 1}] = e.Held.Shared
			}
		})
		if !maps.Equal(shown, model) {
			t.Fatalf("Each shows %v, the model %v", shown, model)
		}
	}
}

// waiting waits until n sessions wait for locks.
func waiting(table *Table[string, int], n int) {
	for {
		table.mu.Lock()
		m := len(table.waits)
		table.mu.Unlock()
		if m == n {
			return
		}
	}
}

func TestOrder(t *testing.T) {
	var table Table[string, int]
	book := func() error { return nil }
	take := func(s string, shared bool) <-chan error {
		done := make(chan error, 1)
		go func() {
			ok, err := table.Take(context.Background(), s, 1, Options{Shared: shared, Wait: true, Book: book})
			if !ok && err == nil {
				err = fmt.Errorf("not taken")
			}
			done <- err
		}()
		return done
	}
	if err := <-take("a", true); err != nil {
		t.Fatal(err)
	}
	b := take("b", false)
	waiting(&table, 1)
	c := take("c", true) // could have it, but for b, who came before
	waiting(&table, 2)
	if ok, err := table.Take(context.Background(), "d", 1, Options{Shared: true, Book: book}); ok || err != nil {
		t.Fatalf("who does not wait goes ahead of a queue: %v, %v", ok, err)
	}
	if err := <-take("a", true); err != nil { // who holds it does not queue
		t.Fatal(err)
	}
	table.Give("a", 1, true)
	waiting(&table, 2)
	table.Give("a", 1, true)
	if err := <-b; err != nil {
		t.Fatal(err)
	}
	waiting(&table, 1)
	table.Give("b", 1, false)
	if err := <-c; err != nil {
		t.Fatal(err)
	}
	if table.Give("c", 1, true); len(table.locks) != 0 {
		t.Fatalf("%d locks are left that nobody holds", len(table.locks))
	}
}

// TestCircle has three sessions wait for each other: the last to come is refused, and the
// others go on. A wait that is canceled lets those behind it go on.
func TestCircle(t *testing.T) {
	var table Table[int, int]
	o := Options{Wait: true, Book: func() error { return nil }}
	done := make(chan error, 2)
	for s := range 3 {
		if ok, err := table.Take(context.Background(), s, s, o); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for s := range 2 {
		go func() {
			_, err := table.Take(context.Background(), s, s+1, o)
			done <- err
		}()
		for n := 0; n <= s; {
			table.mu.Lock()
			n = len(table.waits)
			table.mu.Unlock()
		}
	}
	if _, err := table.Take(context.Background(), 2, 0, o); sqlerr.CodeOf(err) != sqlerr.DeadlockDetected {
		t.Fatalf("the wait that closes a circle: %v", err)
	}
	table.Give(2, 2, false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	table.Give(1, 1, false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		_, err := table.Take(ctx, 7, 0, o)
		done <- err
	}()
	for n := 0; n == 0; {
		table.mu.Lock()
		n = len(table.waits)
		table.mu.Unlock()
	}
	cause := fmt.Errorf("canceled")
	cancel(cause)
	if err := <-done; err != cause {
		t.Fatalf("a canceled wait: %v", err)
	}
	if len(table.waits) != 0 {
		t.Fatal("a wait is left")
	}
}
