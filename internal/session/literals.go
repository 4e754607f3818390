package session

import "github.com/saltsql/saltsql/internal/types"

// reading is by what settings the text of a literal is a value: the time zone and the styles of
// dates and intervals. A statement that is planned again keeps what it was prepared under, as in
// PostgreSQL, where a literal is a value from the parsing on.
type reading struct {
	zone string
	io   types.IOEnv
}

// reading is the one of the settings of now. Nobody changes it.
func (s *Session) reading() *reading {
	zone := s.cached().Zone
	if r := s.read; r == nil || r.zone != zone || r.io.Style != s.io.Style {
		s.read = &reading{zone: zone, io: types.IOEnv{TimeZone: s.io.TimeZone, Style: s.io.Style}}
	}
	return s.read
}

// literals gives what a statement reads its literals by, where that is not what the session's settings say.
func (s *Session) literals(r *reading) *types.IOEnv {
	now := s.reading()
	if r == nil || r == now || r.zone == now.zone && r.io.Style == now.io.Style {
		return nil
	}
	return &r.io
}
