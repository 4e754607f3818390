package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
			rows, err := conn.Query(testContext(t), rowsSQL(2000))
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
			err = conn.QueryRow(testContext(t), "select $1::int8, $2::text, $3::bool", int64(1)<<40, "é", nil).Scan(&a, &b, &c)
			if err != nil || a != 1<<40 || b != "é" || c != nil {
				t.Fatal(a, b, c, err)
			}
		})
	}
}

func TestPgxBatchStopsAtFirstError(t *testing.T) {
	_, addr, db := tcpServer(t, Config{})
	db.run(t, "create table k (k int primary key)", "insert into k values (1)")
	conn := connect(t, addr, "sslmode=disable")
	var b pgx.Batch
	b.Queue("insert into k values (2)")
	b.Queue("insert into k values (1)")
	b.Queue("insert into k values (3)")
	res := conn.SendBatch(testContext(t), &b)
	if tag, err := res.Exec(); err != nil || tag.String() != "INSERT 0 1" {
		t.Error(tag, err)
	}
	for range 2 {
		if _, err := res.Exec(); code(err) != "23505" {
			t.Error(err)
		}
	}
	res.Close()
	if tag, err := conn.Exec(testContext(t), okSQL); err != nil || tag.String() != "RESET" {
		t.Error(tag, err)
	}
	if got := db.column(t, "select k::text from k"); len(got) != 1 {
		t.Error("the batch has left", got)
	}
}

func TestPgxCopy(t *testing.T) {
	_, addr, db := tcpServer(t, Config{})
	db.run(t, "create table c (x int primary key, y text)")
	conn := connect(t, addr, "sslmode=disable").PgConn()
	var text strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&text, "%d\tline %d\n", i, i)
	}
	tag, err := conn.CopyFrom(testContext(t), strings.NewReader(text.String()), "copy c from stdin")
	if err != nil || tag.RowsAffected() != 50000 {
		t.Fatal(tag, err)
	}
	if got := db.column(t, "select y from c where x = 49999"); !slices.Equal(got, []string{"line 49999"}) {
		t.Error(got)
	}
	var out strings.Builder
	if tag, err = conn.CopyTo(testContext(t), &out, "copy ("+rowsSQL(10000)+") to stdout (format csv)"); err != nil || tag.RowsAffected() != 10000 {
		t.Fatal(tag, err)
	}
	if got := strings.Count(out.String(), "\n"); got != 10000 {
		t.Error(got)
	}
	// What the server prints it reads.
	for _, format := range []string{"text", "csv", "binary"} {
		db.run(t, "truncate c")
		out.Reset()
		if _, err = conn.CopyTo(testContext(t), &out, "copy ("+rowsSQL(2500)+") to stdout (format "+format+")"); err != nil {
			t.Fatal(err)
		}
		if tag, err = conn.CopyFrom(testContext(t), strings.NewReader(out.String()), "copy c from stdin (format "+format+")"); err != nil || tag.RowsAffected() != 2500 {
			t.Fatal(format, tag, err)
		}
		if got := db.column(t, "select x::text from c where x between 2497 and 2500 and y is null"); !slices.Equal(got, []string{"2499"}) {
			t.Error(format, got)
		}
	}
	db.run(t, "truncate c")
	text.Reset()
	for i := range 69999 {
		fmt.Fprintf(&text, "%d\ta\n", i)
	}
	text.WriteString("oops\tb\n")
	_, err = conn.CopyFrom(testContext(t), strings.NewReader(text.String()), "copy c from stdin")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "22P02" || e.Where != `COPY c, line 70000, column x: "oops"` {
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
				_, err := conn.Exec(context.Background(), sleepSQL)
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
			if _, err := conn.Exec(testContext(t), okSQL); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCancelWhileWaitingForCopyData(t *testing.T) {
	srv, ln, db := testServer(t, Config{})
	db.run(t, "create table c (x int primary key, y text)")
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "copy c from stdin"})
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
	c.Send(&pgproto3.Query{String: okSQL})
	if got := c.until("ReadyForQuery"); got != "CommandComplete RESET\nReadyForQuery I\n" {
		t.Error(got)
	}
	if got := db.column(t, "select y from c"); len(got) != 0 {
		t.Error(got)
	}
}

func TestWrongCancelKeyDoesNothing(t *testing.T) {
	_, addr, db := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable")
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), sleepSQL)
		done <- err
	}()
	waitFor(t, db.working)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	req, _ := (&pgproto3.CancelRequest{ProcessID: conn.PgConn().PID(), SecretKey: []byte{1, 2, 3, 4}}).Encode(nil)
	nc.Write(req)
	io.ReadAll(nc)
	if len(done) > 0 || !db.working() {
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
				if err := conn.QueryRow(testContext(t), "select $1::int8", int64(g*1000+i)).Scan(&got); err != nil || got != int64(g*1000+i) {
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
	srv := NewServer(openDB(t).DB, Config{Logger: quiet()})
	if err := srv.Serve(ln); err == nil || !strings.Contains(err.Error(), "trust") {
		t.Error(err)
	}
}

// TestAuthTimeoutEndsWithStartup: it must not reach into the session.
func TestAuthTimeoutEndsWithStartup(t *testing.T) {
	withinAuthTimeout(t, Config{}, func(addr string) bool {
		conn, err := pgx.Connect(testContext(t), "postgres://u@"+addr+"/d?sslmode=disable")
		if err != nil {
			return false
		}
		defer conn.Close(context.Background())
		silent, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		silent.SetReadDeadline(time.Now().Add(patience))
		if got, err := io.ReadAll(silent); err != nil || len(got) != 0 {
			t.Error("a silent client:", got, err)
		}
		if _, err := conn.Exec(testContext(t), okSQL); err != nil {
			t.Error(err)
		}
		return true
	})
}

// withinAuthTimeout tries servers with longer and longer AuthTimeouts, until one leaves the
// machine the time to do what the test does before it.
func withinAuthTimeout(t *testing.T, cfg Config, try func(addr string) bool) {
	t.Helper()
	for cfg.AuthTimeout = 20 * time.Millisecond; cfg.AuthTimeout < patience; cfg.AuthTimeout *= 4 {
		_, addr, _ := tcpServer(t, cfg)
		if try(addr) {
			return
		}
	}
	t.Error("a client is not let in before its time to introduce itself is over")
}

func TestIdleInTransactionTimeout(t *testing.T) {
	_, ln, _ := testServer(t, Config{})
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "set idle_in_transaction_session_timeout = '20ms'"})
	c.until("ReadyForQuery")
	c.Send(&pgproto3.Query{String: "begin"})
	if got := c.until("none"); !strings.HasSuffix(got, "ReadyForQuery T\nErrorResponse FATAL 25P03: terminating connection due to idle-in-transaction timeout\nclosed\n") {
		t.Error(got)
	}
}

func TestStatementTimeoutEndsCopyWait(t *testing.T) {
	_, ln, db := testServer(t, Config{})
	db.run(t, "create table c (x int primary key, y text)")
	c := newClient(t, ln.dial())
	c.start(nil)
	c.Send(&pgproto3.Query{String: "begin; set local statement_timeout = '20ms'"})
	c.until("ReadyForQuery")
	c.Send(&pgproto3.Query{String: "copy c from stdin"})
	if got := c.until("ReadyForQuery"); !strings.Contains(got, "57014: canceling statement due to statement timeout") {
		t.Error(got)
	}
	c.Send(&pgproto3.Query{String: "rollback"})
	if got := c.until("ReadyForQuery"); got != "CommandComplete ROLLBACK\nReadyForQuery I\n" {
		t.Error(got)
	}
}
