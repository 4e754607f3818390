package wire

import (
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// lookEvery is how often running statements are looked after: one whose client has left
// ends within twice that. It is Postgres's client_connection_check_interval, without
// a part in the statement's own work.
const lookEvery = time.Second

func errLost() *sqlerr.Error {
	e := sqlerr.New(sqlerr.ConnectionFailure, "connection to client lost")
	e.Severity = sqlerr.SeverityFatal
	return e
}

// beginLooks starts looking after the clients, as long as there are any. s.mu is held.
func (s *Server) beginLooks() {
	if canTell && !s.looking {
		s.looking = true
		time.AfterFunc(s.lookEvery, s.look)
	}
}

// look ends the connections that have worked on the same message since the look before,
// and whose clients have left. Those that wait for their client see it themselves.
func (s *Server) look() {
	s.mu.Lock()
	conns := s.list()
	s.looking = len(conns) > 0
	s.mu.Unlock()
	for _, c := range conns {
		if c.state.stillWorks() && hungUp(c.raw) {
			c.state.doom(errLost())
		}
	}
	if len(conns) > 0 {
		time.AfterFunc(s.lookEvery, s.look)
	}
}

// stillWorks says that the piece of work at hand was already at hand when it was asked last.
func (s *connState) stillWorks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	still := s.working && s.number == s.looked
	s.looked = s.number
	return still
}
