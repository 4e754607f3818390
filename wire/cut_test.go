package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"go.uber.org/goleak"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/storage/mem"
)

// cutConn is the server's end of a connection whose client has sent all it will ever
// send. It breaks after so many bytes in one of the directions.
type cutConn struct {
	in           []byte
	reads        int  // bytes of in that arrive
	writes       int  // bytes that leave; -1: all
	reset        bool // the end of in is a reset, not a close
	got, written int
}

func newCutConn(in []byte, reads, writes int, reset bool) *cutConn {
	return &cutConn{in: in, reads: reads, writes: writes, reset: reset}
}

func (c *cutConn) Read(p []byte) (int, error) {
	if c.got == c.reads {
		if c.reset {
			return 0, &net.OpError{Op: "read", Net: "cut", Err: syscall.ECONNRESET}
		}
		return 0, io.EOF
	}
	n := copy(p, c.in[c.got:c.reads])
	c.got += n
	return n, nil
}

func (c *cutConn) Write(p []byte) (int, error) {
	n := len(p)
	if c.writes >= 0 {
		n = min(n, c.writes-c.written)
	}
	c.written += n
	if n < len(p) {
		return n, &net.OpError{Op: "write", Net: "cut", Err: syscall.EPIPE}
	}
	return n, nil
}

func (c *cutConn) Close() error                     { return nil }
func (c *cutConn) LocalAddr() net.Addr              { return pipeAddr{} }
func (c *cutConn) RemoteAddr() net.Addr             { return pipeAddr{} }
func (c *cutConn) SetDeadline(time.Time) error      { return nil }
func (c *cutConn) SetReadDeadline(time.Time) error  { return nil }
func (c *cutConn) SetWriteDeadline(time.Time) error { return nil }

func sent(ms ...pgproto3.FrontendMessage) []byte {
	var buf []byte
	for _, m := range append([]pgproto3.FrontendMessage{
		&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "u"}},
	}, ms...) {
		buf, _ = m.Encode(buf)
	}
	return buf
}

func queries(texts ...string) (ms []pgproto3.FrontendMessage) {
	for _, text := range texts {
		ms = append(ms, &pgproto3.Query{String: text})
	}
	return ms
}

func copied(statement string, rows int, end pgproto3.FrontendMessage) (ms []pgproto3.FrontendMessage) {
	ms = queries(statement)
	for i := range rows {
		ms = append(ms, &pgproto3.CopyData{Data: fmt.Appendf(nil, "%d\tx\n", 1000+i)})
	}
	return append(ms, end)
}

// cutConversations are whole conversations of a client that does not wait for answers.
// Table t has the rows 1 to 3, table wide 400 of 1 kB,
// table huge 3 of 150 kB.
var cutConversations = map[string][]byte{
	"simple": sent(queries("select * from t; select 1", "begin; update t set b = 'y' where a = 1", "insert into t values (7, 'z'), (8, 'z') returning *", "rollback")...),
	"extended": sent(&pgproto3.Parse{Name: "s", Query: "select * from t where a = $1"}, &pgproto3.Describe{ObjectType: 'S', Name: "s"},
		&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("1")}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{},
		&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("x")}}, &pgproto3.Execute{}, &pgproto3.Sync{},
		&pgproto3.Parse{Query: "update t set b = 'q' where a = 2"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{},
		&pgproto3.Parse{Query: "select a from t"}, &pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p", MaxRows: 1},
		&pgproto3.Execute{Portal: "p", MaxRows: 1}, &pgproto3.Sync{}, &pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{}, &pgproto3.Terminate{}),
	"copy from":       sent(copied("copy t from stdin", 40, &pgproto3.CopyDone{})...),
	"copy from fails": sent(append(append(queries("begin", "update t set b = 'y' where a = 3"), copied("copy t from stdin", 4, &pgproto3.CopyFail{Message: "no"})...), queries("commit")...)...),
	"copy from bad": sent(append(copied("copy t from stdin", 4, &pgproto3.CopyData{Data: []byte("bad\trow\nworse\n")}),
		&pgproto3.CopyDone{}, &pgproto3.Query{String: "select 1"})...),
	"copy to":        sent(queries("copy wide to stdout", "copy wide (s) to stdout (format binary)")...),
	"copy to header": sent(queries("copy wide to stdout (format csv, header)", "copy (select a / (a - 300) from wide) to stdout")...),
	"huge":           sent(queries("copy huge to stdout", "copy huge to stdout (format binary)", "select * from huge")...),
	"rows":           sent(queries("select * from wide", "select a / (a - 300), s from wide")...),
	"cursor":         sent(queries("begin", "declare c cursor for select * from wide", "fetch 100 from c", "fetch all from c", "update t set b = 'n' where a = 1", "commit")...),
	"ddl":            sent(queries("create table if not exists u (a int primary key)", "alter table u add column b int", "insert into u values (1)", "drop table u")...),
	"notices":        sent(queries("rollback", "drop table if exists nope, nope2", "set statement_timeout = 1000", "listen x")...),
}

