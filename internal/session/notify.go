package session

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Notification is what a client is told of a NOTIFY.
type Notification = notify.Notification

// listen is LISTEN. Only a client that can be told may: others are 0A000.
func (s *Session) listen(u *tree.Listen) error {
	if !s.notify.Listens() {
		return sqlerr.Unsupported("LISTEN of a session without a connection is not supported", "Connect over the protocol; wire.Server.Dial does within the process.")
	}
	s.tellOfServers()
	return s.notify.Listen(u.Channel)
}

// bookNotify makes n bytes what the session holds of notifications that its transaction sends, and
// of channels.
func (s *Session) bookNotify(n int64) error { return s.notified.MustToOf(&s.held, n) }

// tellOfServers says, once, that other servers of the store hear nothing of one that is read-only.
func (s *Session) tellOfServers() {
	if s.db.shared && s.db.relay == nil && !s.toldNotify {
		s.toldNotify = true
		s.notice(sqlerr.Notice(sqlerr.Warning, "notifications of a server that was started read-only reach its own sessions only"))
	}
}

// send is NOTIFY. What a lone statement writes is committed before the end of it.
func (s *Session) send(channel, payload string) error {
	err := s.notify.Send(Notification{Channel: channel, Payload: payload, PID: s.opts.BackendPID}, !s.tx.inTransaction())
	if sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
		s.tellOfServers()
	}
	return err
}

func (f sessionFuncs) Notify(channel, payload string) error { return f.s.send(channel, payload) }

// Channels lists what the session listens to.
func (f sessionFuncs) Channels() []string { return f.s.notify.Channels() }

// NotificationUsage is how full the inboxes are, from 0 to 1.
func (f sessionFuncs) NotificationUsage() float64 { return f.s.db.channels.Usage() }

// endNotify is for a lone statement, which has committed by itself.
func (s *Session) endNotify(committed bool) error {
	if !committed {
		s.notify.Forget(notify.Mark{})
		return nil
	}
	end, err := s.notify.Begin(s.workCtx())
	if err != nil {
		s.notify.Forget(notify.Mark{})
		return err
	}
	end(true)
	return nil
}

// Notifications takes what there is to tell the client, in the order of commits. It is called
// between transactions.
func (s *Session) Notifications() []Notification { return s.notify.Take() }
