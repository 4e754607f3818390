package bench

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/wire"
)

// BenchmarkRequest answers pgbench's requests for one row without a socket: the
// processor time and the allocations that are the server's own.
func BenchmarkRequest(b *testing.B) {
	db := openDB(b, b.TempDir())
	load(b, db, "t", 16, pointRows)
	for _, mode := range []string{"prepared", "simple"} {
		b.Run(mode, func(b *testing.B) {
			c := &scriptedConn{b: b, simple: mode == "simple"}
			ln := &oneConn{conn: c, done: make(chan struct{})}
			srv := wire.NewServer(db, wire.Config{Logger: quiet})
			b.ReportAllocs()
			go srv.Serve(ln)
			<-ln.done
			if err := srv.Shutdown(context.Background()); err != nil {
				b.Fatal(err)
			}
			if c.rows != b.N {
				b.Fatalf("%d rows for %d requests", c.rows, b.N)
			}
		})
	}
}

// scriptedConn is a client that sends a start-up packet, a Parse, b.N requests and
// the end, each when the server reads again.
type scriptedConn struct {
	b      *testing.B
	simple bool
	step   int
	text   []byte
	rows   int
}

const pointQuery = "SELECT n, v FROM t WHERE k = "

func (c *scriptedConn) Read(p []byte) (int, error) {
	c.step++
	c.text = c.text[:0]
	switch n := c.step - 3; {
	case n == -2:
		c.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "bench"}})
	case n == -1:
		c.send(&pgproto3.Parse{Name: "P_0", Query: pointQuery + "$1"})
		c.send(&pgproto3.Sync{})
	case n == c.b.N:
		c.b.StopTimer()
		return 0, io.EOF
	default:
		if n == 0 {
			c.rows = 0
			c.b.ResetTimer()
		}
		c.request(key(n))
	}
	return copy(p, c.text), nil
}

func (c *scriptedConn) send(m pgproto3.FrontendMessage) {
	var err error
	if c.text, err = m.Encode(c.text); err != nil {
		c.b.Error(err)
	}
}

// request asks for one row without allocating.
func (c *scriptedConn) request(k int) {
	if c.simple {
		at := c.begin('Q')
		c.text = append(c.text, pointQuery...)
		c.text = strconv.AppendInt(c.text, int64(k), 10)
		c.end(append(c.text, ';', 0), at)
		return
	}
	at := c.begin('B')
	c.text = append(c.text, "\x00P_0\x00\x00\x00\x00\x01\x00\x00\x00\x00"...) // one parameter, in text
	size := len(c.text)
	c.text = strconv.AppendInt(c.text, int64(k), 10)
	binary.BigEndian.PutUint32(c.text[size-4:], uint32(len(c.text)-size))
	c.end(append(c.text, 0, 1, 0, 0), at) // results in text
	at = c.begin('D')
	c.end(append(c.text, 'P', 0), at)
	at = c.begin('E')
	c.end(append(c.text, 0, 0, 0, 0, 0), at)
	at = c.begin('S')
	c.end(c.text, at)
}

func (c *scriptedConn) begin(typ byte) int {
	c.text = append(c.text, typ, 0, 0, 0, 0)
	return len(c.text) - 4
}

func (c *scriptedConn) end(text []byte, at int) {
	binary.BigEndian.PutUint32(text[at:], uint32(len(text)-at))
	c.text = text
}

// Write counts the answers' DataRow messages.
func (c *scriptedConn) Write(p []byte) (int, error) {
	for at := 0; len(p)-at >= 5; at += 1 + int(binary.BigEndian.Uint32(p[at+1:])) {
		if p[at] == 'D' {
			c.rows++
		}
	}
	return len(p), nil
}

func (c *scriptedConn) Close() error                     { return nil }
func (c *scriptedConn) LocalAddr() net.Addr              { return &net.UnixAddr{Net: "unix"} }
func (c *scriptedConn) RemoteAddr() net.Addr             { return &net.UnixAddr{Net: "unix"} }
func (c *scriptedConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }

// oneConn is a listener with one client.
type oneConn struct {
	conn net.Conn
	done chan struct{} // closed when the client has been served
	took bool
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.took {
		<-l.done
		return nil, net.ErrClosed
	}
	l.took = true
	return closeTold{l.conn, l.done}, nil
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// closeTold tells of its end.
type closeTold struct {
	net.Conn
	done chan struct{}
}

func (c closeTold) Close() error {
	close(c.done)
	return c.Conn.Close()
}
