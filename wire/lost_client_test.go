package wire

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// lookOften makes a server look after its clients often. It is called before the first
// comes.
func lookOften(srv *Server) {
	srv.mu.Lock()
	srv.lookEvery = 2 * time.Millisecond
	srv.mu.Unlock()
}

// TestClientThatLeftIsNoticed: a statement that has nothing to say ends with its
// client, and gives its place back. Neither a reset nor bytes that nobody has read
// hide that.
func TestClientThatLeftIsNoticed(t *testing.T) {
	if !canTell {
		t.Skip("not on this system")
	}
	leave := map[string]func(nc *net.TCPConn){
		"close": func(nc *net.TCPConn) { nc.Close() },
		"reset": func(nc *net.TCPConn) { nc.SetLinger(0); nc.Close() },
		"terminate and close": func(nc *net.TCPConn) {
			text, _ := (&pgproto3.Terminate{}).Encode(nil)
			nc.Write(text)
			nc.Close()
		},
	}
	for name, leave := range leave {
		t.Run(name, func(t *testing.T) {
			srv, addr, db := tcpServer(t, Config{MaxConnections: 1})
			lookOften(srv)
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, nc)
			c.start(nil)
			c.Send(&pgproto3.Query{String: sleepSQL})
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, db.working)
			leave(nc.(*net.TCPConn))
			waitFor(t, func() bool { return len(db.Sessions()) == 0 })
			waitFor(t, func() bool {
				srv.mu.Lock()
				defer srv.mu.Unlock()
				return srv.clients == 0
			})
		})
	}
}

// TestClientsThatWaitAreLeftAlone: looks do no harm to a client that is there, whatever it
// has sent meanwhile.
func TestClientsThatWaitAreLeftAlone(t *testing.T) {
	srv, addr, db := tcpServer(t, Config{})
	lookOften(srv)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, nc)
	c.start(nil)
	c.Send(&pgproto3.Query{String: sleepSQL})
	c.Send(&pgproto3.Query{String: okSQL})
	flushed := make(chan error, 1)
	go func() { flushed <- c.Flush() }()
	waitFor(t, db.working)
	time.Sleep(20 * time.Millisecond) // for some looks
	srv.mu.Lock()
	for conn := range srv.conns {
		conn.state.stop(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"), 0)
	}
	srv.mu.Unlock()
	<-flushed
	if got := c.until("ReadyForQuery"); !strings.HasSuffix(got, "ErrorResponse ERROR 57014: canceling statement due to user request\nReadyForQuery I\n") {
		t.Error(got)
	}
	if got := c.until("ReadyForQuery"); got != "CommandComplete RESET\nReadyForQuery I\n" {
		t.Error(got)
	}
}
