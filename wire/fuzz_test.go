package wire

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// feed gives a fresh server of a DB bytes and the end of the connection, and fails if the
// connection does not end or leaves a session open.
func feed(t testing.TB, db *testDB, data []byte) {
	srv := NewServer(db.DB, Config{Logger: quiet(), MaxMessage: 1 << 20})
	client, server := net.Pipe()
	srv.start(server)
	go io.Copy(io.Discard, client)
	client.SetWriteDeadline(time.Now().Add(patience))
	client.Write(data)
	client.Close()
	done := make(chan struct{})
	go func() {
		srv.Close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("a connection hangs after % x", data)
	}
	if open := db.Sessions(); len(open) > 0 {
		t.Fatalf("sessions left open: %+v", open)
	}
}

func startPacket() []byte {
	b, _ := (&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"},
	}).Encode(nil)
	return b
}

// conversation is a bit of everything.
func conversation() []byte {
	b := startPacket()
	for _, m := range []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "begin; " + rowsSQL(3)},
		&pgproto3.Parse{Name: "s", Query: "select $1::int8, $2::text", ParameterOIDs: []uint32{20, 0}},
		&pgproto3.Describe{ObjectType: 'S', Name: "s"},
		&pgproto3.Bind{PreparedStatement: "s", DestinationPortal: "p", Parameters: [][]byte{[]byte("1"), nil}, ParameterFormatCodes: []int16{0}, ResultFormatCodes: []int16{1, 0}},
		&pgproto3.Describe{ObjectType: 'P', Name: "p"},
		&pgproto3.Execute{Portal: "p", MaxRows: 1},
		&pgproto3.Execute{Portal: "p"},
		&pgproto3.Close{ObjectType: 'P', Name: "p"},
		&pgproto3.Flush{}, &pgproto3.Sync{},
		&pgproto3.Query{String: "copy c from stdin"},
		&pgproto3.CopyData{Data: []byte("1\ta\n2\tb\n")},
		&pgproto3.CopyDone{},
		&pgproto3.Query{String: "copy c from stdin (format binary)"},
		&pgproto3.CopyFail{Message: "x"},
		&pgproto3.Query{String: "copy (" + rowsSQL(2) + ") to stdout (format csv); rollback"},
		&pgproto3.Terminate{},
	} {
		b, _ = m.Encode(b)
	}
	return b
}

// TestCutShort ends the connection at every byte of a conversation.
func TestCutShort(t *testing.T) {
	db := openDB(t)
	db.run(t, "create table c (x int primary key, y text)")
	all := conversation()
	step := 1
	if testing.Short() {
		step = 17
	}
	for n := 0; n <= len(all); n += step {
		feed(t, db, all[:n])
	}
}

func FuzzServer(f *testing.F) {
	f.Add(conversation())
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0, 0, 0, 8, 4, 210, 22, 47}) // SSLRequest
	f.Add(append(startPacket(), 'Q', 0x7f, 0xff, 0xff, 0xff))
	db := openDB(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		feed(t, db, data)
		feed(t, db, append(startPacket(), data...))
	})
}

// TestLargeMessages: what is within the limit works, what is beyond ends the
// connection before it takes memory.
func TestLargeMessages(t *testing.T) {
	_, ln, _ := testServer(t, Config{MaxMessage: 12 << 20})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "select '" + strings.Repeat("x", 10<<20) + "'"})
	if got := c.until("ReadyForQuery"); len(got) < 10<<20 {
		t.Errorf("%.100s", got)
	}
	c.Send(&pgproto3.Parse{Query: "select $1::text"})
	c.Send(&pgproto3.Bind{Parameters: [][]byte{[]byte(strings.Repeat("y", 11<<20))}})
	c.Send(&pgproto3.Execute{})
	c.Send(&pgproto3.Sync{})
	if got := c.until("ReadyForQuery"); !strings.Contains(got, "SELECT 1") {
		t.Errorf("%.100s", got)
	}
	c.nc.Write([]byte{'B', 0x3f, 0xff, 0xff, 0xff})
	if got := c.until("ReadyForQuery"); got != "ErrorResponse FATAL 08P01: invalid message length\nclosed\n" {
		t.Error(got)
	}
}
