package exec

import (
	"fmt"
	"runtime/debug"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// catch turns a panic into an internal error: one statement's fault must not
// end the process, on whatever goroutine it happens. It is deferred.
func catch(err *error) {
	if p := recover(); p != nil {
		*err = sqlerr.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
	}
}

// guarded runs fn and gives its panic as an error.
func guarded(fn func() error) (err error) {
	defer catch(&err)
	return fn()
}
