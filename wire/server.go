package wire

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Config says how a Server serves. Zero fields mean the defaults.
type Config struct {
	// Auth holds the users and their verifiers. nil trusts every client to be
	// who it says: allowed on loopback and Unix sockets only, unless TrustAnyone is set.
	Auth        Auth
	TrustAnyone bool
	// RolePasswords asks for the password of the role that a client names, where Auth does not
	// know it. It keeps strangers out as Auth does.
	RolePasswords bool
	// ClientCerts asks for a certificate with the user's name, which TLS must verify, instead.
	ClientCerts bool
	// Rules say, for each client, in what way it proves who it is: the first that is for it. They
	// take the place of RolePasswords, ClientCerts and trust; passwords are those of Auth and of roles.
	Rules []Rule
	// TLS offers encryption to clients that ask; nil refuses it.
	TLS *tls.Config
	// RequireTLS refuses clients that do not ask, but those of Unix sockets.
	RequireTLS bool
	// MaxConnections is the most clients at a time (default 100); more get 53300.
	MaxConnections int
	// ReservedConnections of MaxConnections are for ReservedUsers only: an operator's way
	// in when the others are taken. It is less than MaxConnections.
	ReservedConnections int
	ReservedUsers       []string
	// MaxUnauthenticated is the most connections that have not yet introduced themselves,
	// beside MaxConnections (default 100). One more ends the oldest of them.
	MaxUnauthenticated int
	// MaxMessage is the longest message in bytes (default and most: 1 GiB - 1).
	MaxMessage int
	// AuthTimeout is how long a client may take to introduce itself (default 10 s).
	AuthTimeout time.Duration
	// Parameters are what sessions are shown of run-time parameters that the server was told and
	// that do not follow from this Config and the listeners, as data_directory.
	Parameters map[string]string
	// Logger takes connection and internal errors, and at debug level each
	// statement; default slog.Default().
	Logger *slog.Logger
}

const (
	//saltsql:limit connections: clients at a time, where `--max-connections` says nothing else (53300)
	defaultConnections = 100
	//saltsql:limit connections: connections that have not introduced themselves, where `--max-unauthenticated` says nothing else
	defaultUnauthenticated = 100
	defaultAuthTimeout     = 10 * time.Second
	//saltsql:limit connections: bytes of a message, and of a row that is sent (54000)
	maxMessage = 1<<30 - 1
)

// Server answers the Postgres protocol on any number of listeners.
type Server struct {
	cfg     Config
	db      *session.DB
	log     *slog.Logger
	cancels cancels
	creds   atomic.Pointer[credentials]
	told    atomic.Pointer[told]
	// failDelay is failedLoginDelay but in tests.
	failDelay time.Duration

	mu        sync.Mutex
	closing   bool
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	clients   int // conns that are past their start-up
	came      uint64
	looking   bool
	lookEvery time.Duration
	wg        sync.WaitGroup
}

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("wire: server closed")

// NewServer makes a server over db. It owns no listener and closes no db.
func NewServer(db *saltsql.DB, cfg Config) *Server {
	if cfg.MaxConnections <= 0 {
		cfg.MaxConnections = defaultConnections
	}
	if cfg.MaxUnauthenticated <= 0 {
		cfg.MaxUnauthenticated = defaultUnauthenticated
	}
	cfg.ReservedConnections = max(0, min(cfg.ReservedConnections, cfg.MaxConnections-1))
	if cfg.MaxMessage <= 0 || cfg.MaxMessage > maxMessage {
		cfg.MaxMessage = maxMessage
	}
	if cfg.AuthTimeout <= 0 {
		cfg.AuthTimeout = defaultAuthTimeout
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	s := &Server{
		cfg: cfg, db: session.Behind(db), log: cfg.Logger, lookEvery: lookEvery, failDelay: failedLoginDelay,
		listeners: map[net.Listener]struct{}{}, conns: map[*conn]struct{}{},
	}
	s.creds.Store(&credentials{cfg.Auth, cfg.TLS, cfg.Rules})
	s.told.Store(&told{cfg.AuthTimeout, cfg.Parameters})
	s.db.HandlePeers(cancelKind, s.passedOn)
	return s
}

// limit gives the longest body of a message type.
func (s *Server) limit(typ byte) int {
	switch typ {
	case msgQuery, msgParse, msgBind, msgFunctionCall, msgCopyData:
		return s.cfg.MaxMessage
	}
	return min(smallMessage, s.cfg.MaxMessage)
}

// MayServe says whether Serve takes the address: one that others than this machine's
// users can reach wants authentication, or TrustAnyone.
func (c Config) MayServe(addr net.Addr) bool {
	return c.filtered() || c.TrustAnyone || local(addr)
}

// Serve takes connections from ln until Shutdown or Close, then returns
// ErrServerClosed. It refuses to trust whoever can reach a public address.
func (s *Server) Serve(ln net.Listener) error {
	defer ln.Close()
	if !s.cfg.MayServe(ln.Addr()) {
		return errors.New("wire: trust authentication on " + ln.Addr().String() +
			" would let anyone in; use SCRAM, listen on loopback, or force it")
	}
	if !s.addListener(ln) {
		return ErrServerClosed
	}
	defer s.removeListener(ln)
	var pause time.Duration
	for {
		nc, err := ln.Accept()
		if err == nil {
			pause = 0
			s.start(nc)
			continue
		}
		if s.isClosing() {
			return ErrServerClosed
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		// Out of file descriptors, or a client that left at once.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.log.Warn("accepting a connection failed", "error", err, "retry", pause)
		time.Sleep(pause)
	}
}

// local says that only this machine can reach addr.
func local(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return addr.Network() == "pipe"
}

func (s *Server) start(nc net.Conn) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		nc.Close()
		return
	}
	if len(s.conns)-s.clients >= s.cfg.MaxUnauthenticated {
		s.evict()
	}
	c := newConn(s, nc)
	s.came++
	c.number = s.came
	s.conns[c] = struct{}{}
	s.beginLooks()
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		defer s.forget(c)
		c.serve()
	}()
}

// evict ends the connection that has not introduced itself for the longest time: who
// only connects does not keep out those who have something to say. s.mu is held.
func (s *Server) evict() {
	var oldest *conn
	for c := range s.conns {
		if !c.admitted && (oldest == nil || c.number < oldest.number) {
			oldest = c
		}
	}
	delete(s.conns, oldest)
	oldest.raw.Close()
}

// admit counts a client that has introduced itself: 53300 where there are too many,
// 57P03 where the server ends.
func (s *Server) admit(c *conn, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return sqlerr.New(sqlerr.CannotConnectNow, "the database system is shutting down")
	}
	if _, ok := s.conns[c]; !ok {
		return errTerminate // evicted
	}
	free := s.cfg.MaxConnections - s.clients
	if free > 0 && free <= s.cfg.ReservedConnections && !slices.Contains(s.cfg.ReservedUsers, user) {
		return sqlerr.New(sqlerr.TooManyConnections, "remaining connection slots are reserved")
	}
	if free <= 0 {
		return sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	s.clients++
	c.admitted = true
	return nil
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if c.admitted {
		s.clients--
	}
}

func (s *Server) addListener(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.listeners[ln] = struct{}{}
	return true
}

func (s *Server) removeListener(ln net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, ln)
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}
