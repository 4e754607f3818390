package wire

import (
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// failedLoginDelay is how long a client waits for the answer that it is not who it says: who
// guesses passwords gets no further than one a second for each connection.
const failedLoginDelay = time.Second

// authenticate lets the client prove that it is who it says, in the way that the first rule for
// it has: 28000 where there is none, 28P01 where it cannot. Where there are no rules all must
// have a password, or all are trusted.
func (c *conn) authenticate(req *startRequest) error {
	method := methodTrust
	switch {
	case len(c.creds.rules) > 0:
		who := stranger{user: req.user, database: req.database, addr: addressOf(c.raw.RemoteAddr()).Addr(), tls: c.tls != nil}
		rule, err := c.srv.rule(c.creds, who)
		if err != nil {
			return err
		}
		method = rule.Method
	case c.srv.cfg.ClientCerts:
		method = methodCert
	case c.creds.auth != nil || c.srv.cfg.RolePasswords:
		method = methodSCRAM
	}
	var err error
	switch method {
	case methodSCRAM:
		err = c.authenticateSCRAM(req.user)
	case methodCert:
		err = c.authenticateCert(req.user)
	}
	if err != nil {
		return err
	}
	c.out.send(&pgproto3.AuthenticationOk{})
	return nil
}

// rule finds the rule for a client. Its errors say what a rule would have to be for.
func (s *Server) rule(creds *credentials, who stranger) (*Rule, error) {
	from := "[local]"
	if who.addr.IsValid() {
		from = who.addr.String()
	}
	encryption := "no encryption"
	if who.tls {
		encryption = "SSL encryption"
	}
	for i := range creds.rules {
		r := &creds.rules[i]
		if !r.matches(who, s.db.RoleMember) {
			continue
		}
		if r.Method == methodReject {
			return nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `pg_hba.conf rejects connection for host "%s", user "%s", database "%s", %s`,
				from, who.user, who.database, encryption)
		}
		return r, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `no pg_hba.conf entry for host "%s", user "%s", database "%s", %s`,
		from, who.user, who.database, encryption)
}

// authenticateCert lets a client in whose certificate, which the handshake has verified, has
// the user's name for its common name.
func (c *conn) authenticateCert(user string) error {
	if c.tls != nil {
		if chains := c.tls.ConnectionState().VerifiedChains; len(chains) > 0 && chains[0][0].Subject.CommonName == user {
			return nil
		}
	}
	return c.failedLogin(sqlerr.New(sqlerr.InvalidAuthorizationSpec, `certificate authentication failed for user "%s"`, user), user)
}

// failedLogin logs that a client is not who it says, and lets it wait.
func (c *conn) failedLogin(err error, user string) error {
	c.log.Warn("authentication failed", "user", user, "remote", c.raw.RemoteAddr().String())
	time.Sleep(c.srv.failDelay)
	return err
}

// verifier finds what a user's password is checked by: in Config.Auth first, then its role's.
func (s *Server) verifier(creds *credentials, user string) (Verifier, bool) {
	if creds.auth != nil {
		if v, ok := creds.auth.Verifier(user); ok {
			return v, true
		}
	}
	if s.cfg.RolePasswords || len(creds.rules) > 0 {
		if text, ok := s.db.RolePassword(user); ok {
			v, err := ParseVerifier(text)
			return v, err == nil
		}
	}
	return Verifier{}, false
}

// Verifier gives what the password of a user is checked by who comes from an address to a door
// beside the listeners, as a console is. ok is false where the user has none, or where its rule asks
// for something else than a password.
func (s *Server) Verifier(user, database string, from netip.Addr, encrypted bool) (v Verifier, ok bool) {
	creds := s.creds.Load()
	if len(creds.rules) > 0 {
		rule, err := s.rule(creds, stranger{user: user, database: database, addr: from, tls: encrypted})
		if err != nil || rule.Method != methodSCRAM {
			return v, false
		}
	}
	return s.verifier(creds, user)
}

// filtered says that rules, passwords or certificates keep strangers out.
func (c Config) filtered() bool {
	return c.Auth != nil || c.RolePasswords || c.ClientCerts || len(c.Rules) > 0
}
