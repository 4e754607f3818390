package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"math"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Lengths of a cancel request's secret, by protocol version.
const (
	keyBytes30 = 4
	keyBytes32 = 32
)

// cancels finds connections by the number that BackendKeyData told their
// clients.
type cancels struct {
	mu    sync.Mutex
	last  int32
	conns map[int32]*conn
}

// add gives c a number that no living connection has, and a secret.
func (cs *cancels) add(c *conn, keyBytes int) {
	c.key = make([]byte, keyBytes)
	rand.Read(c.key)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.conns == nil {
		cs.conns = map[int32]*conn{}
	}
	for {
		if cs.last == math.MaxInt32 {
			cs.last = 0
		}
		cs.last++
		if cs.conns[cs.last] == nil {
			break
		}
	}
	c.pid = cs.last
	cs.conns[c.pid] = c
}

func (cs *cancels) remove(pid int32) {
	cs.mu.Lock()
	delete(cs.conns, pid)
	cs.mu.Unlock()
}

// request finds the connection that a CancelRequest names and proves to know, or
// nil. The client learns nothing of it.
func (cs *cancels) request(body []byte) *conn {
	if len(body) < 4 {
		return nil
	}
	cs.mu.Lock()
	c := cs.conns[int32(binary.BigEndian.Uint32(body))]
	cs.mu.Unlock()
	if c == nil || subtle.ConstantTimeCompare(c.key, body[4:]) != 1 {
		return nil
	}
	return c
}

// cancelOther carries out a CancelRequest. The engine of the other connection may be on
// its way into a call, where it cannot hear of a cancel yet: hence the repeats. They
// come after the socket is closed, for which libpq waits.
func (c *conn) cancelOther(body []byte) {
	cause := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	other := c.srv.cancels.request(body)
	if other == nil {
		return
	}
	number, ok := other.state.stop(cause, 0)
	c.nc.Close()
	for pause := time.Millisecond; ok && pause < time.Second; pause *= 2 {
		time.Sleep(pause)
		_, ok = other.state.stop(cause, number)
	}
}
