package wire

import (
	"crypto/tls"
	"errors"
)

// credentials are how the server and its clients prove who they are. A connection keeps
// those it began with.
type credentials struct {
	auth  Auth
	tls   *tls.Config
	rules []Rule
}

// Reload replaces Config.Auth and Config.TLS for the connections to come. It does not
// open what was closed: neither may become nil, or stop being so.
func (s *Server) Reload(auth Auth, t *tls.Config) error {
	was := s.creds.Load()
	if (auth == nil) != (was.auth == nil) || (t == nil) != (was.tls == nil) {
		return errors.New("wire: Reload cannot turn authentication or encryption on or off")
	}
	s.creds.Store(&credentials{auth, t, was.rules})
	return nil
}

// ReloadRules replaces Config.Rules for the connections to come. A server that began with
// rules goes on with some, and one without with none.
func (s *Server) ReloadRules(rules []Rule) error {
	was := s.creds.Load()
	if (len(rules) == 0) != (len(was.rules) == 0) {
		return errors.New("wire: ReloadRules cannot turn rules on or off")
	}
	s.creds.Store(&credentials{was.auth, was.tls, rules})
	return nil
}

// TLS is Config.TLS, or what Reload has put in its place; nil without encryption.
func (s *Server) TLS() *tls.Config { return s.creds.Load().tls }
