package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

func TestScram(t *testing.T) {
	v, err := NewVerifier("secret", DefaultIterations)
	if err != nil {
		t.Fatal(err)
	}
	v, err = ParseVerifier(v.String())
	if err != nil {
		t.Fatal(err)
	}
	cert, pool := selfSigned(t)
	users := Users{"u": v}
	for _, cfg := range []Config{{Auth: users}, {Auth: users, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}, RequireTLS: true}} {
		_, addr, _ := tcpServer(t, cfg)
		for _, c := range []struct{ user, password, want string }{
			{"u", "secret", "<nil>"}, {"u", "Secret", "28P01"}, {"nobody", "secret", "28P01"}, {"u", "", "28P01"},
		} {
			pc, err := pgx.ParseConfig("postgres://" + c.user + ":" + c.password + "@" + addr + "/d?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			pc.Password = c.password
			if cfg.TLS != nil {
				pc.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "localhost"}
				pc.ChannelBinding = "require"
				if c.password == "" {
					continue // refused by the client
				}
			}
			conn, err := pgx.ConnectConfig(testContext(t), pc)
			if err == nil {
				conn.Close(context.Background())
			} else if c.password == "" && c.want != "<nil>" && code(err) != c.want {
				continue
			}
			if code(err) != c.want {
				t.Errorf("%s/%s tls=%t: %v", c.user, c.password, cfg.TLS != nil, err)
			}
		}
	}
}

// TestNoRoleNoRights: Config.Auth says who somebody is, and gives no rights. Once there are roles a
// user without one stays out, also one whose role was dropped.
func TestNoRoleNoRights(t *testing.T) {
	v, err := NewVerifier("secret", DefaultIterations)
	if err != nil {
		t.Fatal(err)
	}
	_, addr, _ := tcpServer(t, Config{Auth: Users{"saltsql": v, "bob": v, "eve": v}})
	ctx := testContext(t)
	as := func(user string) (*pgx.Conn, error) {
		return pgx.Connect(ctx, "postgres://"+user+":secret@"+addr+"/d?sslmode=disable")
	}
	boss, err := as("saltsql")
	if err != nil {
		t.Fatal(err)
	}
	defer boss.Close(ctx)
	for _, step := range []struct{ sql, bob, eve string }{
		{"SELECT 1", "<nil>", "<nil>"},
		{"CREATE ROLE bob LOGIN", "<nil>", "28000"},
		{"ALTER ROLE bob NOLOGIN", "28000", "28000"},
		{"DROP ROLE bob", "28000", "28000"}, // the last one
		{"CREATE ROLE bob LOGIN", "<nil>", "28000"},
	} {
		if _, err := boss.Exec(ctx, step.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
		for user, want := range map[string]string{"bob": step.bob, "eve": step.eve} {
			c, err := as(user)
			if code(err) != want {
				t.Errorf("%s after %s: %v, want %s", user, step.sql, err, want)
			}
			if err == nil {
				c.Close(ctx)
			}
		}
	}
}

func TestTLS(t *testing.T) {
	cert, pool := selfSigned(t)
	_, addr, _ := tcpServer(t, Config{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}, RequireTLS: true})
	pc, _ := pgx.ParseConfig("postgres://u@" + addr + "/d?sslmode=disable")
	if _, err := pgx.ConnectConfig(testContext(t), pc); code(err) != "28000" {
		t.Error("without TLS:", err)
	}
	pc.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "localhost"}
	conn, err := pgx.ConnectConfig(testContext(t), pc)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), sleepSQL)
		done <- err
	}()
	waitFor(t, func() bool {
		conn.PgConn().CancelRequest(testContext(t))
		return len(done) > 0
	})
	if err := <-done; code(err) != "57014" {
		t.Error(err)
	}
	if _, err := conn.Exec(testContext(t), okSQL); err != nil {
		t.Error(err)
	}
}

// TestTLSRefusesEarlyData: bytes between the request and the handshake could come from
// someone in the middle.
func TestTLSRefusesEarlyData(t *testing.T) {
	cert, _ := selfSigned(t)
	_, ln, _ := testServer(t, Config{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	c := newClient(t, ln.dial())
	req, _ := (&pgproto3.SSLRequest{}).Encode(nil)
	start, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"}}).Encode(req)
	go c.nc.Write(start)
	if got := c.until("ReadyForQuery"); got != "ErrorResponse FATAL 08P01: received unencrypted data after SSL request\nclosed\n" {
		t.Error(got)
	}
}

func selfSigned(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
