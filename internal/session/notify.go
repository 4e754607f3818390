package session

import (
	"slices"
	"sync"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// LISTEN and NOTIFY among the sessions of one DB. Both take effect at COMMIT, and a client is
// told between its transactions.
//
//	NOTIFY   -> session.notify.sent       one of each (channel, payload) of the transaction
//	COMMIT   -> channels.deliver          in the order of commits, to each listener's inbox
//	idle     -> session.Notifications     the protocol takes the inbox
//
// The inboxes of all sessions hold maxNotifications bytes together: 54000 for the NOTIFY that
// would be more, before its transaction has committed.

const (
	//saltsql:limit connections: bytes of a notification's payload (22023)
	maxPayload = 7999 // bytes of a payload, as in PostgreSQL
	//saltsql:limit connections: bytes of a channel's name (22023)
	maxChannel = 63 // and of a channel's name
	//saltsql:limit connections: bytes of notifications that wait for clients (54000)
	maxNotifications = 16 << 20 // bytes that wait for clients
	notificationSize = 64       // of one, beside its texts
)

// Notification is what a client is told of a NOTIFY.
type Notification struct {
	Channel, Payload string
	PID              int32 // of the session that sent it
}

func (n *Notification) bytes() int64 { return int64(len(n.Channel)+len(n.Payload)) + notificationSize }

// channels are those of a DB.
type channels struct {
	// order is held from before a commit to the delivery of what it sends.
	order sync.Mutex

	mu        sync.Mutex
	listeners map[string]map[*Session]struct{}
	waiting   int64 // bytes in inboxes
}

// notifying is a session's part.
type notifying struct {
	told    bool                  // that other servers are not reached
	actions []listening           // of the transaction
	sent    []Notification        // of the transaction
	seen    map[Notification]bool // of sent
	inbox   []Notification        // under channels.mu
	on      []string              // channels listened to, in the order of LISTEN; under channels.mu
}

// listening is LISTEN or UNLISTEN of a channel, or with all of every one.
type listening struct {
	channel string
	stop    bool
	all     bool
}

// listen is LISTEN. Only a client that can be told may: others are 0A000.
func (s *Session) listen(u *tree.Listen) error {
	if s.opts.Notified == nil {
		return sqlerr.Unsupported("LISTEN of a session without a connection is not supported", "Connect over the protocol; wire.Server.Dial does within the process.")
	}
	s.tellOfServers()
	s.notify.actions = append(s.notify.actions, listening{channel: u.Channel})
	return nil
}

// tellOfServers says, once, that other servers of the store hear nothing.
func (s *Session) tellOfServers() {
	if s.db.shared && !s.notify.told {
		s.notify.told = true
		s.notice(sqlerr.Notice(sqlerr.Warning, "notifications reach the sessions of this server only").
			WithHint("Between servers, write a row to a table that the others poll."))
	}
}

func (s *Session) unlisten(u *tree.Unlisten) {
	s.notify.actions = append(s.notify.actions, listening{channel: u.Channel, stop: true, all: u.All})
}

// send is NOTIFY: 22023 for what is no channel, or a payload that is too long.
func (s *Session) send(channel, payload string) error {
	switch {
	case channel == "":
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name cannot be empty")
	case len(channel) > maxChannel:
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name too long")
	case len(payload) > maxPayload:
		return sqlerr.New(sqlerr.InvalidParameterValue, "payload string too long")
	}
	s.tellOfServers()
	n := Notification{channel, payload, s.opts.BackendPID}
	if s.notify.seen[n] {
		return nil
	}
	if s.notify.seen == nil {
		s.notify.seen = map[Notification]bool{}
	}
	s.notify.seen[n] = true
	s.notify.sent = append(s.notify.sent, n)
	if !s.tx.inTransaction() { // what a lone statement writes is committed before the end of it
		s.db.channels.mu.Lock()
		defer s.db.channels.mu.Unlock()
		return s.db.channels.room(s.notify.sent)
	}
	return nil
}

func (f sessionFuncs) Notify(channel, payload string) error { return f.s.send(channel, payload) }

// Channels lists what the session listens to.
func (f sessionFuncs) Channels() []string {
	c := &f.s.db.channels
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(f.s.notify.on)
}

// NotificationUsage is how full the inboxes are, from 0 to 1.
func (f sessionFuncs) NotificationUsage() float64 {
	c := &f.s.db.channels
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.waiting) / maxNotifications
}

// room says whether list can be delivered: 54000. mu is held.
func (c *channels) room(list []Notification) error {
	n := c.waiting
	for i := range list {
		n += int64(len(c.listeners[list[i].Channel])) * list[i].bytes()
	}
	if n <= maxNotifications {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue").
		WithDetail("Clients that listen have %d bytes of notifications to take.", c.waiting)
}

// beginNotify is called before a commit, and end after it. Between them no other transaction
// that notifies commits.
func (s *Session) beginNotify() (end func(committed bool), err error) {
	if len(s.notify.actions) == 0 && len(s.notify.sent) == 0 {
		return func(bool) {}, nil
	}
	c := &s.db.channels
	c.order.Lock()
	c.mu.Lock()
	err = c.room(s.notify.sent)
	c.mu.Unlock()
	if err != nil {
		c.order.Unlock()
		return nil, err
	}
	return func(committed bool) {
		defer c.order.Unlock()
		if committed {
			c.deliver(s)
		}
		s.forgetNotify(0, 0)
	}, nil
}

// deliver does what a transaction that has committed asked for. A session that begins to listen
// hears what the transaction itself sent.
func (c *channels) deliver(s *Session) {
	c.mu.Lock()
	for _, a := range s.notify.actions {
		c.listen(s, a)
	}
	var woken []*Session
	for _, n := range s.notify.sent {
		for to := range c.listeners[n.Channel] {
			if len(to.notify.inbox) == 0 {
				woken = append(woken, to)
			}
			to.notify.inbox = append(to.notify.inbox, n)
			c.waiting += n.bytes()
		}
	}
	c.mu.Unlock()
	for _, to := range woken {
		to.opts.Notified()
	}
}

// listen carries out LISTEN or UNLISTEN, after which nothing of the channel is told any more. mu
// is held.
func (c *channels) listen(s *Session, a listening) {
	own := &s.notify
	switch {
	case a.stop:
		own.on = slices.DeleteFunc(own.on, func(channel string) bool {
			gone := a.all || channel == a.channel
			if gone {
				delete(c.listeners[channel], s)
				if len(c.listeners[channel]) == 0 {
					delete(c.listeners, channel)
				}
			}
			return gone
		})
		own.inbox = slices.DeleteFunc(own.inbox, func(n Notification) bool {
			gone := a.all || n.Channel == a.channel
			if gone {
				c.waiting -= n.bytes()
			}
			return gone
		})
	case !slices.Contains(own.on, a.channel):
		if c.listeners == nil {
			c.listeners = map[string]map[*Session]struct{}{}
		}
		if c.listeners[a.channel] == nil {
			c.listeners[a.channel] = map[*Session]struct{}{}
		}
		c.listeners[a.channel][s] = struct{}{}
		own.on = append(own.on, a.channel)
	}
}

// endNotify is for a lone statement, which has committed by itself.
func (s *Session) endNotify(committed bool) error {
	if !committed {
		s.forgetNotify(0, 0)
		return nil
	}
	end, err := s.beginNotify()
	if err != nil {
		s.forgetNotify(0, 0)
		return err
	}
	end(true)
	return nil
}

// forgetNotify forgets what was asked for after the first actions and the first sent.
func (s *Session) forgetNotify(actions, sent int) {
	own := &s.notify
	own.actions = own.actions[:min(actions, len(own.actions))]
	for _, n := range own.sent[min(sent, len(own.sent)):] {
		delete(own.seen, n)
	}
	own.sent = own.sent[:min(sent, len(own.sent))]
	if len(own.sent) == 0 {
		own.sent, own.seen = nil, nil
	}
}

// Notifications takes what there is to tell the client, in the order of commits. It is called
// between transactions.
func (s *Session) Notifications() []Notification {
	if s.opts.Notified == nil {
		return nil
	}
	c := &s.db.channels
	c.mu.Lock()
	defer c.mu.Unlock()
	list := s.notify.inbox
	s.notify.inbox = nil
	for i := range list {
		c.waiting -= list[i].bytes()
	}
	return list
}

// stopListening ends all that the session listens to, at once.
func (s *Session) stopListening() {
	s.db.channels.mu.Lock()
	s.db.channels.listen(s, listening{stop: true, all: true})
	s.db.channels.mu.Unlock()
}
