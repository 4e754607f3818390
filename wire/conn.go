package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// conn is one client's connection. All of it but state belongs to the
// goroutine that runs serve.
type conn struct {
	srv *Server
	raw net.Conn // as accepted
	nc  net.Conn // raw, or TLS over it
	tls *tls.Conn
	in  reader
	out writer
	enc encoder
	log *slog.Logger

	creds  *credentials
	number uint64 // in the order of coming; owned by Server.mu

	pid      int32
	key      []byte
	user     string
	admitted bool // owned by Server.mu
	sess     *session.Session

	portals map[string]*boundPortal
	unnamed boundPortal
	name    string // of the statement bound last

	open     bool // extended messages came since the last Sync
	skipping bool // one of them failed: ignore messages to the next Sync
	pipeline bool // the implicit transaction of several Executes is open

	state   connState
	notices noticeQueue
	report  paramReport
}

// farewellTime is how long a last message may take to leave.
const farewellTime = 2 * time.Second

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, raw: nc, nc: nc, log: s.log, creds: s.creds.Load()}
	rw := direct(nc)
	c.in.src, c.out.dst = rw, rw
	c.state.init(nc, s.told.Load().authTimeout)
	return c
}

// errTerminate ends a connection without a word: the client has left.
var errTerminate = errors.New("wire: client has left")

// serve runs the connection from its first byte to its end.
func (c *conn) serve() {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("connection failed", "panic", p, "stack", string(debug.Stack()))
			c.farewell(sqlerr.New(sqlerr.InternalError, "internal error"))
		}
		c.close()
	}()
	err := c.startup()
	if err == nil {
		err = c.loop()
	}
	switch {
	case err == nil, errors.Is(err, errTerminate), errors.Is(err, io.EOF):
		c.log.Debug("connection closed")
	case sqlerr.As(err) != nil:
		c.log.Debug("connection ended", "error", err, "sqlstate", sqlerr.CodeOf(err))
		c.farewell(sqlerr.As(err))
	case errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded), isNetwork(err):
		c.log.Debug("connection lost", "error", err)
	default:
		c.log.Error("connection failed", "error", err)
		c.farewell(sqlerr.New(sqlerr.InternalError, "internal error"))
	}
}

func isNetwork(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe)
}

// farewell tells the client why the connection ends. It must not wait for a
// client that does not read.
func (c *conn) farewell(e *sqlerr.Error) {
	fatal := *e
	fatal.Severity = sqlerr.SeverityFatal
	c.nc.SetWriteDeadline(time.Now().Add(farewellTime))
	c.out.send(errorResponse(&fatal))
	c.out.flush()
}

func (c *conn) close() {
	c.srv.cancels.remove(c.pid)
	if c.sess != nil {
		c.closeSession()
	}
	c.nc.Close()
}

// closeSession must not let a fault in one session end the process.
func (c *conn) closeSession() {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("closing a session failed", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	c.sess.Close()
}

// loop takes messages until the connection ends; an error it returns is fatal.
func (c *conn) loop() error {
	for {
		typ, body, err := c.nextMessage()
		if err != nil {
			return err
		}
		if err := c.handle(typ, body); err != nil {
			return err
		}
	}
}
