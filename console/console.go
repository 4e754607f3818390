package console

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/net/netutil"

	"github.com/saltsql/saltsql"
)

// Config says how a Console serves. Zero fields mean the defaults.
type Config struct {
	// Verifier gives what the password of a user is checked by, as pg_authid.rolpassword has it; ok is
	// false for who may not log in from there. A login ends when the verifier is another. nil
	// trusts who has the token, as User: allowed on loopback only.
	Verifier func(user string, from netip.Addr, encrypted bool) (verifier string, ok bool)
	// User is who has the token; default the superuser that the store was made with.
	User string
	// TLS gives the server's certificate; it is asked for each connection. nil serves plain HTTP,
	// which is allowed on loopback only.
	TLS func() *tls.Config
	// Logger takes logins that failed and internal errors; default slog.Default().
	Logger *slog.Logger
	// Now is the clock; default time.Now. For tests.
	Now func() time.Time
}

const (
	//saltsql:limit connections: connections to the console at a time; more wait
	maxConnections = 64
	//saltsql:limit connections: statements of the console at a time; more wait
	maxStatements = 8
	// maxRequest bounds a request's headers, in bytes; maxStatement and maxForm its body.
	maxRequest = 64 << 10
)

// Console answers browsers on one listener.
type Console struct {
	db     *saltsql.DB
	cfg    Config
	token  string
	logins logins
	slots  chan struct{} // one for each statement that runs
	checks chan struct{} // one for each password that is checked
	// failDelay is failedLoginDelay but in tests.
	failDelay time.Duration
	http      *http.Server
	cancel    context.CancelFunc // of what requests run
}

// New makes a console over db. It closes no db.
func New(db *saltsql.DB, cfg Config) *Console {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Console{
		db: db, cfg: cfg, token: rand.Text(), slots: make(chan struct{}, maxStatements), checks: make(chan struct{}, maxChecks),
		failDelay: failedLoginDelay,
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.http = &http.Server{
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: maxRequest, ErrorLog: slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	return c
}

// MayServe says what keeps the console from being served on addr, or nil: beyond loopback it wants
// encryption and passwords.
func (c *Console) MayServe(addr net.Addr) error {
	if loopback(addr) || c.cfg.TLS != nil && c.cfg.Verifier != nil {
		return nil
	}
	return fmt.Errorf("the console on %s could be reached from other machines: it needs TLS and passwords there, or an address of loopback", addr)
}

// Serve takes connections from ln until Close, then returns http.ErrServerClosed. It closes ln.
func (c *Console) Serve(ln net.Listener) error {
	if err := c.MayServe(ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	c.http.Handler = c.guarded(ln.Addr(), c.routes())
	if ln = netutil.LimitListener(ln, maxConnections); c.cfg.TLS == nil {
		return c.http.Serve(ln)
	}
	return c.http.Serve(tls.NewListener(ln, c.tls()))
}

// tls gives the certificate of the moment to each connection. Browsers are not asked for one.
func (c *Console) tls() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		now := c.cfg.TLS().Clone()
		now.ClientAuth, now.NextProtos = tls.NoClientCert, []string{"http/1.1"}
		return now, nil
	}}
}

// Close cancels what requests run, and waits for them to end.
func (c *Console) Close() error {
	c.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return errors.Join(c.http.Shutdown(ctx), c.http.Close())
}

// URL is what a user of this machine opens on ln; with the token, where that is all it takes.
func (c *Console) URL(addr net.Addr) string {
	scheme, host := "http", addr.String()
	if c.cfg.TLS != nil {
		scheme = "https"
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	url := scheme + "://" + host + "/"
	if c.cfg.Verifier == nil {
		url += "?token=" + c.token
	}
	return url
}

func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.index)
	mux.HandleFunc("GET /login", c.loginPage)
	mux.HandleFunc("POST /login", c.login)
	mux.HandleFunc("POST /logout", c.logout)
	mux.Handle("GET /web/", files)
	mux.Handle("GET /q/{panel}", c.loggedIn(c.panel))
	mux.Handle("POST /q/sql", c.loggedIn(c.statement))
	return mux
}
