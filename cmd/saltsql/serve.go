package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/wire"
)

const serveIntro = `
saltsql serve answers psql, drivers and BI tools over the Postgres protocol.

Examples:
  saltsql serve
  saltsql serve --store pebble:/var/lib/saltsql --listen 127.0.0.1:5433
  saltsql serve --store bigtable://my-project/my-instance --listen :5433 \
      --auth scram --auth-file users --tls-cert server.crt --tls-key server.key

With --auth trust everybody is who they say; that is taken on loopback only,
unless --trust-anyone is set. With --auth scram the users stand in --auth-file,
one a line, as name:VERIFIER; "saltsql verifier" makes verifiers.
SIGTERM and Ctrl-C stop the server once the running statements are done.

It ends with status 0 when it was stopped, 1 where it cannot start or go on, 2 where
the flags are wrong, and 74 where the disk of an embedded store has failed: what was
acknowledged is on disk, and starting it again is right.`

// serveConfig is what the flags of serve say.
type serveConfig struct {
	store, listen     string
	auth, authFile    string
	trustAnyone       bool
	tlsCert, tlsKey   string
	requireTLS        bool
	maxConnections    int
	logLevel, logForm string
	drain             time.Duration
	refresh           time.Duration
	memory            string
	waitForStore      bool
	reserve           string
}

func serve(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c serveConfig
	fs := newFlags("serve", serveIntro, stderr)
	fs.StringVar(&c.store, "store", "pebble:./saltsql-data", "store `URL`: pebble:DIR, mem: or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	fs.StringVar(&c.listen, "listen", "127.0.0.1:5433", "`address` to serve on")
	fs.StringVar(&c.auth, "auth", "trust", "how clients prove who they are: `trust or scram`")
	fs.StringVar(&c.authFile, "auth-file", "", "`file` of users for --auth scram")
	fs.BoolVar(&c.trustAnyone, "trust-anyone", false, "allow --auth trust beyond loopback: whoever can connect can do everything")
	fs.StringVar(&c.tlsCert, "tls-cert", "", "`file` with the certificate chain, in PEM")
	fs.StringVar(&c.tlsKey, "tls-key", "", "`file` with the certificate's key, in PEM")
	fs.BoolVar(&c.requireTLS, "require-tls", false, "refuse clients that do not encrypt")
	fs.IntVar(&c.maxConnections, "max-connections", 100, "most `clients` at a time")
	fs.StringVar(&c.logLevel, "log-level", "info", "`debug, info, warn or error`; debug logs each statement")
	fs.StringVar(&c.logForm, "log-format", "text", "`text or json`")
	fs.DurationVar(&c.drain, "drain", 30*time.Second, "how `long` running statements may take to end at shutdown")
	fs.DurationVar(&c.refresh, "catalog-refresh", time.Second, "how `often` to look for tables that other servers on the store changed; ALTER TABLE waits until all have looked")
	fs.StringVar(&c.memory, "memory", "", "how much `memory` the server may take, e.g. 4GB; statements share two fifths of it (default half of the machine's or the cgroup's)")
	fs.BoolVar(&c.waitForStore, "wait-for-store", false, "where the store is not reached, keep trying, with a line in the log each time, rather than end")
	fs.StringVar(&c.reserve, "reserve", "", "how much `space` an embedded store leaves free on its disk: below it writes are refused, and reads and deletes go on; 0 leaves none (default 512MB, but not above a twentieth of the disk)")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	if c.refresh <= 0 || c.refresh > 5*time.Second {
		return fmt.Errorf("--catalog-refresh %v is not above 0 and up to 5s", c.refresh)
	}
	if c.maxConnections < 1 {
		return fmt.Errorf("--max-connections %d is not above 0", c.maxConnections)
	}
	if c.drain < 0 {
		return fmt.Errorf("--drain %v is below 0", c.drain)
	}
	log, err := newLogger(c, stderr)
	if err != nil {
		return err
	}
	plan, err := setMemory(c.memory)
	if err != nil {
		return err
	}
	reserve, err := reserveBytes(c.reserve)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c.store, plan, reserve, log)
	if stoppedEarly(ctx, err) {
		log.Info("stopped while the store was being opened")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = reach(ctx, store, c.waitForStore, log)
	if stoppedEarly(ctx, err) {
		log.Info("stopped while the store was not reached")
		return nil
	}
	if err != nil {
		return err
	}
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log, CatalogRefresh: c.refresh, Memory: plan.statements})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return serveDB(ctx, db, c, stdout, log)
}

func newLogger(c serveConfig, w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not one of debug, info, warn, error", c.logLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	switch c.logForm {
	case "text", "":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format %q is not one of text, json", c.logForm)
}

// serveDB serves db until ctx ends, then lets running statements finish.
func serveDB(ctx context.Context, db *saltsql.DB, c serveConfig, stdout io.Writer, log *slog.Logger) error {
	cfg := wire.Config{Logger: log, MaxConnections: c.maxConnections, TrustAnyone: c.trustAnyone, RequireTLS: c.requireTLS}
	switch c.auth {
	case "trust":
	case "scram":
		users, err := readUsers(c.authFile)
		if err != nil {
			return err
		}
		cfg.Auth = users
	default:
		return fmt.Errorf("--auth %q is not one of trust, scram", c.auth)
	}
	if c.tlsCert != "" || c.tlsKey != "" {
		cert, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		cfg.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	} else if c.requireTLS {
		return errors.New("--require-tls needs --tls-cert and --tls-key")
	}
	ln, err := net.Listen("tcp", c.listen)
	if err != nil {
		return err
	}
	if !cfg.MayServe(ln.Addr()) {
		ln.Close()
		return fmt.Errorf("--auth trust on %s would let anyone in: set --auth scram, listen on loopback, or set --trust-anyone", ln.Addr())
	}
	srv := wire.NewServer(db, cfg)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	host, port, _ := net.SplitHostPort(ln.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	fmt.Fprintf(stdout, "\nsaltsql serves %s on %s. Connect with\n\n    psql -h %s -p %s saltsql\n\nCtrl-C stops it.\n", c.store, ln.Addr(), host, port)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "drain", c.drain)
	drain, cancel := context.WithTimeout(context.Background(), max(c.drain, time.Second))
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		log.Warn("statements were cut off", "error", err)
	}
	if err := <-served; !errors.Is(err, wire.ErrServerClosed) {
		return err
	}
	return nil
}

// readUsers reads lines of name:VERIFIER; # starts a comment.
func readUsers(path string) (wire.Users, error) {
	if path == "" {
		return nil, errors.New("--auth scram needs --auth-file: lines of name:VERIFIER, made by \"saltsql verifier\"")
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
