package guard

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Recover gives a panic as an error. It is deferred.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// Run does work, and gives its panic as an error.
func Run(work func() error) (err error) {
	defer Recover(&err)
	return work()
}

// Func gives work with its panic as an error: for errgroup.Group.Go.
func Func(work func() error) func() error { return func() error { return Run(work) } }

// Logged does work in the background, for which nobody waits: its panic ends it with a record in the
// log. what names the work.
func Logged(log *slog.Logger, what string, work func()) {
	if err := Run(func() error { work(); return nil }); err != nil {
		log.Error("work in the background has ended", "work", what, "err", err)
	}
}
