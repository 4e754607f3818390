package session

import (
	"strings"
	"testing"
)

// TestNotifyBytes: what a block sends by pg_notify is booked until it ends, 53200 where it does not
// fit, and a statement that sends much takes time in proportion.
func TestNotifyBytes(t *testing.T) {
	db := openDB(t, &Options{Memory: 64 << 20})
	c := newClient(t, db, SessionOptions{})
	c.must("BEGIN")
	c.must("SELECT count(pg_notify('x', repeat('x', 7000) || g)) FROM generate_series(1, 2000) g")
	if n := c.s.notified.Bytes(); n < 2000*7000 || n > 2000*7500 {
		t.Errorf("%d bytes are booked", n)
	}
	if got := c.query("SELECT count(pg_notify('x', repeat('y', 7000) || g)) FROM generate_series(1, 60000) g"); !strings.Contains(got, "53200") {
		t.Errorf("60,000 notifications of 7 kB: %s", got)
	}
	c.must("ROLLBACK")
	if n := c.s.notified.Bytes(); n != 0 {
		t.Errorf("%d bytes are booked after it", n)
	}
	c.must("SELECT count(pg_notify('x', g::text)) FROM generate_series(1, 60000) g")
	if n := c.s.notified.Bytes(); n != 0 {
		t.Errorf("%d bytes are booked after a statement", n)
	}
}
