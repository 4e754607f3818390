package numeric

import "github.com/cockroachdb/apd/v3"

// Variance makes z the variance, or its square root with dev, of n values from
// their sum and the sum of their squares; sample divides by n - 1. The caller
// sees to it that n is large enough.
func Variance(z *Dec, n int64, sum, squares *Dec, sample, dev bool) error {
	if !IsFinite(sum) || !IsFinite(squares) {
		SetNaN(z)
		return nil
	}
	count := apd.New(n, 0)
	var a, b Dec
	if err := Mul(&a, sum, sum); err != nil {
		return err
	}
	if err := Mul(&b, count, squares); err != nil {
		return err
	}
	if err := Sub(&b, &b, &a); err != nil {
		return err
	}
	if Sign(&b) <= 0 {
		SetInt64(z, 0)
		return nil
	}
	div := n
	if sample {
		div--
	}
	if err := Mul(&a, count, apd.New(div, 0)); err != nil {
		return err
	}
	scale := divScale(&b, &a)
	if err := divTo(z, &b, &a, scale, true); err != nil {
		return err
	}
	if dev {
		return sqrtTo(z, z, scale)
	}
	return nil
}
