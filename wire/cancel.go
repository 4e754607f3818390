package wire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Lengths of a cancel request's secret, by protocol version.
const (
	keyBytes30 = 4
	keyBytes32 = 32
)

// cancelKind is the question by which servers of one store pass CancelRequests on, and
// cancelPatience how long one waits for the other.
const (
	cancelKind     = "cancel-request"
	cancelPatience = 2 * time.Second
)

// cancels finds connections by the number that BackendKeyData told their
// clients.
type cancels struct {
	mu    sync.Mutex
	last  int32 // that was given, from the server's first
	conns map[int32]*conn
}

// add gives c one of n numbers behind first, that no living connection has, and a secret.
func (cs *cancels) add(c *conn, keyBytes int, first, n int32) {
	c.key = make([]byte, keyBytes)
	rand.Read(c.key)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.conns == nil {
		cs.conns = map[int32]*conn{}
	}
	for {
		if cs.last++; cs.last == n {
			cs.last = 1
		}
		if c.pid = first + cs.last; cs.conns[c.pid] == nil {
			break
		}
	}
	cs.conns[c.pid] = c
}

func (cs *cancels) remove(pid int32) {
	cs.mu.Lock()
	delete(cs.conns, pid)
	cs.mu.Unlock()
}

// here says that a CancelRequest names a connection of this server, or nobody's.
func (cs *cancels) here(body []byte) bool {
	if len(body) < 4 {
		return true
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.conns[int32(binary.BigEndian.Uint32(body))] != nil
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
	if c.srv.cancels.here(body) {
		c.srv.cancelRequest(body, func() { c.nc.Close() })
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelPatience)
	defer cancel()
	if _, err := c.srv.db.AskOwner(ctx, int32(binary.BigEndian.Uint32(body)), cancelKind, body); err != nil {
		c.log.Warn("a cancel request did not reach the server that it is for", "error", err)
	}
}

// cancelRequest carries out a CancelRequest for a connection of this server; heard is called once
// it is known to whom it goes.
func (s *Server) cancelRequest(body []byte, heard func()) {
	heard = sync.OnceFunc(heard)
	defer heard()
	cause := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	other := s.cancels.request(body)
	if other == nil {
		return
	}
	number, ok := other.state.stop(cause, 0)
	heard()
	for pause := time.Millisecond; ok && pause < time.Second; pause *= 2 {
		time.Sleep(pause)
		_, ok = other.state.stop(cause, number)
	}
}

// passedOn carries out a CancelRequest that a client has sent to another server of the store. The
// answer does not wait for the repeats.
func (s *Server) passedOn(_ context.Context, _ string, body []byte) ([]byte, error) {
	heard := make(chan struct{})
	go func() {
		err := guard.Run(func() error {
			s.cancelRequest(body, func() { close(heard) })
			return nil
		})
		if err != nil {
			s.log.Error("a cancel request failed", "error", err)
		}
	}()
	<-heard
	return nil, nil
}
