package numeric

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestWords compares sums, differences, products and orders with exact ones: of values
// that fit words, of values whose results do not, and of larger ones.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(seeds.First(t), 1))
	for range 200_000 {
		x, y := randomDec(rng), randomDec(rng)
		scale := max(Scale(x), Scale(y))
		a, b := scaled(x, scale), scaled(y, scale)
		if got, want := Cmp(x, y), a.Cmp(b); got != want {
			t.Fatalf("%s against %s: %d, want %d", x, y, got, want)
		}
		check := func(name string, op func(z, x, y *Dec) error, want *big.Int, scale int) {
			t.Helper()
			var z Dec
			if rng.IntN(4) == 0 { // the result may be an argument
				x := new(Dec).Set(x)
				if err := op(x, x, y); err != nil {
					t.Fatal(err)
				}
				z.Set(x)
			} else if err := op(&z, x, y); err != nil {
				t.Fatal(err)
			}
			if z.Form != apd.Finite || Scale(&z) != scale || scaled(&z, scale).Cmp(want) != 0 || z.Negative != (want.Sign() < 0) {
				t.Fatalf("%s %s %s is %s, want %s at scale %d", x, name, y, &z, want, scale)
			}
		}
		check("+", Add, new(big.Int).Add(a, b), scale)
		check("-", Sub, new(big.Int).Sub(a, b), scale)
		product := new(big.Int).Mul(scaled(x, Scale(x)), scaled(y, Scale(y)))
		check("*", Mul, product, Scale(x)+Scale(y))
	}
}

// randomDec gives a numeric of 0 to 130 bits, mostly less than 64, now and then with an
// exponent above 0.
func randomDec(rng *rand.Rand) *Dec {
	d := &Dec{Exponent: int32(rng.IntN(28)) - 25, Negative: rng.IntN(2) == 0}
	d.Coeff.SetUint64(rng.Uint64() >> rng.IntN(65))
	if rng.IntN(8) == 0 {
		d.Coeff.Mul(&d.Coeff, apd.NewBigInt(rng.Int64()))
	}
	if d.Coeff.Sign() == 0 {
		d.Negative = false
	}
	return d
}

// scaled gives x × 10^scale, a whole number.
func scaled(x *Dec, scale int) *big.Int {
	n := new(big.Int).Set(x.Coeff.MathBigInt())
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)+int64(x.Exponent)), nil))
	if x.Negative {
		n.Neg(n)
	}
	return n
}

func BenchmarkAdd(b *testing.B) {
	x, y := New(123456, 2), New(98765, 4)
	var z Dec
	for b.Loop() {
		if err := Add(&z, x, y); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCmp(b *testing.B) {
	x, y := New(123456, 2), New(1235, 0)
	for b.Loop() {
		if Cmp(x, y) > 0 {
			b.Fatal("wrong")
		}
	}
}
