package txn

import (
	"strings"
	"testing"
)

// TestPanicInParallel: what panics on one of the goroutines of a commit is the error of it.
func TestPanicInParallel(t *testing.T) {
	err := inParallel(3, func(i int) error {
		if i == 1 {
			panic("broken")
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "panic: broken") {
		t.Error(err)
	}
}
