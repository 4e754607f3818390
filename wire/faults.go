package wire

import (
	"errors"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// fail tells the session that a transaction block has failed, and the client why.
func (c *conn) fail(err error) error {
	c.sess.Fail()
	return c.tell(err)
}

// tell tells the client of an error. It returns errors after which the
// connection cannot go on.
func (c *conn) tell(err error) error {
	if fatal := c.fatal(err); fatal != nil {
		return fatal
	}
	c.sendNotices()
	c.out.send(errorResponse(c.toClient(err)))
	return c.out.room()
}

// fatal gives the error that ends the connection, or nil: a lost connection, or an
// order to end it.
func (c *conn) fatal(err error) error {
	if cause := sqlerr.As(c.state.err()); cause != nil && cause.Severity == sqlerr.SeverityFatal {
		return cause
	}
	if e := sqlerr.As(err); e != nil && e.Severity == sqlerr.SeverityFatal {
		return e
	}
	if c.out.err != nil {
		return c.out.err
	}
	var lost *lostError
	if errors.As(err, &lost) {
		return lost.err
	}
	return nil
}

// lostError marks a failure of the connection, to tell it from a failure of the
// engine.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }
