package bench

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/wire"
)

// BenchmarkRequest answers pgbench's requests for one row without a socket: the
// processor time and the allocations that are the server's own.
func BenchmarkRequest(b *testing.B) {
	db := openDB(b, b.TempDir())
	load(b, db, "t", 16, pointRows)
	for _, mode := range []string{"prepared", "simple"} {
		b.Run(mode, func(b *testing.B) {
			b.ReportAllocs()
			serveScript(b, db, &scriptedConn{simple: mode == "simple", requests: b.N, reached: func(n int) {
				switch n {
				case 0:
					b.ResetTimer()
				case b.N:
					b.StopTimer()
				}
			}})
		})
	}
}

// TestRequestAllocations asserts what a request for one row may allocate, from the
// message's bytes to those of the answer: the portal, and the parameter's text.
func TestRequestAllocations(t *testing.T) {
	db := openDB(t, t.TempDir())
	load(t, db, "t", 16, 1000)
	const warm, requests = 1000, 3000
	for _, mode := range []struct {
		name string
		most float64
	}{{"prepared", 2}, {"simple", 11}} {
		var before, after runtime.MemStats
		serveScript(t, db, &scriptedConn{simple: mode.name == "simple", requests: requests, keys: 1000, reached: func(n int) {
			switch n {
			case warm:
				runtime.ReadMemStats(&before)
			case requests:
				runtime.ReadMemStats(&after)
			}
		}})
		// The store's own goroutines make some.
		if got := float64(after.Mallocs-before.Mallocs) / (requests - warm); got > mode.most+0.1 {
			t.Errorf("%s: %.2f allocations a request, more than %v", mode.name, got, mode.most)
		}
	}
}

// serveScript lets a server of db answer c.
func serveScript(t testing.TB, db *saltsql.DB, c *scriptedConn) {
	ln := &oneConn{conn: c, done: make(chan struct{})}
	srv := wire.NewServer(db, wire.Config{Logger: quiet})
	go srv.Serve(ln)
	<-ln.done
	if err := srv.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if c.rows != c.requests {
		t.Fatalf("%d rows for %d requests", c.rows, c.requests)
	}
}

// scriptedConn is a client that sends a start-up packet, a Parse, requests and
// the end, each when the server reads again.
type scriptedConn struct {
	simple   bool
	options  string // of the start-up packet
	requests int
	keys     int            // of the table; 0 is pointRows
	reached  func(step int) // called before each request and after the last
	step     int
	text     []byte
	rows     int
}

const pointQuery = "SELECT n, v FROM t WHERE k = "

func (c *scriptedConn) Read(p []byte) (int, error) {
	c.step++
	c.text = c.text[:0]
	switch n := c.step - 3; {
	case n == -2:
		c.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "bench", "options": c.options}})
	case n == -1:
		c.send(&pgproto3.Parse{Name: "P_0", Query: pointQuery + "$1"})
		c.send(&pgproto3.Sync{})
	case n == c.requests:
		c.reached(n)
		return 0, io.EOF
	default:
		c.reached(n)
		k := key(n)
		if c.keys > 0 {
			k %= c.keys
		}
		c.request(k)
	}
	return copy(p, c.text), nil
}

func (c *scriptedConn) send(m pgproto3.FrontendMessage) {
	c.text, _ = m.Encode(c.text) // fails for giants only
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
