package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestSCRAMAgainstPostgres sends first messages of all kinds, right and wrong, with and
// without TLS, to this server and to a PostgreSQL: the answers have one severity,
// SQLSTATE and message.
func TestSCRAMAgainstPostgres(t *testing.T) {
	seeds.Sometimes(t)
	cert, pool := selfSigned(t)
	key, err := x509.MarshalECPrivateKey(cert.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	dsn := pgtest.StartTLS(t,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key}),
		"host all u 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
	admin, err := pgconn.Connect(testContext(t), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec(testContext(t), "CREATE ROLE u LOGIN PASSWORD 'secret'").ReadAll(); err != nil {
		t.Fatal(err)
	}
	theirs := admin.Conn().RemoteAddr().String()
	admin.Close(context.Background())
	v, err := NewVerifier("secret", DefaultIterations)
	if err != nil {
		t.Fatal(err)
	}
	_, ours, _ := tcpServer(t, Config{Auth: Users{"u": v}, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})

	ask := func(addr string, encrypted bool, mechanism, first, final string) string {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if encrypted {
			request, _ := (&pgproto3.SSLRequest{}).Encode(nil)
			nc.Write(request)
			if _, err := io.ReadFull(nc, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			nc = tls.Client(nc, &tls.Config{RootCAs: pool, ServerName: "localhost"})
		}
		f := pgproto3.NewFrontend(nc, nc)
		f.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u", "database": "postgres"}})
		f.Flush()
		var said []string
		for {
			m, err := f.Receive()
			if err != nil {
				return strings.Join(append(said, "closed"), "; ")
			}
			switch m := m.(type) {
			case *pgproto3.AuthenticationSASL:
				said = append(said, fmt.Sprint(m.AuthMechanisms))
				f.Send(&pgproto3.SASLInitialResponse{AuthMechanism: mechanism, Data: []byte(first)})
				f.Flush()
			case *pgproto3.AuthenticationSASLContinue:
				server, _, _ := strings.Cut(string(m.Data), ",")
				said = append(said, "continue "+server[:min(len(server), len("r=nonce"))])
				f.Send(&pgproto3.SASLResponse{Data: []byte(strings.ReplaceAll(final, "NONCE", strings.TrimPrefix(server, "r=")))})
				f.Flush()
			case *pgproto3.ErrorResponse:
				return strings.Join(append(said, m.Severity+" "+m.Code+" "+m.Message+" "+m.Detail), "; ")
			default:
				return strings.Join(append(said, fmt.Sprintf("%T", m)), "; ")
			}
		}
	}
	good := "c=biws,r=NONCE,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, encrypted := range []bool{false, true} {
		for _, mechanism := range []string{scramPlain, scramPlus, "SCRAM-SHA-1", ""} {
			for _, first := range []string{"n,,n=,r=nonce", "y,,n=,r=nonce", "p=tls-server-end-point,,n=,r=nonce", "p=tls-unique,,n=,r=nonce", "x,,n=,r=nonce", "", "n", "n,a=u,n=,r=nonce", "n,b,n=,r=nonce", "n,,m=x,n=,r=nonce", "n,,x=,r=nonce", "n,,n=", "n,,n=,x=nonce", "n,,n=,r=no\x01ce", "n,,n=,r=nonce,z=1", "nn,,n=,r=nonce"} {
				got, want := ask(ours, encrypted, mechanism, first, good), ask(theirs, encrypted, mechanism, first, good)
				if got != want {
					t.Errorf("tls %t, %s, %q\n  here     %s\n  postgres %s", encrypted, mechanism, first, got, want)
				}
			}
		}
		for _, final := range []string{good, "", "c=biws", "c=biws,r=NONCE", "c=eSws,r=NONCE,p=AAAA", "c=,r=NONCE,p=AAAA", "c=biws,r=other,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "c=biws,r=NONCE,p=!", "c=biws,r=NONCE,p=AAAA", "r=NONCE", "c=biws,r=NONCE,x=1,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "c=biws,r=NONCE,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,x=1"} {
			got, want := ask(ours, encrypted, scramPlain, "n,,n=,r=nonce", final), ask(theirs, encrypted, scramPlain, "n,,n=,r=nonce", final)
			if got != want {
				t.Errorf("tls %t, final %q\n  here     %s\n  postgres %s", encrypted, final, got, want)
			}
		}
	}
}
