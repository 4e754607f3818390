package rowstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// TestMerge makes random changes one by one, and merged, of random rows: the newest cells are the
// same, and no column is changed twice.
func TestMerge(t *testing.T) {
	seed := seeds.First(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	random := func(n int) (muts []storage.Mutation) {
		for range n {
			column := string("fg"[rng.IntN(2)]) + ":" + string("abc"[rng.IntN(3)])
			switch rng.IntN(12) {
			case 0:
				muts = append(muts, storage.Mutation{Op: storage.DeleteRow})
			case 1:
				muts = append(muts, storage.Mutation{Op: storage.DeleteFamily, Family: column[:1]})
			case 2, 3:
				muts = append(muts, remove(storage.DeleteCell, column))
			default:
				m := set(column, rng.Int64N(9), fmt.Sprint(rng.IntN(1000)))
				m.Latest = rng.IntN(2) == 0
				muts = append(muts, m)
			}
		}
		return muts
	}
	for range 20_000 {
		var one, all Row
		base := random(rng.IntN(8))
		one.Apply(base)
		all.Apply(base)
		var merged []storage.Mutation
		var made [][]storage.Mutation
		for range rng.IntN(6) {
			muts := random(1 + rng.IntN(4))
			one.Apply(muts)
			merged, made = Merge(merged, muts), append(made, muts)
		}
		all.Apply(merged)
		req := storage.ScanRequest{}
		if got, want := show(all.Visible(&req, nil)), show(one.Visible(&req, nil)); got != want {
			t.Fatalf("%v on %v: %s, want %s; merged %v", made, base, got, want, merged)
		}
		seen := map[string]bool{}
		for _, m := range merged {
			name := fmt.Sprintf("%d %s:%s", max(m.Op, storage.DeleteCell), m.Family, m.Qualifier)
			if seen[name] {
				t.Fatalf("%v changes %s twice", merged, name)
			}
			seen[name] = true
		}
		if n := len(slices.Concat(made...)); len(merged) > n {
			t.Fatalf("%d changes of %d", len(merged), n)
		}
	}
}
