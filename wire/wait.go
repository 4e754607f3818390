package wire

import (
	"errors"
	"os"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nextMessage waits for the client's next message at the top level.
func (c *conn) nextMessage() (byte, []byte, error) {
	if !c.in.buffered() {
		c.out.shrink()
	}
	for {
		free := !c.open && !c.skipping && c.sess.TxStatus() == saltsql.TxIdle
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
		case timeout > 0 && !c.state.ending():
			return 0, nil, fault
		}
	}
}

// idleTimeout gives how long to wait for the client, 0 for ever, and what to say
// then.
func (c *conn) idleTimeout(free bool) (time.Duration, error) {
	name, code, what := "idle_in_transaction_session_timeout",
		sqlerr.IdleInTransactionTimeout, "idle-in-transaction"
	switch {
	case free:
		name, code, what = "idle_session_timeout", sqlerr.IdleSessionTimeout, "idle-session"
	case c.sess.TxStatus() == saltsql.TxIdle:
		return 0, nil
	}
	d := c.times.get(c.sess, name)
	if d == 0 {
		return 0, nil
	}
	e := sqlerr.New(code, "terminating connection due to %s timeout", what)
	e.Severity = sqlerr.SeverityFatal
	return d, e
}

// times reads settings that are times; it remembers what their texts mean.
type times struct {
	known map[string]time.Duration
}

// get gives a setting in time, 0 where there is none.
func (t *times) get(s session, name string) time.Duration {
	text, ok := s.Setting(name)
	if !ok || text == "0" {
		return 0
	}
	d, ok := t.known[text]
	if !ok {
		if len(t.known) > 100 || t.known == nil {
			t.known = map[string]time.Duration{}
		}
		d = parseTime(text)
		t.known[text] = d
	}
	return d
}

// parseTime reads a time as SHOW prints it: a whole number and a unit; without one
// it is in milliseconds.
func parseTime(text string) time.Duration {
	n, i := int64(0), 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' && n < 1<<40 {
		n = n*10 + int64(text[i]-'0')
		i++
	}
	unit := map[string]time.Duration{
		"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
		"min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}[text[i:]]
	if unit != 0 && n > int64(1<<62/unit) {
		return 1 << 62
	}
	return time.Duration(n) * unit
}
