package fail

import "github.com/saltsql/saltsql/internal/sqlerr"

// raised is an error that is no *sqlerr.Error on its way to Caught.
type raised struct{ err error }

// If raises an error; nil is none.
func If(err error) {
	if e, ok := err.(*sqlerr.Error); ok {
		panic(e)
	}
	if err != nil {
		panic(raised{err})
	}
}

// Must gives x, or raises err.
func Must[T any](x T, err error) T {
	If(err)
	return x
}

// Must2 is Must of two values.
func Must2[T, U any](x T, y U, err error) (T, U) {
	If(err)
	return x, y
}

// Caught, deferred, has the function return what was raised below it.
func Caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case *sqlerr.Error:
		*err = p
	case raised:
		*err = p.err
	default:
		panic(p)
	}
}

// Try gives the error that is raised within do.
func Try(do func()) (err error) {
	defer Caught(&err)
	do()
	return nil
}
