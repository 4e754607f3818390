package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/saltsql/saltsql/wire"
)

// credentials reads the files that say who may connect and who the server is. A flag that
// would do nothing is an error: --auth-file beside --auth trust lets everybody in.
func credentials(c serveConfig) (auth wire.Auth, cert *tls.Config, err error) {
	switch {
	case c.auth != "trust" && c.auth != "scram":
		return nil, nil, fmt.Errorf("--auth %q is not one of trust, scram", c.auth)
	case c.auth == "trust" && c.authFile != "":
		return nil, nil, errors.New("--auth-file is read by --auth scram only: set that too, or leave --auth-file out and trust everybody")
	case c.auth == "scram" && c.trustAnyone:
		return nil, nil, errors.New("--trust-anyone goes with --auth trust; with --auth scram nobody is trusted")
	case (c.tlsCert == "") != (c.tlsKey == ""):
		return nil, nil, errors.New("--tls-cert and --tls-key go together")
	case c.requireTLS && c.tlsCert == "":
		return nil, nil, errors.New("--require-tls needs --tls-cert and --tls-key")
	}
	if c.auth == "scram" {
		users, err := readUsers(c.authFile)
		if err != nil {
			return nil, nil, err
		}
		auth = users
	}
	if c.tlsCert != "" {
		pair, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
		if err != nil {
			return nil, nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		cert = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	return auth, cert, nil
}

// readUsers reads lines of name:VERIFIER; # starts a comment.
func readUsers(path string) (wire.Users, error) {
	if path == "" {
		return nil, errors.New("--auth scram needs --auth-file: a file of lines of name:VERIFIER, made by \"saltsql verifier\"")
	}
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
