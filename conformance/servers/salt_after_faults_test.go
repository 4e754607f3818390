package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestSaltAfterIndexFaults changes the salt of a table after a server has died, or lost an answer,
// at a storage call of a write: what it has left in indexes leads to the rows that moved.
func TestSaltAfterIndexFaults(t *testing.T) {
	t.Parallel()
	type fault struct {
		op   int
		plan faultPlan
	}
	var all []fault
	for op := range faultOps {
		for n := 1; n <= 30; n++ {
			all = append(all, fault{op, faultPlan{at: n, lost: true}}, fault{op, faultPlan{die: n}}, fault{op, faultPlan{die: n, apply: true}})
		}
	}
	r := rand.New(rand.NewPCG(seeds.Daily(t), 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	reached, more := 0, seeds.Until(*indexFaults, 15*time.Second)
	for _, f := range all {
		if !more(reached) || t.Failed() {
			break
		}
		if saltAfterFault(t, f.op, f.plan, []int{0, 1, 3, 9}[r.IntN(4)]) {
			reached++
		}
	}
	t.Logf("%d faults", reached)
}

// saltAfterFault says whether the fault was met.
func saltAfterFault(t *testing.T, op int, p faultPlan, salt int) bool {
	inner := looseStore{mem.New()}
	defer inner.Close()
	sa := &scriptedStore{Store: inner}
	a := openFaultServer(t, sa, 0)
	if _, err := a.s.Exec(context.Background(), faultsDDL); err != nil {
		t.Fatal(err)
	}
	sa.arm(p)
	err := a.run(faultOps[op])
	a.close()
	if sa.n < max(p.at, p.die) {
		return false
	}
	b := openFaultServer(t, inner, 0)
	defer b.close()
	before := b.rows(t, allFaults)
	what := fmt.Sprintf("%v; %v (%v); SALT_BUCKETS = %d", faultOps[op], p, err, salt)
	for _, n := range []int{salt, 5} {
		if err := b.run([]string{fmt.Sprintf("ALTER TABLE faults SET SALT_BUCKETS = %d", n)}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		b.agree(t, what)
		if rows := b.rows(t, allFaults); !slices.Equal(rows, before) {
			t.Errorf("%s: the rows are %v, were %v", what, rows, before)
		}
		if missing, wrong, stale := b.faultsIn(t, "CHECK TABLE faults ALL"); missing+wrong+stale > 0 {
			t.Errorf("%s: %d entries missing, %d wrong, %d stale", what, missing, wrong, stale)
		}
	}
	_ = b.run([]string{"UPDATE faults SET a = a + 1, u = u + 1000"})
	b.agree(t, what+", written")
	agreesLater(t, inner, what)
	return true
}
