package bigtable

import (
	"runtime/debug"

	"github.com/saltsql/saltsql/storage"
)

// guard gives the panic of fn, which calls a caller's filter, as an error: on a
// goroutine of this package nobody else would stop it from ending the process.
func guard(op, table string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = storage.Errorf(storage.CodeUnknown, op, table, "panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}
