package wire

import (
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
		rule, err := c.rule(req)
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

// rule finds the rule for the client. Its errors say what a rule would have to be for.
func (c *conn) rule(req *startRequest) (*Rule, error) {
	who := stranger{user: req.user, database: req.database, addr: addressOf(c.raw.RemoteAddr()).Addr(), tls: c.tls != nil}
	member := c.srv.db.RoleMember
	from := "[local]"
	if who.addr.IsValid() {
		from = who.addr.String()
	}
	encryption := "no encryption"
	if who.tls {
		encryption = "SSL encryption"
	}
	for i := range c.creds.rules {
		r := &c.creds.rules[i]
		if !r.matches(who, member) {
			continue
		}
		if r.Method == methodReject {
			return nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `pg_hba.conf rejects connection for host "%s", user "%s", database "%s", %s`,
				from, req.user, req.database, encryption)
		}
		return r, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `no pg_hba.conf entry for host "%s", user "%s", database "%s", %s`,
		from, req.user, req.database, encryption)
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
func (c *conn) verifier(user string) (Verifier, bool) {
	if c.creds.auth != nil {
		if v, ok := c.creds.auth.Verifier(user); ok {
			return v, true
		}
	}
	if c.srv.cfg.RolePasswords || len(c.creds.rules) > 0 {
		if text, ok := c.srv.db.RolePassword(user); ok {
			v, err := ParseVerifier(text)
			return v, err == nil
		}
	}
	return Verifier{}, false
}

// filtered says that rules, passwords or certificates keep strangers out.
func (c Config) filtered() bool {
	return c.Auth != nil || c.RolePasswords || c.ClientCerts || len(c.Rules) > 0
}
