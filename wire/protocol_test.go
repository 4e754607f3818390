package wire

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"
)

// quiet drops the log, which the tests that provoke faults would fill.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// pipeListener is a net.Listener whose connections are made in memory.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{make(chan net.Conn), make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

type pipeAddr struct{}

func (pipeAddr) Network() string       { return "pipe" }
func (pipeAddr) String() string        { return "pipe" }
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }
func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// testServer serves a fake engine in memory; it is closed, and seen to leave
// nothing behind, when the test ends.
func testServer(t testing.TB, cfg Config) (*Server, *pipeListener, *fakeEngine) {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet()
	}
	eng := &fakeEngine{}
	srv := newServer(eng, cfg)
	ln := newPipeListener()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-served; err != ErrServerClosed {
			t.Errorf("Serve: %v", err)
		}
		if eng.open != 0 {
			t.Errorf("%d sessions left open", eng.open)
		}
	})
	return srv, ln, eng
}

// client speaks messages.
type client struct {
	t  testing.TB
	nc net.Conn
	*pgproto3.Frontend
}

func newClient(t testing.TB, nc net.Conn) *client {
	t.Helper()
	nc.SetDeadline(time.Now().Add(20 * time.Second))
	t.Cleanup(func() { nc.Close() })
	return &client{t, nc, pgproto3.NewFrontend(nc, nc)}
}

// start sends a start-up packet and reads up to ReadyForQuery.
func (c *client) start(params map[string]string) {
	c.t.Helper()
	if params == nil {
		params = map[string]string{"user": "u"}
	}
	c.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: params})
	c.until("ReadyForQuery")
}

// until flushes what was sent and prints messages up to one of the given type or
// the end of the connection.
func (c *client) until(name string) string {
	c.t.Helper()
	flushed := make(chan error, 1)
	// In memory a write waits for its reader, as over a socket it may.
	go func() { flushed <- c.Flush() }()
	var out strings.Builder
	for {
		m, err := c.Receive()
		if err != nil {
			fmt.Fprintf(&out, "closed\n")
			break
		}
		out.WriteString(show(m))
		if typeName(m) == name {
			break
		}
	}
	<-flushed
	return out.String()
}

func typeName(m any) string { return reflect.TypeOf(m).Elem().Name() }

// show prints a message on one line.
func show(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.DataRow:
		var vals []string
		for _, v := range m.Values {
			if v == nil {
				vals = append(vals, "NULL")
			} else if strings.ContainsFunc(string(v), func(r rune) bool { return r < ' ' || r == 0xfffd }) || len(v) == 0 {
				vals = append(vals, "0x"+hex.EncodeToString(v))
			} else {
				vals = append(vals, string(v))
			}
		}
		return fmt.Sprintf("DataRow %s\n", strings.Join(vals, " | "))
	case *pgproto3.RowDescription:
		var cols []string
		for _, f := range m.Fields {
			cols = append(cols, fmt.Sprintf("%s oid=%d len=%d mod=%d table=%d.%d format=%d",
				f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.TableOID, f.TableAttributeNumber, f.Format))
		}
		return fmt.Sprintf("RowDescription %s\n", strings.Join(cols, "; "))
	case *pgproto3.ErrorResponse:
		return "ErrorResponse " + showError(m)
	case *pgproto3.NoticeResponse:
		return "NoticeResponse " + showError((*pgproto3.ErrorResponse)(m))
	case *pgproto3.CommandComplete:
		return fmt.Sprintf("CommandComplete %s\n", m.CommandTag)
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("ReadyForQuery %c\n", m.TxStatus)
	case *pgproto3.ParameterStatus:
		return fmt.Sprintf("ParameterStatus %s=%s\n", m.Name, m.Value)
	case *pgproto3.BackendKeyData:
		return fmt.Sprintf("BackendKeyData %d bytes\n", len(m.SecretKey))
	case *pgproto3.CopyData:
		return fmt.Sprintf("CopyData %q\n", m.Data)
	case *pgproto3.ParameterDescription:
		return fmt.Sprintf("ParameterDescription %v\n", m.ParameterOIDs)
	case *pgproto3.NegotiateProtocolVersion:
		return fmt.Sprintf("NegotiateProtocolVersion %d.%d %v\n", m.NewestMinorProtocol>>16, m.NewestMinorProtocol&0xffff, m.UnrecognizedOptions)
	case *pgproto3.CopyInResponse:
		return fmt.Sprintf("CopyInResponse %d %v\n", m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.CopyOutResponse:
		return fmt.Sprintf("CopyOutResponse %d %v\n", m.OverallFormat, m.ColumnFormatCodes)
	}
	return typeName(m) + "\n"
}

func showError(e *pgproto3.ErrorResponse) string {
	s := fmt.Sprintf("%s %s: %s", e.SeverityUnlocalized, e.Code, e.Message)
	for _, f := range []struct{ name, v string }{
		{"DETAIL", e.Detail}, {"HINT", e.Hint}, {"WHERE", e.Where}, {"TABLE", e.TableName},
		{"COLUMN", e.ColumnName}, {"CONSTRAINT", e.ConstraintName},
	} {
		if f.v != "" {
			s += fmt.Sprintf(" %s: %s", f.name, f.v)
		}
	}
	if e.Position > 0 {
		s += fmt.Sprintf(" POSITION: %d", e.Position)
	}
	return s + "\n"
}

