package notify

import (
	"context"
	"slices"
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

const (
	//saltsql:limit connections: bytes of a notification's payload (22023)
	maxPayload = 7999 // bytes of a payload, as in PostgreSQL
	//saltsql:limit connections: bytes of a channel's name (22023)
	maxChannel = 63 // and of a channel's name
	//saltsql:limit connections: bytes of notifications that wait for clients (54000)
	maxWaiting  = 16 << 20 // bytes that wait for clients
	textsBeside = 64       // of a notification, beside its texts
	sentBeside  = 160      // of one that a transaction sends, and of a channel
)

// Notification is what a client is told of a NOTIFY.
type Notification struct {
	Channel, Payload string
	PID              int32 // of the session that sent it
}

func (n *Notification) bytes() int64 { return int64(len(n.Channel)+len(n.Payload)) + textsBeside }

// Hub joins the sessions of a DB. The zero value has none.
type Hub struct {
	// order is held from before a commit to the delivery of what it sends.
	order sync.Mutex

	mu        sync.Mutex
	listeners map[string]map[*Client]struct{}
	expected  map[string]int // channels of LISTEN in transactions that are about to commit
	waiting   int64          // bytes in inboxes

	others *Others
}

// Client is a session's part. Its methods are not safe for concurrent use, but beside those
// of other clients.
type Client struct {
	hub   *Hub
	wake  func()
	book  func(n int64) error
	asked []listening           // by the transaction
	sent  []Notification        // by the transaction
	seen  map[Notification]bool // of sent
	bytes int64                 // of asked, sent and on, as they are booked
	needs int64                 // bytes of inboxes that sent takes, as they were when it was sent
	inbox []Notification        // under hub.mu
	on    []string              // channels listened to, in the order of LISTEN; under hub.mu
}

// listening is LISTEN or UNLISTEN of a channel, or with all of every one.
type listening struct {
	channel string
	stop    bool
	all     bool
}

// Join makes c a client of the hub, before its other methods are called. wake is called when
// there is something for a client that had nothing, on the goroutine of whoever sent it; with
// nil it cannot listen. book is told how many bytes the transaction's notifications and the channels
// take, and refuses more.
func (c *Client) Join(h *Hub, wake func(), book func(n int64) error) {
	c.hub, c.wake, c.book = h, wake, book
}

// Listens says that the client can be told of anything.
func (c *Client) Listens() bool { return c.wake != nil }

// Listen is LISTEN.
func (c *Client) Listen(channel string) error {
	return c.ask(listening{channel: channel})
}

// Unlisten is UNLISTEN of a channel, or of all.
func (c *Client) Unlisten(channel string, all bool) error {
	return c.ask(listening{channel: channel, stop: true, all: all})
}

func (c *Client) ask(a listening) error {
	if err := c.grow(int64(len(a.channel)) + sentBeside); err != nil {
		return err
	}
	c.asked = append(c.asked, a)
	return nil
}

// grow books n bytes more.
func (c *Client) grow(n int64) error {
	err := c.book(c.bytes + n)
	if err == nil {
		c.bytes += n
	}
	return err
}

// Send is NOTIFY: 22023 for what is no channel, or a payload that is too long. now says that
// no COMMIT follows at which it could be refused for want of room.
func (c *Client) Send(n Notification, now bool) error {
	switch {
	case n.Channel == "":
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name cannot be empty")
	case len(n.Channel) > maxChannel:
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name too long")
	case len(n.Payload) > maxPayload:
		return sqlerr.New(sqlerr.InvalidParameterValue, "payload string too long")
	}
	if c.seen[n] {
		return nil
	}
	if err := c.grow(int64(len(n.Channel)+len(n.Payload)) + sentBeside); err != nil {
		return err
	}
	if c.seen == nil {
		c.seen = map[Notification]bool{}
	}
	c.seen[n] = true
	c.sent = append(c.sent, n)
	if !now {
		return nil
	}
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	c.needs += int64(len(h.listeners[n.Channel])) * n.bytes()
	return h.room(c.needs)
}

// Channels lists what the client listens to.
func (c *Client) Channels() []string {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	return slices.Clone(c.on)
}

// Usage is how full the inboxes are, from 0 to 1.
func (h *Hub) Usage() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(h.waiting) / maxWaiting
}

