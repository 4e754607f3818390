package guard

import (
	"errors"
	"log/slog"
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

func TestLogged(t *testing.T) {
	var log strings.Builder
	Logged(slog.New(slog.NewTextHandler(&log, nil)), "counting", func() { panic("broken") })
	if s := log.String(); !strings.Contains(s, "work=counting") || !strings.Contains(s, "panic: broken") {
		t.Error(s)
	}
	if err := Func(func() error { panic("broken") })(); err == nil {
		t.Error("no error")
	}
}
