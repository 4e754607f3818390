package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"math"
	"sync"

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

// request does what a CancelRequest asks. The client learns nothing, whether the key
// was right or not.
func (cs *cancels) request(body []byte) {
	if len(body) < 4 {
		return
	}
	pid := int32(binary.BigEndian.Uint32(body))
	cs.mu.Lock()
	c := cs.conns[pid]
	cs.mu.Unlock()
	if c == nil || subtle.ConstantTimeCompare(c.key, body[4:]) != 1 {
		return
	}
	c.state.stop(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
}
