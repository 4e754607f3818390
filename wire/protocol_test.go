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
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
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

// testServer serves a DB in memory on connections in memory; see serveDB.
func testServer(t testing.TB, cfg Config) (*Server, *pipeListener, *testDB) {
	t.Helper()
	ln := newPipeListener()
	srv, db := serveDB(t, cfg, ln)
	return srv, ln, db
}

// client speaks messages.
type client struct {
	t  testing.TB
	nc net.Conn
	*pgproto3.Frontend
}

func newClient(t testing.TB, nc net.Conn) *client {
	t.Helper()
	nc.SetDeadline(time.Now().Add(patience))
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
		_, ln, db := testServer(t, Config{})
		db.run(t, "create table k (k int primary key, v int)", "insert into k values (1, 0)", "create table c (x int primary key, y text)")
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
			case "fault": // of the next call of a kind to the store
				db.store.Add(fault.Rule{Op: d.CmdArgs[0].Key, Do: fault.FailBefore, Err: storage.Errorf(storage.CodeUnknown, d.CmdArgs[0].Key, "", "disk on fire")})
				return ""
			case "send":
			default:
				d.Fatalf(t, "unknown command")
			}
			n := sendScript(t, d, c)
			got := c.until(until)
			for ; n > 1; n-- {
				got += c.until(until)
			}
			return tableOID.ReplaceAllString(got, "table=T.")
		})
	})
}

// sendScript sends the messages of a case, and says how many Query messages they are.
func sendScript(t *testing.T, d *datadriven.TestData, c *client) (queries int) {
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
		if name == "Query" {
			queries++
		}
	}
	return queries
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
	busy.Send(&pgproto3.Query{String: okSQL})
	if got := busy.until("ReadyForQuery"); got != "CommandComplete RESET\nReadyForQuery T\n" {
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
	srv, ln, db := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: sleepSQL})
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, db.working)
	go srv.Close()
	if got := c.until("none"); !strings.Contains(got, "FATAL 57P01") {
		t.Error(got)
	}
}

// brokenConn is a connection whose reads panic once it is told to.
type brokenConn struct {
	net.Conn
	broken atomic.Bool
}

func (c *brokenConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.broken.Load() {
		panic("broken")
	}
	return n, err
}

// A fault of the server's own in a connection ends that one only, and its transaction.
func TestFaultEndsItsConnectionOnly(t *testing.T) {
	srv, ln, db := testServer(t, Config{})
	db.run(t, "create table k (k int primary key)")
	other := newClient(t, ln.dial())
	other.start(nil)
	near, far := net.Pipe()
	bad := &brokenConn{Conn: far}
	srv.start(bad)
	c := newClient(t, near)
	c.start(nil)
	c.Send(&pgproto3.Query{String: "begin; insert into k values (1)"})
	c.until("ReadyForQuery")
	bad.broken.Store(true)
	c.Send(&pgproto3.Query{String: okSQL})
	if got := c.until("ReadyForQuery"); got != "ErrorResponse FATAL XX000: internal error\nclosed\n" {
		t.Error(got)
	}
	other.Send(&pgproto3.Query{String: "insert into k values (1)"})
	if got := other.until("ReadyForQuery"); got != "CommandComplete INSERT 0 1\nReadyForQuery I\n" {
		t.Error(got)
	}
}

func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("waited in vain")
}
