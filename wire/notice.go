package wire

import (
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// maxNotices bounds what one statement may have to say between two messages.
const maxNotices = 1000

// noticeQueue keeps notices until the connection's goroutine is between two
// messages: the engine may raise them from any goroutine.
type noticeQueue struct {
	some atomic.Bool
	mu   sync.Mutex
	list []*sqlerr.Error
}

func (q *noticeQueue) add(e *sqlerr.Error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) < maxNotices {
		q.list = append(q.list, e)
	}
	q.some.Store(true)
}

func (q *noticeQueue) take() []*sqlerr.Error {
	if !q.some.Load() {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	q.some.Store(false)
	return list
}

// tellNow sends a notice while a statement goes on waiting. It is called on the
// connection's goroutine; an error shows at the next write.
func (c *conn) tellNow(e *sqlerr.Error) {
	c.sendNotices()
	c.out.send(noticeResponse(e))
	_ = c.out.flush()
}

// sendNotifications sends what NOTIFY has for the client, which is between transactions.
func (c *conn) sendNotifications() {
	for _, n := range c.sess.Notifications() {
		c.out.send(&pgproto3.NotificationResponse{PID: uint32(n.PID), Channel: n.Channel, Payload: n.Payload})
	}
}

// tellNotifications is sendNotifications while the server waits for the client.
func (c *conn) tellNotifications() error {
	c.sendNotifications()
	return c.out.flush()
}

// sendNotices sends what has been raised so far.
func (c *conn) sendNotices() {
	for _, e := range c.notices.take() {
		c.out.send(noticeResponse(e))
	}
}
