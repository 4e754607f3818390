package main

import "testing"

// TestPlanMemory holds that the parts of any memory fit into it, what statements hold into the
// runtime's part, and that more memory makes no part smaller.
func TestPlanMemory(t *testing.T) {
	var last memoryPlan
	for total := int64(leastMemory); total < 1<<42; total += total / 10 {
		p := planMemory(total)
		if beside := p.cache + 4*p.memTable; withCgo() && beside+p.goLimit > total || beside > total/2 || p.goLimit > total {
			t.Errorf("%d: %+v", total, p)
		}
		if p.statements > p.goLimit || p.cache < last.cache || p.memTable < last.memTable || p.goLimit < last.goLimit {
			t.Errorf("%d: %+v after %+v", total, p, last)
		}
		last = p
	}
}