// room says whether n bytes more can be delivered: 54000. mu is held.
func (h *Hub) room(n int64) error {
	if h.waiting+n <= maxWaiting {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue").
		WithDetail("Clients that listen have %d bytes of notifications to take.", h.waiting)
}

// takes is how many bytes of inboxes list takes. mu is held.
func (h *Hub) takes(list []Notification) (n int64) {
	for i := range list {
		n += int64(len(h.listeners[list[i].Channel])) * list[i].bytes()
	}
	return n
}

// Begin is called before a commit, and end after it. Between them no other transaction
// that notifies commits. 54000 where what was sent has no room. end waits for other servers to
// have what was sent, for a bounded time and until ctx ends.
func (c *Client) Begin(ctx context.Context) (end func(committed bool), err error) {
	if len(c.asked) == 0 && len(c.sent) == 0 {
		return func(bool) {}, nil
	}
	h := c.hub
	if err := h.expect(ctx, c.asked); err != nil {
		return nil, err
	}
	h.order.Lock()
	h.mu.Lock()
	err = h.room(h.takes(c.sent))
	h.mu.Unlock()
	if err == nil && h.others != nil && len(c.sent) > 0 {
		err = h.others.Room()
	}
	if err != nil {
		h.order.Unlock()
		h.forget(c.asked)
		return nil, err
	}
	return func(committed bool) {
		var done <-chan struct{}
		if committed {
			h.deliver(c)
			if h.others != nil && len(c.sent) > 0 {
				done = h.others.Send(c.sent)
			}
		}
		h.order.Unlock()
		h.forget(c.asked)
		if done != nil {
			h.others.await(ctx, done)
		}
		c.Forget(Mark{})
	}, nil
}

// deliver does what a transaction that has committed asked for. A session that begins to listen
// hears what the transaction itself sent.
func (h *Hub) deliver(c *Client) {
	h.mu.Lock()
	for _, a := range c.asked {
		h.listen(c, a)
	}
	woken := h.give(c.sent)
	h.mu.Unlock()
	for _, to := range woken {
		to.wake()
	}
}

// give puts notifications into the inboxes of those who listen, and gives those who had nothing
// before. mu is held.
func (h *Hub) give(list []Notification) (woken []*Client) {
	for _, n := range list {
		for to := range h.listeners[n.Channel] {
			if len(to.inbox) == 0 {
				woken = append(woken, to)
			}
			to.inbox = append(to.inbox, n)
			h.waiting += n.bytes()
		}
	}
	return woken
}

// listen carries out LISTEN or UNLISTEN, after which nothing of the channel is told any more. mu
// is held.
func (h *Hub) listen(c *Client, a listening) {
	switch {
	case a.stop:
		c.on = slices.DeleteFunc(c.on, func(channel string) bool {
			gone := a.all || channel == a.channel
			if gone {
				delete(h.listeners[channel], c)
				if len(h.listeners[channel]) == 0 {
					delete(h.listeners, channel)
				}
			}
			return gone
		})
		c.inbox = slices.DeleteFunc(c.inbox, func(n Notification) bool {
			gone := a.all || n.Channel == a.channel
			if gone {
				h.waiting -= n.bytes()
			}
			return gone
		})
	default:
		on := h.listeners[a.channel]
		if _, already := on[c]; already {
			return
		}
		if h.listeners == nil {
			h.listeners = map[string]map[*Client]struct{}{}
		}
		if on == nil {
			on = map[*Client]struct{}{}
			h.listeners[a.channel] = on
		}
		on[c] = struct{}{}
		c.on = append(c.on, a.channel)
	}
}

// Mark is how much a transaction has asked for.
type Mark struct{ asked, sent int }

// Mark is what Forget goes back to.
func (c *Client) Mark() Mark { return Mark{len(c.asked), len(c.sent)} }

// Forget forgets what the transaction asked for since m; since its beginning with Mark{}.
func (c *Client) Forget(m Mark) {
	c.asked = c.asked[:min(m.asked, len(c.asked))]
	for _, n := range c.sent[min(m.sent, len(c.sent)):] {
		delete(c.seen, n)
	}
	c.sent = c.sent[:min(m.sent, len(c.sent))]
	if len(c.sent) == 0 {
		c.sent, c.seen, c.needs = nil, nil, 0
	}
	if m == (Mark{}) {
		c.rebook()
	}
}

// rebook books the channels alone. The transaction's notifications are gone.
func (c *Client) rebook() {
	if c.bytes == 0 {
		return
	}
	c.bytes = 0
	for _, channel := range c.Channels() {
		c.bytes += int64(len(channel)) + sentBeside
	}
	_ = c.book(c.bytes) // the transaction had as much
}

// Take takes what there is to tell the client, in the order of commits.
func (c *Client) Take() []Notification {
	if c.wake == nil {
		return nil
	}
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	list := c.inbox
	c.inbox = nil
	for i := range list {
		c.hub.waiting -= list[i].bytes()
	}
	return list
}

// Stop ends all that the client listens to, at once.
func (c *Client) Stop() {
	c.hub.mu.Lock()
	c.hub.listen(c, listening{stop: true, all: true})
	c.hub.mu.Unlock()
	c.rebook()
}
