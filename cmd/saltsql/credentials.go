package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/wire"
)

// credentials are what clients prove who they are by, and what the server does.
type credentials struct {
	users wire.Auth // of --auth-file; nil without
	cert  *tls.Config
	rules []wire.Rule
}

// readCredentials reads the files that say who may connect and who the server is. A flag that
// would do nothing is an error: --auth-file beside --auth trust lets everybody in.
func readCredentials(c serveConfig) (x credentials, err error) {
	switch {
	case c.auth != "trust" && c.auth != "scram" && c.auth != "cert":
		return x, fmt.Errorf("--auth %q is not one of trust, scram, cert", c.auth)
	case c.hbaFile != "" && c.auth != "trust":
		return x, errors.New("--hba-file says for each client how it proves who it is: leave --auth out")
	case c.hbaFile != "" && c.trustAnyone:
		return x, errors.New("--hba-file says who is trusted: leave --trust-anyone out")
	case !c.passwords() && c.authFile != "":
		return x, errors.New("--auth-file is read by --auth scram and --hba-file only: set one of them too, or leave --auth-file out and trust everybody")
	case c.auth != "trust" && c.trustAnyone:
		return x, fmt.Errorf("--trust-anyone goes with --auth trust; with --auth %s nobody is trusted", c.auth)
	case (c.tlsCert == "") != (c.tlsKey == ""):
		return x, errors.New("--tls-cert and --tls-key go together")
	case c.requireTLS && c.tlsCert == "":
		return x, errors.New("--require-tls needs --tls-cert and --tls-key")
	case c.tlsCA != "" && c.tlsCert == "":
		return x, errors.New("--tls-ca needs --tls-cert and --tls-key")
	case c.auth == "cert" && c.tlsCA == "":
		return x, errors.New("--auth cert needs --tls-ca: the authorities whose certificates of clients are taken")
	}
	if c.authFile != "" {
		users, err := readUsers(c.authFile)
		if err != nil {
			return x, err
		}
		x.users = users
	}
	if c.hbaFile != "" {
		b, err := os.ReadFile(c.hbaFile)
		if err != nil {
			return x, err
		}
		if x.rules, err = wire.ParseRules(string(b)); err != nil {
			return x, fmt.Errorf("%s: %w", c.hbaFile, err)
		}
		if c.tlsCA == "" && slices.ContainsFunc(x.rules, func(r wire.Rule) bool { return r.Method == "cert" }) {
			return x, fmt.Errorf("%s: the method cert needs --tls-ca", c.hbaFile)
		}
	}
	if c.tlsCert != "" {
		pair, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
		if err != nil {
			return x, fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		x.cert = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if c.tlsCA != "" {
		b, err := os.ReadFile(c.tlsCA)
		if err != nil {
			return x, fmt.Errorf("--tls-ca: %w", err)
		}
		x.cert.ClientCAs = x509.NewCertPool()
		if !x.cert.ClientCAs.AppendCertsFromPEM(b) {
			return x, fmt.Errorf("--tls-ca: there are no certificates in %s", c.tlsCA)
		}
		x.cert.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return x, nil
}

// readUsers reads lines of name:VERIFIER; # starts a comment.
func readUsers(path string) (wire.Users, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	users := wire.Users{}
	for i, line := range strings.Split(string(b), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, text, ok := strings.Cut(line, ":")
		v, err := wire.ParseVerifier(strings.TrimSpace(text))
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("%s:%d: a line is name:SCRAM-SHA-256$…, as \"saltsql verifier\" prints it", path, i+1)
		}
		users[name] = v
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("%s: there are no users in it", path)
	}
	return users, nil
}
