package wire

import (
	"errors"
	"os"
	"time"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nextMessage waits for the client's next message at the top level.
func (c *conn) nextMessage() (byte, []byte, error) {
	if c.open && !c.skipping && c.state.err() == nil && c.in.whole() {
		// Amid what was sent at once: the work goes on, nobody waits.
		return c.in.message(c.srv.limit)
	}
	if !c.in.buffered() {
		c.out.shrink()
		c.in.shrink()
	}
	for {
		free := !c.open && !c.skipping && c.sess.TxStatus() == session.TxIdle
		timeout, fault := c.idleTimeout(free)
		if err := c.state.wait(free, timeout); err != nil {
			return 0, nil, err
		}
		typ, body, err := c.in.message(c.srv.limit)
		if err == nil {
			c.state.work()
			return typ, body, nil
		}
		switch {
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, nil, err
		case c.state.notified():
			if err := c.tellNotifications(); err != nil {
				return 0, nil, err
			}
		case timeout > 0 && !c.state.ending():
			return 0, nil, fault
		}
	}
}

// idleTimeout gives how long to wait for the client, 0 for ever, and what to say
// then. free says that nothing is open.
func (c *conn) idleTimeout(free bool) (time.Duration, error) {
	set := c.sess.Timeouts()
	d, code, what := set.IdleInTransaction, sqlerr.IdleInTransactionTimeout, "idle-in-transaction"
	switch {
	case free:
		d, code, what = set.Idle, sqlerr.IdleSessionTimeout, "idle-session"
	case c.sess.TxStatus() == session.TxIdle:
		return 0, nil
	}
	if d == 0 {
		return 0, nil
	}
	e := sqlerr.New(code, "terminating connection due to %s timeout", what)
	e.Severity = sqlerr.SeverityFatal
	return d, e
}
