package guard

import (
	"fmt"
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
