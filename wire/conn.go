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

	"github.com/saltsql/saltsql"
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
	log *slog.Logger

	pid      int32
	key      []byte
	user     string
	admitted bool // owned by Server.mu
	sess     session

	portals map[string]*boundPortal
	unnamed boundPortal

	open     bool // extended messages came since the last Sync
	skipping bool // one of them failed: ignore messages to the next Sync
	pipeline bool // the implicit transaction of several Executes is open

	state   connState
	times   times
	notices noticeQueue
	report  paramReport
}

// farewellTime is how long a last message may take to leave.
const farewellTime = 2 * time.Second

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, raw: nc, nc: nc, log: s.log}
	c.in.src, c.out.dst = nc, nc
	c.state.init(nc, s.cfg.AuthTimeout)
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

// handle does what one message asks. An error it returns is fatal; others are
// told to the client and end at ReadyForQuery or Sync.
func (c *conn) handle(typ byte, body []byte) error {
	switch typ {
	case msgTerminate:
		return errTerminate
	case msgSync:
		return c.sync()
	case msgCopyData, msgCopyDone, msgCopyFail:
		// A client that has not yet seen its COPY fail still sends these.
		return nil
	}
	if c.skipping {
		return nil
	}
	m := message{body: body}
	switch typ {
	case msgQuery:
		return c.simpleQuery(&m)
	case msgFunctionCall:
		return c.functionCall()
	case msgFlush:
		return c.out.flush()
	}
	c.open = true
	var err error
	switch typ {
	case msgParse:
		err = c.parse(&m)
	case msgBind:
		err = c.bind(&m)
	case msgDescribe:
		err = c.describe(&m)
	case msgExecute:
		err = c.execute(&m)
	case msgClose:
		err = c.closeTarget(&m)
	default:
		return sqlerr.New(sqlerr.ProtocolViolation, "invalid frontend message type %d", typ)
	}
	if err != nil {
		c.skipping = true
		return c.fail(err)
	}
	return c.out.room()
}

// functionCall refuses the fast path, as Postgres's own manual advises against it.
func (c *conn) functionCall() error {
	err := c.fail(sqlerr.Unsupported("function calls by message are not supported", "Use SELECT function(arguments)."))
	if err != nil {
		return err
	}
	return c.ready()
}

// fail tells the session that a transaction block has failed, and the client why.
func (c *conn) fail(err error) error {
	c.sess.Fail()
	return c.tell(err)
}

// tell tells the client of an error. It returns errors after which the
// connection cannot go on.
func (c *conn) tell(err error) error {
	if fatal := c.fatal(err); fatal != nil {
		return fatal
	}
	c.sendNotices()
	c.out.send(errorResponse(c.toClient(err)))
	return c.out.room()
}

// fatal gives the error that ends the connection, or nil: a lost connection, or an
// order to end it.
func (c *conn) fatal(err error) error {
	if cause := sqlerr.As(c.state.err()); cause != nil && cause.Severity == sqlerr.SeverityFatal {
		return cause
	}
	if e := sqlerr.As(err); e != nil && e.Severity == sqlerr.SeverityFatal {
		return e
	}
	if c.out.err != nil {
		return c.out.err
	}
	var lost *lostError
	if errors.As(err, &lost) {
		return lost.err
	}
	return nil
}

// lostError marks a failure of the connection, to tell it from a failure of the
// engine.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// ready ends a query cycle.
func (c *conn) ready() error {
	c.sendNotices()
	c.open, c.skipping, c.pipeline = false, false, false
	status := c.sess.TxStatus()
	if status == saltsql.TxIdle {
		c.dropPortals()
	}
	c.sendChanged()
	c.out.ready(status)
	return c.out.flush()
}

// sync ends the implicit transaction of a pipeline and the skipping after an
// error.
func (c *conn) sync() error {
	if err := c.sess.EndPipeline(c.state.ctx, !c.skipping); err != nil {
		if err := c.tell(err); err != nil {
			return err
		}
	}
	return c.ready()
}
