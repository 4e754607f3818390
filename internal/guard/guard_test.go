package guard

import (
	"errors"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	want := errors.New("x")
	if err := Run(func() error { return want }); err != want {
		t.Error(err)
	}
	err := Run(func() error { panic("broken") })
	if err == nil || !strings.HasPrefix(err.Error(), "panic: broken\n") || !strings.Contains(err.Error(), "guard_test.go") {
		t.Error(err)
	}
}
