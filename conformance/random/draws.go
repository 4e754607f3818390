package random

import "math/rand/v2"

// draws gives the numbers that a generator decides by, and keeps them: the same numbers
// make the same statement, and fewer or smaller ones a smaller statement.
type draws struct {
	r      *rand.Rand
	taken  []int
	given  []int // to be given again, and then zeros
	replay bool
}

// IntN is a number from 0 up to below n.
func (d *draws) IntN(n int) int {
	v := 0
	switch {
	case !d.replay:
		v = d.r.IntN(n)
	case len(d.taken) < len(d.given):
		v = d.given[len(d.taken)] % n
	}
	d.taken = append(d.taken, v)
	return v
}

// Made says by which numbers the last statement was made.
func (g *Joins) Made() []int { return append([]int(nil), g.r.taken...) }

// Again makes a statement by these numbers, as make (Query or Write) does. What the
// generator makes after it is what it would have made without.
func (g *Joins) Again(made []int, make func(*Joins) string) string {
	other := *g
	other.r = &draws{given: made, replay: true}
	return make(&other)
}

// Shrink gives the smallest statement that it finds for which fails still holds, within so
// many tries.
func (g *Joins) Shrink(made []int, make func(*Joins) string, tries int, fails func(sql string) bool) string {
	best := g.Again(made, make)
	try := func(next []int) bool {
		sql := g.Again(next, make)
		if tries <= 0 || sql == best || len(sql) > len(best) {
			return false
		}
		tries--
		if !fails(sql) {
			return false
		}
		made, best = next, sql
		return true
	}
	for again := true; again && tries > 0; {
		again = false
		for size := max(1, len(made)/2); size > 0; size /= 2 {
			for i := 0; i+size <= len(made); {
				if try(append(append([]int(nil), made[:i]...), made[i+size:]...)) {
					again = true
				} else {
					i += size
				}
			}
		}
		for i := range made {
			for i < len(made) && made[i] > 0 {
				next := append([]int(nil), made...)
				if next[i] = 0; !try(next) {
					break
				}
				again = true
			}
		}
	}
	return best
}