// frontend makes a message a client sends by its name.
var frontend = map[string]func() pgproto3.FrontendMessage{
	"Query":    func() pgproto3.FrontendMessage { return &pgproto3.Query{} },
	"Parse":    func() pgproto3.FrontendMessage { return &pgproto3.Parse{} },
	"Bind":     func() pgproto3.FrontendMessage { return &pgproto3.Bind{} },
	"Describe": func() pgproto3.FrontendMessage { return &pgproto3.Describe{} },
	"Execute":  func() pgproto3.FrontendMessage { return &pgproto3.Execute{} },
	"Close":    func() pgproto3.FrontendMessage { return &pgproto3.Close{} },
	"Sync":     func() pgproto3.FrontendMessage { return &pgproto3.Sync{} },
	"Flush":    func() pgproto3.FrontendMessage { return &pgproto3.Flush{} },
	"CopyData": func() pgproto3.FrontendMessage { return &copyText{} },
	"CopyDone": func() pgproto3.FrontendMessage { return &pgproto3.CopyDone{} },
	"CopyFail": func() pgproto3.FrontendMessage { return &pgproto3.CopyFail{} },
	"Startup":  func() pgproto3.FrontendMessage { return &pgproto3.StartupMessage{} },
	"Raw":      func() pgproto3.FrontendMessage { return &raw{} },
	"Function": func() pgproto3.FrontendMessage { return &pgproto3.FunctionCall{} },
}

// raw is bytes that are no message, in hex.
type raw struct{ Hex string }

func (*raw) Frontend()           {}
func (*raw) Decode([]byte) error { return nil }
func (r *raw) Encode(dst []byte) ([]byte, error) {
	b, err := hex.DecodeString(strings.ReplaceAll(r.Hex, " ", ""))
	return append(dst, b...), err
}

// copyText is CopyData with its data as text.
type copyText struct{ Data string }

func (*copyText) Frontend()           {}
func (*copyText) Decode([]byte) error { return nil }
func (c *copyText) Encode(dst []byte) ([]byte, error) {
	return (&pgproto3.CopyData{Data: []byte(c.Data)}).Encode(dst)
}

// TestProtocol runs the scripts of testdata/protocol. A line of "send" is a
// message's name and its fields as JSON; the answers up to the message named by
// until= are printed. "connect" starts a new connection.
func TestProtocol(t *testing.T) {
	datadriven.Walk(t, "testdata/protocol", func(t *testing.T, path string) {
		_, ln, eng := testServer(t, Config{})
		var c *client
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			until := "ReadyForQuery"
			d.MaybeScanArgs(t, "until", &until)
			switch d.Cmd {
			case "connect":
				c = newClient(t, ln.dial())
				if d.Input == "" {
					d.Input = `Startup {"ProtocolVersion": 196608, "Parameters": {"user": "u"}}`
				}
			case "copied":
				out := strings.Join(append(eng.copied, "."), "\n") + "\n"
				eng.copied = nil
				return out
			case "send":
			default:
				d.Fatalf(t, "unknown command")
			}
			sendScript(t, d, c)
			return c.until(until)
		})
	})
}

// sendScript sends the messages of a case.
func sendScript(t *testing.T, d *datadriven.TestData, c *client) {
	for line := range strings.Lines(d.Input) {
		name, fields, _ := strings.Cut(strings.TrimSpace(line), " ")
		f := frontend[name]
		if f == nil {
			d.Fatalf(t, "unknown message %q", name)
		}
		m := f()
		if fields != "" {
			if err := json.Unmarshal([]byte(fields), m); err != nil {
				d.Fatalf(t, "%s: %v", line, err)
			}
		}
		c.Send(m)
	}
}

func TestShutdownWaitsForTransactions(t *testing.T) {
	srv, ln, _ := testServer(t, Config{})
	idle, busy := newClient(t, ln.dial()), newClient(t, ln.dial())
	idle.start(nil)
	busy.start(nil)
	busy.Send(&pgproto3.Query{String: "begin"})
	busy.until("ReadyForQuery")
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(context.Background()) }()
	want := "ErrorResponse FATAL 57P01: terminating connection due to administrator command\nclosed\n"
	if got := idle.until("ReadyForQuery"); got != want {
		t.Errorf("idle: %s", got)
	}
	busy.Send(&pgproto3.Query{String: "do WORK"})
	if got := busy.until("ReadyForQuery"); got != "CommandComplete WORK\nReadyForQuery T\n" {
		t.Errorf("in a transaction: %s", got)
	}
	select {
	case <-done:
		t.Fatal("Shutdown did not wait")
	default:
	}
	busy.Send(&pgproto3.Query{String: "commit"})
	if got := busy.until("none"); got != "CommandComplete COMMIT\nReadyForQuery I\n"+want {
		t.Errorf("after the transaction: %s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCloseEndsRunningStatements(t *testing.T) {
	srv, ln, _ := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "sleep"})
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return anyWorking(srv) })
	go srv.Close()
	if got := c.until("none"); !strings.Contains(got, "FATAL 57P01") {
		t.Error(got)
	}
}

func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("waited in vain")
}

func anyWorking(srv *Server) bool {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	for c := range srv.conns {
		s, ok := c.state.session()
		if f, is := s.(*fakeSession); ok && is {
			f.mu.Lock()
			waiting := f.waiting
			f.mu.Unlock()
			if waiting {
				return true
			}
		}
	}
	return false
}

func (s *connState) session() (engineSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sess, s.sess != nil
}
