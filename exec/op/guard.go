package op

import (
	"fmt"
	"runtime/debug"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Recover turns a panic into an internal error: one statement's fault must not
// end the process, on whatever goroutine it happens. It is deferred.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = sqlerr.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
	}
}

// Guarded runs fn and gives its panic as an error.
func Guarded(fn func() error) (err error) {
	defer Recover(&err)
	return fn()
}
