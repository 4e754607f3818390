package catalog

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestLayered makes random changes to copies, and compares each with a map; originals stay.
func TestLayered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	type pair struct {
		l Layered[int, int]
		m map[int]int
	}
	pairs := []pair{{m: map[int]int{}}}
	for step := range 3000 {
		p := pairs[len(pairs)-1]
		n := pair{p.l.Copy(), maps.Clone(p.m)}
		for range 1 + r.IntN(3) {
			if k := r.IntN(200); r.IntN(3) > 0 {
				n.l.Set(k, step)
				n.m[k] = step
			} else {
				n.l.Delete(k)
				delete(n.m, k)
			}
		}
		pairs = append(pairs, n)
	}
	for i := range pairs {
		l, m := &pairs[i].l, pairs[i].m
		if l.Len() != len(m) || !maps.Equal(maps.Collect(l.All()), m) {
			t.Fatalf("copy %d: %d keys, not %d", i, l.Len(), len(m))
		}
		for k := range 200 {
			got, ok := l.Get(k)
			if want, is := m[k]; got != want || ok != is {
				t.Fatalf("copy %d: %d is %d, %v", i, k, got, ok)
			}
		}
		if a := len(l.above); a > 50 {
			t.Fatalf("copy %d has %d keys above", i, a)
		}
	}
}
