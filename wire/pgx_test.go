package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// tcpServer serves a fake engine on a free port of loopback.
func tcpServer(t testing.TB, cfg Config) (srv *Server, addr string, eng *fakeEngine) {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet()
	}
	eng = &fakeEngine{}
	srv = newServer(eng, cfg)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	t.Cleanup(func() {
		srv.Close()
		<-served
		if eng.open != 0 {
			t.Errorf("%d sessions left open", eng.open)
		}
	})
	return srv, ln.Addr().String(), eng
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func connect(t testing.TB, addr, more string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(testContext(t), "postgres://u:secret@"+addr+"/d?"+more)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

func TestPgxModes(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	for _, mode := range []string{"simple_protocol", "exec", "describe_exec", "cache_describe", "cache_statement"} {
		t.Run(mode, func(t *testing.T) {
			conn := connect(t, addr, "sslmode=disable&default_query_exec_mode="+mode)
			rows, err := conn.Query(testContext(t), "rows 2000")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for rows.Next() {
				var i int
				var s *string
				if err := rows.Scan(&i, &s); err != nil {
					t.Fatal(err)
				}
				n++
				if i != n || (s == nil) != (i%3 == 0) || s != nil && *s != fmt.Sprint("t", i) {
					t.Fatalf("row %d: %d %v", n, i, s)
				}
			}
			if err := rows.Err(); err != nil || n != 2000 {
				t.Fatal(n, err)
			}
			if mode == "simple_protocol" {
				return
			}
			var a int64
			var b string
			var c *bool
			err = conn.QueryRow(testContext(t), "echo int8,text,bool", int64(1)<<40, "é", nil).Scan(&a, &b, &c)
			if err != nil || a != 1<<40 || b != "é" || c != nil {
				t.Fatal(a, b, c, err)
			}
		})
	}
}

func TestPgxBatchStopsAtFirstError(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable")
	var b pgx.Batch
	b.Queue("do A 1")
	b.Queue("fail it")
	b.Queue("do B 1")
	res := conn.SendBatch(testContext(t), &b)
	if tag, err := res.Exec(); err != nil || tag.String() != "A 1" {
		t.Error(tag, err)
	}
	for range 2 {
		if _, err := res.Exec(); code(err) != "23505" {
			t.Error(err)
		}
	}
	res.Close()
	if tag, err := conn.Exec(testContext(t), "do OK"); err != nil || tag.String() != "OK" {
		t.Error(tag, err)
	}
}

func TestPgxCopy(t *testing.T) {
	_, addr, eng := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable").PgConn()
	var text strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&text, "%d\tline %d\n", i, i)
	}
	tag, err := conn.CopyFrom(testContext(t), strings.NewReader(text.String()), "copyin")
	if err != nil || tag.RowsAffected() != 50000 {
		t.Fatal(tag, err)
	}
	if got := eng.copied[49999]; got != "50000: 49999|line 49999" {
		t.Error(got)
	}
	eng.copied = nil
	var out strings.Builder
	if tag, err = conn.CopyTo(testContext(t), &out, "copyout 10000 format=csv"); err != nil || tag.RowsAffected() != 10000 {
		t.Fatal(tag, err)
	}
	if got := strings.Count(out.String(), "\n"); got != 10000 {
		t.Error(got)
	}
	// What the server prints it reads.
	for _, format := range []string{"text", "csv", "binary"} {
		out.Reset()
		if _, err = conn.CopyTo(testContext(t), &out, "copyout 2500 format="+format); err != nil {
			t.Fatal(err)
		}
		if tag, err = conn.CopyFrom(testContext(t), strings.NewReader(out.String()), "copyin format="+format); err != nil || tag.RowsAffected() != 2500 {
			t.Fatal(format, tag, err)
		}
		if got := eng.copied[2498]; !strings.HasSuffix(got, ": 2499|NULL") {
			t.Error(got)
		}
		eng.copied = nil
	}
	_, err = conn.CopyFrom(testContext(t), strings.NewReader(strings.Repeat("1\ta\n", 69999)+"oops\tb\n"), "copyin")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "22P02" || e.Where != `COPY t, line 70000, column x: "oops"` {
		t.Error(err, e)
	}
}

