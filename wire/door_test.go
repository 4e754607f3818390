package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestSilentConnectionsKeepNobodyOut: those that only connect take the places of one
// another, and never those of clients.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	srv, addr, _ := tcpServer(t, Config{MaxConnections: 2, MaxUnauthenticated: 20, AuthTimeout: time.Hour})
	first := connect(t, addr, "sslmode=disable")
	var silent []net.Conn
	for range 150 {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		silent = append(silent, nc)
	}
	connect(t, addr, "sslmode=disable")
	if _, err := first.Exec(testContext(t), okSQL); err != nil {
		t.Error(err)
	}
	if err := first.PgConn().CancelRequest(testContext(t)); err != nil {
		t.Error(err)
	}
	silent[0].SetReadDeadline(time.Now().Add(patience))
	if _, err := silent[0].Read(make([]byte, 1)); errors.Is(err, context.DeadlineExceeded) || err == nil {
		t.Error("the first silent connection is still there:", err)
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if n := len(srv.conns); n > 22 {
		t.Errorf("%d connections", n)
	}
}

// TestAuthTimeout ends who does not introduce itself, with a word once it has begun to.
func TestAuthTimeout(t *testing.T) {
	v, err := NewVerifier("secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, addr, _ := tcpServer(t, Config{Auth: Users{"u": v}, AuthTimeout: 20 * time.Millisecond})
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetReadDeadline(time.Now().Add(patience))
	if rest, err := io.ReadAll(nc); len(rest) > 0 || err != nil {
		t.Errorf("%q %v", rest, err)
	}
	withinAuthTimeout(t, Config{Auth: Users{"u": v}}, func(addr string) bool {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, nc)
		c.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"}})
		got := c.until("ReadyForQuery")
		if !strings.HasPrefix(got, "AuthenticationSASL") {
			return false
		}
		if got != "AuthenticationSASL\nErrorResponse FATAL 57014: canceling authentication due to timeout\nclosed\n" {
			t.Error(got)
		}
		return true
	})
}

func TestReservedConnections(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{MaxConnections: 3, ReservedConnections: 1, ReservedUsers: []string{"admin"}})
	try := func(user string) error {
		conn, err := pgx.Connect(testContext(t), "postgres://"+user+"@"+addr+"/d?sslmode=disable")
		if err == nil {
			t.Cleanup(func() { conn.Close(context.Background()) })
		}
		return err
	}
	for i, want := range []struct{ user, code string }{
		{"u", "<nil>"}, {"u", "<nil>"}, {"u", "53300"}, {"admin", "<nil>"}, {"admin", "53300"}, {"u", "53300"},
	} {
		if err := try(want.user); code(err) != want.code {
			t.Errorf("%d: %s: %v", i, want.user, err)
		}
	}
}

// TestReload: new connections meet the new users and certificate, old ones go on.
func TestReload(t *testing.T) {
	users := func(password string) Users {
		v, err := NewVerifier(password, 1)
		if err != nil {
			t.Fatal(err)
		}
		return Users{"u": v}
	}
	certs, pool := [2]tls.Certificate{}, x509.NewCertPool()
	for i := range certs {
		certs[i], _ = selfSigned(t)
		leaf, _ := x509.ParseCertificate(certs[i].Certificate[0])
		pool.AddCert(leaf)
	}
	serverTLS := func(i int) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{certs[i]}} }
	srv, addr, _ := tcpServer(t, Config{Auth: users("one"), TLS: serverTLS(0)})
	try := func(password string) (*pgx.Conn, error) {
		pc, err := pgx.ParseConfig("postgres://u@" + addr + "/d?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		pc.Password, pc.ChannelBinding = password, "require"
		pc.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "localhost"}
		conn, err := pgx.ConnectConfig(testContext(t), pc)
		if err == nil {
			t.Cleanup(func() { conn.Close(context.Background()) })
		}
		return conn, err
	}
	serial := func(conn *pgx.Conn) string {
		return string(conn.PgConn().Conn().(*tls.Conn).ConnectionState().PeerCertificates[0].Raw)
	}
	old, err := try("one")
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Reload(users("two"), serverTLS(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := try("one"); code(err) != "28P01" {
		t.Error("with the old password:", err)
	}
	conn, err := try("two")
	if err != nil {
		t.Fatal(err)
	}
	if serial(conn) == serial(old) {
		t.Error("the old certificate")
	}
	if _, err := old.Exec(testContext(t), okSQL); err != nil {
		t.Error(err)
	}
	if srv.Reload(nil, serverTLS(1)) == nil || srv.Reload(users("two"), nil) == nil {
		t.Error("authentication or encryption was switched off")
	}
}

// TestSCRAMHeader: codes and words are PostgreSQL's, of auth-scram.c.
func TestSCRAMHeader(t *testing.T) {
	for _, test := range []struct {
		first, mechanism string
		offered          bool
		want             string
	}{
		{"n,,n=,r=x", scramPlain, true, ""},
		{"y,,n=,r=x", scramPlain, false, ""},
		{"p=tls-server-end-point,,n=,r=x", scramPlus, true, ""},
		{"y,,n=,r=x", scramPlain, true, "28000 SCRAM channel binding negotiation error"},
		{"y,,n=,r=x", scramPlus, true, "08P01 malformed SCRAM message"},
		{"n,,n=,r=x", scramPlus, true, "08P01 malformed SCRAM message"},
		{"p=tls-server-end-point,,n=,r=x", scramPlain, true, "08P01 malformed SCRAM message"},
		{"p=tls-unique,,n=,r=x", scramPlus, true, `08P01 unsupported SCRAM channel-binding type "tls-unique"`},
		{"x,,n=,r=x", scramPlain, true, "08P01 malformed SCRAM message"},
		{"", scramPlain, true, "08P01 malformed SCRAM message"},
		{"n,a=u,n=,r=x", scramPlain, true, "0A000 client uses authorization identity, but it is not supported"},
		{"n,b,n=,r=x", scramPlain, true, "08P01 malformed SCRAM message"},
		{"n,,m=x,n=,r=x", scramPlain, true, "0A000 client requires an unsupported SCRAM extension"},
	} {
		got := ""
		if err := checkSCRAMFirst(test.first, test.mechanism, test.offered); err != nil {
			got = sqlerr.CodeOf(err).String() + " " + err.Error()
		}
		if got != test.want {
			t.Errorf("%q, %s: %q, not %q", test.first, test.mechanism, got, test.want)
		}
	}
}

// TestSCRAMDowngrade: a client on TLS that thinks the server cannot bind is refused.
func TestSCRAMDowngrade(t *testing.T) {
	v, err := NewVerifier("secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	cert, pool := selfSigned(t)
	_, addr, _ := tcpServer(t, Config{Auth: Users{"u": v}, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	request, _ := (&pgproto3.SSLRequest{}).Encode(nil)
	nc.Write(request)
	if _, err := io.ReadFull(nc, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, tls.Client(nc, &tls.Config{RootCAs: pool, ServerName: "localhost"}))
	c.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"}})
	c.until("AuthenticationSASL")
	c.Send(&pgproto3.SASLInitialResponse{AuthMechanism: scramPlain, Data: []byte("y,,n=,r=nonce")})
	if got := c.until("ReadyForQuery"); !strings.HasPrefix(got, "ErrorResponse FATAL 28000: SCRAM channel binding negotiation error") {
		t.Error(got)
	}
}
