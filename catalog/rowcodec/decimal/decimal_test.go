package decimal

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func TestDecimalLimits(t *testing.T) {
	for _, test := range []struct{ value, detail string }{
		{"9.9E123", ""},
		{"-9.9E123", ""},
		{"1E124", "below 1e124"},
		{"-1E130", "below 1e124"},
		{"1E-128", ""},
		{"9E-129", "not below 1e-128"},
		{"99999999999999999999999999999999999999", ""},
		{"999999999999999999999999999999999999991", "here 39"},
		{"NaN", "-"},
		{"-Infinity", "-"},
	} {
		d, _, err := apd.NewFromString(test.value)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Append(nil, d, true)
		e := sqlerr.As(err)
		switch {
		case test.detail == "":
			if err != nil {
				t.Errorf("%s: %v", test.value, err)
			}
		case e == nil || e.Code != sqlerr.NumericValueOutOfRange:
			t.Errorf("%s: %v", test.value, err)
		case test.detail != "-" && !strings.Contains(e.Detail, test.detail):
			t.Errorf("%s: %s", test.value, e.Detail)
		}
	}
}

// TestWideDecimals: numbers that Phoenix has not lie between those that it has, by their
// bytes, and read as they were written; no byte of a number can be taken for a separator.
func TestWideDecimals(t *testing.T) {
	twenty := "1234567890123456789012345678901234567890" // 20 digits of 100
	magnitudes := []string{"1E-16383", "9E-16383", "1E-200", "1E-130", "9E-129", "1E-128", "1E-126", "0.5", "1", "1.5",
		twenty[:38], twenty[:38] + ".0000000001", "1234567890123456789012345678901234567889", "1234567890123456789012345678901234567889.99", twenty, twenty + ".00000000000001",
		twenty + ".01", twenty + ".010001", twenty + ".99", "1234567890123456789012345678901234567891", twenty[:38] + "99", twenty[:38] + "99.5", "1234567890123456789012345678901234567899.999", twenty + "00",
		twenty + "01.5", "9.9E123", "1E124", "1E126", "1.5E126", "1E200", "1E99999", "9E99999"}
	var ascending []*apd.Decimal
	add := func(text string) {
		d, _, err := apd.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		ascending = append(ascending, d)
	}
	add("-Infinity")
	for i := range magnitudes {
		add("-" + magnitudes[len(magnitudes)-1-i])
	}
	add("0")
	for _, m := range magnitudes {
		add(m)
	}
	add("Infinity")
	add("NaN")
	var before []byte
	for _, d := range ascending {
		b, err := Append(nil, d, false)
		if err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		if bytes.Compare(before, b) >= 0 {
			t.Errorf("%.60s is %X, which is not over %X", d, b, before)
		}
		if bytes.IndexByte(b, 0) >= 0 || bytes.IndexByte(b, 0xFF) >= 0 {
			t.Errorf("%.60s is %X", d, b)
		}
		before = b
		for _, mask := range []byte{0, 0xFF} {
			for _, scale := range []int32{0, 2} {
				stored := bytes.Clone(b)
				if mask != 0 {
					for i := range stored {
						stored[i] ^= mask
					}
				}
				var back apd.Decimal
				if !Decode(stored, mask, scale, &back) || orderDecimals(&back, d) != 0 {
					t.Errorf("%.60s comes back as %.60s", d, &back)
				}
				if back.Form == apd.Finite && (back.Exponent > 0 || -back.Exponent < scale) {
					t.Errorf("%.60s comes back with exponent %d", d, back.Exponent)
				}
			}
		}
		if p := Locate(d, false); p.Where != bound.Exactly || !bytes.Equal(p.Lo, b) {
			t.Errorf("%.60s is located at %X", d, p.Lo)
		}
	}
}

// FuzzDecodeDecimal: what is read is written in the same order as it compares, and reads the same.
func FuzzDecodeDecimal(f *testing.F) {
	for _, b := range []string{"\xC2\x02\x18", "\xFE\x67", "\xFE\x65\x41\x01\x66\x02", "\x7E\x65\x41\x01\x63\x64\x66", "\x01\x01", "\x81\x01\x40\x80\x1E\x02"} {
		f.Add([]byte(b), []byte("\x2A"+strings.Repeat("\x59", 25)+"\x66"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var x, y apd.Decimal
		if !Decode(a, 0, 0, &x) || !Decode(b, 0, 0, &y) {
			return
		}
		if x.NumDigits() > 5000 || y.NumDigits() > 5000 || x.Exponent < -5000 || y.Exponent < -5000 {
			return // slow to compare
		}
		xb, err1 := Append(nil, &x, false)
		yb, err2 := Append(nil, &y, false)
		if err1 != nil || err2 != nil {
			return
		}
		if c := orderDecimals(&x, &y); c != bytes.Compare(xb, yb) {
			t.Errorf("%s and %s compare as %d, %X and %X do not", &x, &y, c, xb, yb)
		}
		var back apd.Decimal
		if !Decode(xb, 0, 0, &back) || orderDecimals(&back, &x) != 0 {
			t.Errorf("%X is %s, %X is %s", a, &x, xb, &back)
		}
	})
}

// orderDecimals orders numerics as SQL does: NaN last.
func orderDecimals(a, b *apd.Decimal) int {
	rank := func(d *apd.Decimal) int {
		switch {
		case d.Form == apd.NaN || d.Form == apd.NaNSignaling:
			return 2
		case d.Form == apd.Infinite && d.Negative:
			return -1
		case d.Form == apd.Infinite:
			return 1
		}
		return 0
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) != 0 {
		return c
	}
	return a.Cmp(b)
}

// TestMillionths: whole numbers and millionths have the bytes of the same number as a decimal.
func TestMillionths(t *testing.T) {
	r := rand.New(rand.NewPCG(seeds.First(t), 0))
	for range 100_000 {
		whole, millionths, neg := r.Uint64()>>r.IntN(64), uint32(r.IntN(1e6)), r.IntN(2) == 0
		for p := r.IntN(20); p > 0; p-- { // numbers that end in zeros
			whole = whole / 10 * 10
			if whole > 0 && r.IntN(3) > 0 {
				whole /= 10
			}
		}
		switch r.IntN(4) {
		case 0:
			whole = 0
		case 1:
			millionths = 0
		case 2:
			millionths -= millionths % 1000
		}
		d := &apd.Decimal{Exponent: -6}
		d.Coeff.SetString(fmt.Sprintf("%d%06d", whole, millionths), 10)
		d.Negative = neg && d.Coeff.Sign() > 0
		want, err := Append(nil, d, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendMillionths(nil, neg, whole, millionths); !bytes.Equal(got, want) {
			t.Fatalf("%d + %d/1000000, negative %v: %X, want %X", whole, millionths, neg, got, want)
		}
	}
}
