package expr_test

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
)

// A seed gives the numbers that PostgreSQL 15 gives for it.
func TestRandomAsPostgres(t *testing.T) {
	var r expr.Random
	r.Seed(0.5)
	for i, want := range []float64{0.9851677175347999, 0.825301858027981, 0.12974610012450416} {
		if got := r.Float(); got != want {
			t.Errorf("number %d is %v, PostgreSQL's is %v", i, got, want)
		}
	}
	var none *expr.Random
	none.Seed(0.5)
	if a, b := none.Float(), none.Float(); a == b || a < 0 || a >= 1 || b < 0 || b >= 1 {
		t.Errorf("%v, then %v without a session", a, b)
	}
}
