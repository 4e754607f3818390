package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/console"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/wire"
)

// checkConsole says what keeps the console from being opened, as far as flags tell.
func (c serveConfig) checkConsole() error {
	if c.console == "" {
		return nil
	}
	if err := checkAddress("console", c.console); err != nil {
		return err
	}
	switch {
	case c.auth == "cert":
		return errors.New("--console takes passwords, and no certificates of browsers: set --auth scram, or say in --hba-file who has which")
	case !onLoopback(c.console) && !(c.passwords() && c.tlsCert != ""):
		return fmt.Errorf("--console %q is not on loopback, as 127.0.0.1:8433 is: there it needs --auth scram, or --hba-file, and --tls-cert and --tls-key", c.console)
	}
	return nil
}

// passwords says that clients are asked for them.
func (c serveConfig) passwords() bool { return c.auth == "scram" || c.hbaFile != "" }

// serveConsole opens --console, whose users are those of srv, until stop is called. url is what a
// browser opens.
func (c serveConfig) serveConsole(db *saltsql.DB, srv *wire.Server, log *slog.Logger) (url string, stop func(), err error) {
	if c.console == "" {
		return "", func() {}, nil
	}
	cfg := console.Config{Logger: log}
	if c.passwords() {
		cfg.Verifier = func(user string, from netip.Addr, encrypted bool) (string, bool) {
			v, ok := srv.Verifier(user, "saltsql", from, encrypted)
			return v.String(), ok
		}
	}
	if srv.TLS() != nil {
		cfg.TLS = func() *tls.Config { return srv.TLS() }
	}
	con := console.New(db, cfg)
	ln, err := net.Listen("tcp", c.console)
	if err == nil {
		if err = con.MayServe(ln.Addr()); err != nil {
			ln.Close()
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("--console %q: %w", c.console, err)
	}
	log.Info("listening", "console", ln.Addr().String())
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := guard.Run(func() error { return con.Serve(ln) }); !errors.Is(err, http.ErrServerClosed) {
			log.Error("an address is not served any more", "console", ln.Addr().String(), "error", err)
		}
	}()
	return con.URL(ln.Addr()), func() {
		if err := con.Close(); err != nil {
			log.Warn("requests of the console were cut off", "error", err)
		}
		<-served
	}, nil
}
