package grouping

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// bits is a set as a number, in which the order of its members and their repetition are nothing.
func bits(s []int) (n int) {
	for _, i := range s {
		n |= 1 << i
	}
	return n
}

func drawSets(r *rand.Rand) [][]int {
	sets := make([][]int, 1+r.IntN(4))
	for i := range sets {
		sets[i] = r.Perm(5)[:r.IntN(4)]
	}
	return sets
}

// TestSetAlgebra compares with sets as numbers: GROUP BY a, ROLLUP (b, c) is the product of the
// sets of its parts, each pair once and in order, with no member twice.
func TestSetAlgebra(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		a, b := drawSets(r), drawSets(r)
		var want []int
		for _, x := range a {
			for _, y := range b {
				want = append(want, bits(x)|bits(y))
			}
		}
		got, err := Product(cloneSets(a), cloneSets(b))
		if err != nil {
			t.Fatal(err)
		}
		var is []int
		for _, s := range got {
			is = append(is, bits(s))
			sorted := slices.Clone(s)
			slices.Sort(sorted)
			if len(slices.Compact(sorted)) != len(s) {
				t.Fatalf("%v of %v and %v has a member twice", s, a, b)
			}
		}
		if !slices.Equal(is, want) {
			t.Fatalf("%v and %v: %v", a, b, got)
		}
		if u := Union(append(cloneSets(a), b...)...); bits(u) != foldBits(a)|foldBits(b) {
			t.Fatalf("%v and %v: the union is %v", a, b, u)
		}
		var distinct []int
		for _, s := range DistinctSets(got) {
			distinct = append(distinct, bits(s))
		}
		var first []int
		for _, n := range want {
			if !slices.Contains(first, n) {
				first = append(first, n)
			}
		}
		if !slices.Equal(distinct, first) {
			t.Fatalf("%v: distinct are %b, want %b", got, distinct, first)
		}
	}
}

func cloneSets(sets [][]int) (out [][]int) {
	for _, s := range sets {
		out = append(out, slices.Clone(s))
	}
	return out
}

func foldBits(sets [][]int) (n int) {
	for _, s := range sets {
		n |= bits(s)
	}
	return n
}

// TestProductLimit: as many sets as PostgreSQL takes, and not one more.
func TestProductLimit(t *testing.T) {
	half := make([][]int, 64)
	if got, err := Product(half, half); err != nil || len(got) != MaxGroupingSets {
		t.Errorf("%d sets: %v", len(got), err)
	}
	if _, err := Product(half, make([][]int, 65)); sqlerr.As(err) == nil || sqlerr.As(err).Code != sqlerr.StatementTooComplex {
		t.Errorf("over the limit: %v", err)
	}
}