// TestCutConnections breaks each of a set of conversations after each byte that the client
// sends, and after each that the server sends (in strides, where there are many). The
// server logs no fault, and keeps neither session, lock, portal nor goroutine.
func TestCutConnections(t *testing.T) {
	ctx := context.Background()
	logs := &faultLog{Handler: quiet().Handler()}
	store := mem.New()
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: quiet(), NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	defer db.Close()
	for _, text := range []string{
		"create table t (a int primary key, b text)",
		"insert into t values (1, 'x'), (2, 'x'), (3, 'x')",
		"create table wide (a int primary key, s text)",
		"create table huge (a int primary key, s text)",
		"insert into huge select i, repeat('h', 150000) from generate_series(1, 3) i",
		"insert into wide select i, repeat('w', 1000) from generate_series(1, 400) i",
	} {
		if _, err := db.Exec(ctx, text); err != nil {
			t.Fatal(text, err)
		}
	}
	srv := NewServer(db, Config{Logger: slog.New(logs)})
	defer srv.Close()
	leaks := goleak.IgnoreCurrent()
	serve := func(c *cutConn) {
		sc := newConn(srv, c)
		srv.mu.Lock()
		srv.conns[sc] = struct{}{}
		srv.mu.Unlock()
		defer srv.forget(sc)
		sc.serve()
	}
	most := 400
	if testing.Short() {
		most = 60
	}
	for name, in := range cutConversations {
		t.Run(name, func(t *testing.T) {
			whole := newCutConn(in, len(in), -1, false)
			serve(whole)
			check := func(what string) {
				t.Helper()
				if faults := logs.take(); len(faults) > 0 {
					t.Fatalf("%s: %s", what, strings.Join(faults, "\n"))
				}
				if n, err := db.Exec(ctx, "update t set b = 'x' where a in (1, 2, 3)"); err != nil || n != "UPDATE 3" {
					t.Fatalf("%s: then %s %v", what, n, err)
				}
				if _, err := db.Exec(ctx, "delete from t where a > 3"); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			if whole.written < 400 {
				t.Fatalf("the server said %d bytes", whole.written)
			}
			check("whole")
			stride := max(1, len(in)/most)
			for k := 0; k <= len(in); k += stride {
				serve(newCutConn(in, k, -1, k/stride%2 == 0))
				check(fmt.Sprintf("read %d of %d bytes", k, len(in)))
			}
			stride = max(1, whole.written/most)
			for k := 0; k <= whole.written; k += stride {
				serve(newCutConn(in, len(in), k, false))
				check(fmt.Sprintf("wrote %d of %d bytes", k, whole.written))
			}
		})
	}
	if err := goleak.Find(leaks); err != nil {
		t.Error(err)
	}
	if n := len(srv.cancels.conns); n != 0 {
		t.Errorf("%d connections can still be canceled", n)
	}
}

// limitedConn is the client's end of a socket that breaks after so many bytes.
type limitedConn struct {
	net.Conn
	left atomic.Int64 // pgx closes on another goroutine
}

func (c *limitedConn) Read(p []byte) (int, error)  { return c.move(p, c.Conn.Read) }
func (c *limitedConn) Write(p []byte) (int, error) { return c.move(p, c.Conn.Write) }

func (c *limitedConn) move(p []byte, do func([]byte) (int, error)) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		c.Conn.Close()
		return 0, net.ErrClosed
	}
	n, err := do(p[:min(int64(len(p)), left)])
	c.left.Add(int64(-n))
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// TestCutHandshakes breaks TLS and SCRAM after each byte in either direction: nothing is
// left of the connection.
func TestCutHandshakes(t *testing.T) {
	v, err := NewVerifier("secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	cert, pool := selfSigned(t)
	logs := &faultLog{Handler: quiet().Handler()}
	srv, addr, db := tcpServer(t, Config{
		Logger: slog.New(logs), Auth: Users{"u": v}, RequireTLS: true,
		TLS: &tls.Config{Certificates: []tls.Certificate{cert}},
	})
	leaks := goleak.IgnoreCurrent()
	attempt := func(limit int) (ok bool, moved int) {
		pc, err := pgx.ParseConfig("postgres://u:secret@" + addr + "/d?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		pc.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "localhost"}
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		lc := &limitedConn{Conn: nc}
		lc.left.Store(int64(limit))
		var used atomic.Bool
		pc.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			if used.Swap(true) { // for a cancel request
				return nil, net.ErrClosed
			}
			return lc, nil
		}
		conn, err := pgx.ConnectConfig(testContext(t), pc)
		if err == nil {
			conn.PgConn().Conn().Close()
		}
		lc.Conn.Close()
		return err == nil, limit - int(lc.left.Load())
	}
	ok, all := attempt(1 << 20)
	if !ok {
		t.Fatal("cannot connect")
	}
	stride := 7
	if testing.Short() {
		stride = 97
	}
	for limit := 0; limit < all; limit += stride {
		attempt(limit)
		if faults := logs.take(); len(faults) > 0 {
			t.Fatalf("after %d of %d bytes: %s", limit, all, strings.Join(faults, "\n"))
		}
	}
	waitFor(t, func() bool {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		return len(srv.conns) == 0 && srv.clients == 0 && len(db.Sessions()) == 0
	})
	srv.Close()
	if err := goleak.Find(leaks, goleak.IgnoreTopFunction("testing.(*T).Run")); err != nil {
		t.Error(err)
	}
}
