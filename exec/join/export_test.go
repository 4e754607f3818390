package join

// SetManyPassed has merge joins forget passed rows sooner, until restore is called.
func SetManyPassed(n int) (restore func()) {
	old := manyPassed
	manyPassed = n
	return func() { manyPassed = old }
}