func TestCancelRequest(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	for _, more := range []string{"", "&max_protocol_version=3.2&min_protocol_version=3.2"} {
		conn := connect(t, addr, "sslmode=disable"+more)
		for range 3 {
			done := make(chan error, 1)
			go func() {
				_, err := conn.Exec(context.Background(), "sleep")
				done <- err
			}()
			waitFor(t, func() bool {
				if err := conn.PgConn().CancelRequest(testContext(t)); err != nil {
					t.Error(err)
				}
				return len(done) > 0
			})
			if err := <-done; code(err) != "57014" {
				t.Error(err)
			}
			if _, err := conn.Exec(testContext(t), "do OK"); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCancelWhileWaitingForCopyData(t *testing.T) {
	srv, ln, eng := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "copyin"})
	c.until("CopyInResponse")
	// Half a message: the rest must still be understood after the cancel.
	msg, _ := (&pgproto3.CopyData{Data: []byte("1\ta\n")}).Encode(nil)
	c.nc.Write(msg[:8])
	var key []byte
	srv.mu.Lock()
	for conn := range srv.conns {
		key = append(binary.BigEndian.AppendUint32(nil, uint32(conn.pid)), conn.key...)
	}
	srv.mu.Unlock()
	req, _ := (&pgproto3.CancelRequest{ProcessID: binary.BigEndian.Uint32(key), SecretKey: key[4:]}).Encode(nil)
	go ln.dial().Write(req)
	if got := c.until("ReadyForQuery"); !strings.HasPrefix(got, "ErrorResponse ERROR 57014: canceling statement due to user request") {
		t.Error(got)
	}
	c.nc.Write(msg[8:])
	c.Send(&pgproto3.CopyDone{})
	c.Send(&pgproto3.Query{String: "do OK"})
	if got := c.until("ReadyForQuery"); got != "CommandComplete OK\nReadyForQuery I\n" {
		t.Error(got)
	}
	if len(eng.copied) != 0 {
		t.Error(eng.copied)
	}
}

func TestWrongCancelKeyDoesNothing(t *testing.T) {
	srv, addr, _ := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable")
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "sleep")
		done <- err
	}()
	waitFor(t, func() bool { return anyWorking(srv) })
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	req, _ := (&pgproto3.CancelRequest{ProcessID: conn.PgConn().PID(), SecretKey: []byte{1, 2, 3, 4}}).Encode(nil)
	nc.Write(req)
	io.ReadAll(nc)
	if len(done) > 0 || !anyWorking(srv) {
		t.Error("a wrong key cancelled", <-done)
	}
	conn.PgConn().CancelRequest(testContext(t))
	<-done
}

func TestManyClients(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{MaxConnections: 20})
	var wg sync.WaitGroup
	for g := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn, err := pgx.Connect(testContext(t), "postgres://u@"+addr+"/d?sslmode=disable")
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close(context.Background())
			for i := range 50 {
				var got int64
				if err := conn.QueryRow(testContext(t), "echo int8", int64(g*1000+i)).Scan(&got); err != nil || got != int64(g*1000+i) {
					t.Error(got, err)
					return
				}
			}
		}()
	}
	wg.Wait()
}

func TestConnectionLimit(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{MaxConnections: 2})
	first := connect(t, addr, "sslmode=disable")
	connect(t, addr, "sslmode=disable")
	if _, err := pgx.Connect(testContext(t), "postgres://u@"+addr+"/d?sslmode=disable"); code(err) != "53300" {
		t.Error(err)
	}
	first.Close(context.Background())
	waitFor(t, func() bool {
		conn, err := pgx.Connect(testContext(t), "postgres://u@"+addr+"/d?sslmode=disable")
		if err == nil {
			conn.Close(context.Background())
		}
		return err == nil
	})
}

func TestTrustStaysOnLoopback(t *testing.T) {
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	srv := newServer(&fakeEngine{}, Config{Logger: quiet()})
	if err := srv.Serve(ln); err == nil || !strings.Contains(err.Error(), "trust") {
		t.Error(err)
	}
}

// TestAuthTimeoutEndsWithStartup: it must not reach into the session.
func TestAuthTimeoutEndsWithStartup(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{AuthTimeout: 200 * time.Millisecond})
	conn := connect(t, addr, "sslmode=disable")
	silent, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	silent.SetReadDeadline(time.Now().Add(10 * time.Second))
	if got, err := io.ReadAll(silent); err != nil || len(got) != 0 {
		t.Error("a silent client:", got, err)
	}
	if _, err := conn.Exec(testContext(t), "do OK"); err != nil {
		t.Error(err)
	}
}

func TestIdleInTransactionTimeout(t *testing.T) {
	_, ln, _ := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "set idle_in_transaction_session_timeout 20ms; begin"})
	if got := c.until("none"); !strings.HasSuffix(got, "ReadyForQuery T\nErrorResponse FATAL 25P03: terminating connection due to idle-in-transaction timeout\nclosed\n") {
		t.Error(got)
	}
}

func TestStatementTimeoutEndsCopyWait(t *testing.T) {
	_, ln, _ := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "set statement_timeout 20ms; copyin"})
	if got := c.until("ReadyForQuery"); !strings.Contains(got, "57014: canceling statement due to statement timeout") {
		t.Error(got)
	}
	c.Send(&pgproto3.Query{String: "do OK"})
	if got := c.until("ReadyForQuery"); got != "CommandComplete OK\nReadyForQuery I\n" {
		t.Error(got)
	}
}
