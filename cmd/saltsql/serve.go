package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/saltsql/saltsql/catalog/versions"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/pebble"
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
unless --trust-anyone is set. With --auth scram everybody has a password: that of its
role (CREATE ROLE … LOGIN PASSWORD), or of --auth-file. Where there are none yet, the
first start gives the role saltsql the password of SALTSQL_PASSWORD, or prints one. A user
of --auth-file has the rights of the role of its name, and where there is none, all rights.
With --auth cert clients have certificates with their names, of the authorities in
--tls-ca. --hba-file says it for each client, by its user, address and encryption, as
PostgreSQL's pg_hba.conf does. The users of --auth-file stand there,
one a line, as name:VERIFIER; "saltsql verifier" makes verifiers.
SIGTERM and Ctrl-C stop the server once the running statements are done, a second one
at once. SIGHUP reads --config, --auth-file, --auth-timeout and the certificate again, for
connections to come, --log-level, and what sessions begin with: --statement-timeout and the
like; the log names what else has changed, which needs a restart.

It ends with status 0 when it was stopped, 1 where it cannot start or go on or was ended
at once, 2 where the flags are wrong, and 74 where the disk of an embedded store has
failed: what was acknowledged is on disk, and starting it again is right.`

// serveConfig is what the flags of serve say.
type serveConfig struct {
	store, listen     string
	auth, authFile    string
	trustAnyone       bool
	tlsCert, tlsKey   string
	tlsCA, hbaFile    string
	requireTLS        bool
	maxConnections    int
	unauthenticated   int
	authTimeout       time.Duration
	reserved          int
	reservedUsers     string
	socketDir         string
	logLevel, logForm string
	drain             time.Duration
	refresh           time.Duration
	lease             time.Duration
	peers             string
	memory            string
	reserve           string
	hangup            chan os.Signal // SIGHUP; nil: it has its usual effect
	waitForStore      bool
	noAutoAnalyze     bool
	cache, tempDir    string
	metrics, debug    string
	console           string
	traces            string
	traceShare        float64
	statements        int
	heatMemory        string
	parameters        map[string]string // run-time parameters that sessions begin with
	args              []string          // of the command, to be read again
	values            map[string]string // of all settings, by their names
	level             *slog.LevelVar
	stopping          func() // called when no more clients are taken
}

// serveFlags defines the flags of serve, into c.
func serveFlags(c *serveConfig, stdout io.Writer) *flag.FlagSet {
	fs := newFlags("serve", serveIntro, stdout)
	fs.StringVar(&c.store, "store", "pebble:./saltsql-data", "store `URL`: pebble:DIR, mem: or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	fs.StringVar(&c.listen, "listen", "127.0.0.1:5433", "`HOST:PORT` to serve on")
	fs.StringVar(&c.socketDir, "socket-dir", "", "`FOLDER` for a Unix socket beside --listen, .s.PGSQL.PORT, by which this machine's users connect: psql -h FOLDER (default none)")
	fs.StringVar(&c.auth, "auth", "trust", "`METHOD` by which clients prove who they are: trust, scram or cert")
	fs.StringVar(&c.authFile, "auth-file", "", "`FILE` of users beside the roles, for --auth scram and --hba-file")
	fs.StringVar(&c.hbaFile, "hba-file", "", "`FILE` of rules, of pg_hba.conf's form, for who may connect and how: types local, host, hostssl, hostnossl; methods trust, reject, scram-sha-256, cert")
	fs.StringVar(&c.tlsCA, "tls-ca", "", "`FILE` with the authorities, in PEM, whose certificates of clients are taken")
	fs.BoolVar(&c.trustAnyone, "trust-anyone", false, "allow --auth trust beyond loopback: whoever can connect can do everything")
	fs.StringVar(&c.tlsCert, "tls-cert", "", "`FILE` with the certificate chain, in PEM")
	fs.StringVar(&c.tlsKey, "tls-key", "", "`FILE` with the certificate's key, in PEM")
	fs.BoolVar(&c.requireTLS, "require-tls", false, "refuse clients that do not encrypt")
	fs.IntVar(&c.maxConnections, "max-connections", 100, "most clients at a time, a `NUMBER`")
	fs.IntVar(&c.unauthenticated, "max-unauthenticated", 100, "most connections that have not yet said who they are, a `NUMBER` beside --max-connections; one more ends the oldest")
	fs.Var(durationVar(&c.authTimeout, 10*time.Second), "auth-timeout", "`DURATION` that a connection has to say who it is, as 500ms, 10s or 1min")
	fs.IntVar(&c.reserved, "reserved-connections", 0, "`NUMBER` of the --max-connections that only --reserved-users may take")
	fs.StringVar(&c.reservedUsers, "reserved-users", "", "`NAMES` of users, with commas between them")
	fs.StringVar(&c.logLevel, "log-level", "info", "least `LEVEL` to log: debug, info, warn or error; debug logs each statement")
	fs.StringVar(&c.logForm, "log-format", "text", "`FORMAT` of the log: text or json")
	fs.Var(durationVar(&c.drain, 30*time.Second), "drain", "`DURATION` that running statements have to end at shutdown, as 500ms, 30s or 5min")
	fs.Var(durationVar(&c.refresh, time.Second), "catalog-refresh", "`DURATION` between looks for tables that other servers on the store changed, as 500ms, up to 5s; ALTER TABLE waits until all have looked; servers that share a store go by that of the first, or of ALTER SYSTEM")
	fs.Var(durationVar(&c.lease, 30*time.Second), "lease", "`DURATION` after which a server of the store that is not heard of is taken for dead, and what it did in CREATE, ALTER or DROP is taken over, as 30s, from 2s to 10min; servers that share a store go by that of the first, or of ALTER SYSTEM")
	fs.StringVar(&c.peers, "peers", "", "`HOST:PORT` where the other servers of a Bigtable instance ask this one of its sessions, and have them cancelled and notified; each tells the others by way of the instance, and trusts who can read it. Others must reach it, clients need not, and it is not behind their load balancer. \"off\" opens none (default the host of --listen, and any port that is free)")
	fs.StringVar(&c.memory, "memory", "", "`SIZE` of the memory that the server may take, as 4GB; statements share a quarter of it (default half of the machine's or the cgroup's)")
	fs.StringVar(&c.reserve, "reserve", "", "`SIZE` of the space that an embedded store leaves free on its disk, as 2GB: below it writes are refused, and reads and deletes go on; 0 leaves none (default 512MB, but not above a twentieth of the disk)")
	fs.BoolVar(&c.noAutoAnalyze, "no-auto-analyze", false, "leave it to ANALYZE to look at what columns hold: tables are not sampled in the background after a fifth of their rows has changed")
	fs.BoolVar(&c.waitForStore, "wait-for-store", false, "where the store is not reached, keep trying, with a line in the log each time, rather than end")
	observeFlags(fs, c)
	parameterFlags(fs, c)
	fs.String(configFlag, "", "`FILE` of lines of \"name = value\", with the names of these flags; # begins a comment. The environment and flags win")
	return fs
}

// parseServe reads what serve is to do, from the file, the environment and args, and says what is
// wrong with it.
func parseServe(args []string, stdout, stderr io.Writer) (c serveConfig, err error) {
	c.args = args
	fs := serveFlags(&c, stdout)
	if err := parseFlags(fs, args, stderr); err != nil {
		return c, err
	}
	c.values = map[string]string{}
	fs.VisitAll(func(f *flag.Flag) { c.values[f.Name] = f.Value.String() })
	return c, c.check()
}

// settingError is a setting that cannot be: it ends the program with status 2.
type settingError struct{ error }

func (e settingError) Unwrap() error { return e.error }

// check says what is wrong before a store is made or opened.
func (c serveConfig) check() error {
	if err := c.checkValues(); err != nil {
		return settingError{err}
	}
	_, err := readCredentials(c)
	return err
}

// peersAddress is where the peers' door is; empty where it is off.
func (c serveConfig) peersAddress() string {
	switch c.peers {
	case "":
		host, _, _ := net.SplitHostPort(c.listen)
		return net.JoinHostPort(host, "0")
	case "off":
		return ""
	}
	return c.peers
}

func (c serveConfig) checkValues() error {
	if err := c.checkObserve(); err != nil {
		return err
	}
	if _, err := heatBytes(c.heatMemory); err != nil {
		return err
	}
	if _, err := planOf(c.memory, c.cache); err != nil {
		return err
	}
	if _, err := reserveBytes(c.reserve); err != nil {
		return err
	}
	if _, err := newLogger(c, io.Discard); err != nil {
		return err
	}
	if err := checkStoreURL(c.store); err != nil {
		return err
	}
	if err := checkAddress("listen", c.listen); err != nil {
		return err
	}
	if addr := c.peersAddress(); addr != "" {
		if err := checkAddress("peers", addr); err != nil {
			return err
		}
	}
	if err := versions.CheckTimes(c.lease, c.refresh); err != nil {
		return fmt.Errorf("--lease, --catalog-refresh: %w", err)
	}
	if c.maxConnections < 1 {
		return fmt.Errorf("--max-connections %d is not above 0", c.maxConnections)
	}
	if c.unauthenticated < 1 {
		return fmt.Errorf("--max-unauthenticated %d is not above 0", c.unauthenticated)
	}
	if c.authTimeout <= 0 {
		return fmt.Errorf("--auth-timeout %v is not above 0", c.authTimeout)
	}
	if c.reserved < 0 || c.reserved >= c.maxConnections {
		return fmt.Errorf("--reserved-connections %d is not from 0 to below --max-connections %d", c.reserved, c.maxConnections)
	}
	if (c.reserved > 0) != (c.reservedUsers != "") {
		return errors.New("--reserved-connections and --reserved-users go together")
	}
	if c.drain < 0 {
		return fmt.Errorf("--drain %v is below 0", c.drain)
	}
	return nil
}

func serve(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c, err := parseServe(args, stdout, stderr)
	if err != nil {
		return err
	}
	c.hangup = make(chan os.Signal, 1)
	signal.Notify(c.hangup, syscall.SIGHUP)
	defer signal.Stop(c.hangup)
	c.level = new(slog.LevelVar)
	log, err := newLogger(c, stderr)
	if err != nil {
		return err
	}
	plan, err := planOf(c.memory, c.cache)
	if err != nil {
		return err
	}
	plan.apply()
	reserve, err := reserveBytes(c.reserve)
	if err != nil {
		return err
	}
	heatBytes, err := heatBytes(c.heatMemory)
	if err != nil {
		return err
	}
	tracer, stopTracing, err := c.tracer(ctx, log)
	if err != nil {
		return err
	}
	// The last spans are sent when the store is closed already, and another server may open it.
	defer stopTracing()
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
	db, err := saltsql.Open(ctx, store, &saltsql.Options{
		Tracer: tracer, Logger: log, CatalogRefresh: c.refresh, Lease: c.lease, Peers: c.peersAddress(), Memory: plan.statements, TempDir: c.tempDir,
		TrackStatements: c.statements, HeatMemory: heatBytes, Settings: c.parameters, NoAutoAnalyze: c.noAutoAnalyze,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if own, ok := store.(*pebble.Store); ok {
		ctl, err := listenControl(own, log)
		if err != nil {
			log.Warn("saltsql backup will not reach this server", "error", err)
		} else {
			defer ctl.close()
		}
	}
	if c.auth == "scram" && c.authFile == "" {
		if err := firstPassword(ctx, session.Behind(db).Catalog(), stdout); err != nil {
			return err
		}
	}
	stopObserving, err := c.observe(db, store, log)
	if err != nil {
		return err
	}
	defer stopObserving()
	return serveDB(ctx, db, c, stdout, log)
}

func newLogger(c serveConfig, w io.Writer) (*slog.Logger, error) {
	if c.level == nil {
		c.level = new(slog.LevelVar)
	}
	if err := c.setLevel(c.level); err != nil {
		return nil, err
	}
	o := &slog.HandlerOptions{Level: c.level}
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
	creds, err := readCredentials(c)
	if err != nil {
		return err
	}
	cfg := wire.Config{
		Logger: log, Auth: creds.users, TLS: creds.cert, Rules: creds.rules,
		RolePasswords: c.auth == "scram", ClientCerts: c.auth == "cert", TrustAnyone: c.trustAnyone, RequireTLS: c.requireTLS,
		MaxConnections: c.maxConnections, MaxUnauthenticated: c.unauthenticated, AuthTimeout: c.authTimeout,
		ReservedConnections: c.reserved, ReservedUsers: strings.Split(c.reservedUsers, ","), Parameters: c.shown(),
	}
	listeners, err := c.listenAll()
	if err != nil {
		return err
	}
	for _, ln := range listeners {
		if !cfg.MayServe(ln.Addr()) {
			for _, ln := range listeners {
				ln.Close()
			}
			return fmt.Errorf("--auth trust on %s would let anyone in: set --auth scram, listen on loopback, or set --trust-anyone", ln.Addr())
		}
	}
	srv := wire.NewServer(db, cfg)
	url, stopConsole, err := c.serveConsole(db, srv, log)
	if err != nil {
		for _, ln := range listeners {
			ln.Close()
		}
		return err
	}
	defer stopConsole()
	if c.hangup != nil {
		session.Behind(db).OnReload(func() {
			select {
			case c.hangup <- syscall.SIGHUP:
			default: // it will read them again anyway
			}
		})
	}
	served := make(chan error, len(listeners))
	for _, ln := range listeners {
		go func() { served <- guard.Run(func() error { return srv.Serve(ln) }) }()
		log.Info("listening", "address", ln.Addr().String(), "store", c.store, "auth", c.auth, "tls", creds.cert != nil)
	}
	addr := listeners[0].Addr()
	fmt.Fprintf(stdout, "\nsaltsql serves %s on %s. Connect with\n\n    psql %s saltsql\n\n", c.store, addr, psqlArgs(addr))
	if url != "" {
		fmt.Fprintf(stdout, "or open its console in a browser:\n\n    %s\n\n", url)
	}
	fmt.Fprintln(stdout, "Ctrl-C stops it.")
	if err := notify("READY=1"); err != nil {
		log.Warn("the service manager is not told that the server is ready", "error", err)
	}
	for stop := false; !stop; {
		select {
		case err := <-served:
			return err
		case <-c.hangup:
			c.reload(db, srv, log)
		case <-ctx.Done():
			stop = true
		}
	}
	log.Info("stopping", "drain", c.drain.String())
	_ = notify("STOPPING=1")
	if c.stopping != nil {
		c.stopping()
	}
	drain, cancel := context.WithTimeout(context.Background(), max(c.drain, time.Second))
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		log.Warn("statements were cut off", "error", err)
	}
	for range listeners {
		if err := <-served; !errors.Is(err, wire.ErrServerClosed) {
			return err
		}
	}
	return nil
}
