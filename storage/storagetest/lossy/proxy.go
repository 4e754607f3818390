package lossy

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Faults say how often what happens, to pieces of what goes through (a request
// or an answer is a few). 0 is never.
type Faults struct {
	Seed  uint64
	Lose  int           // one of so many pieces of answers is lost, and the connection is reset
	Late  int           // one of so many pieces of requests arrives when the client's side has been reset
	Drop  int           // one of so many pieces of requests is lost, and the connection is reset
	Delay int           // one of so many pieces, of either, waits
	Wait  time.Duration // at most, of what is delayed or late
}

// Proxy is one way to one server.
type Proxy struct {
	Addr   string // to connect to
	server func() (net.Conn, error)

	mu     sync.Mutex
	faults Faults
	rng    *rand.Rand
	counts Counts
	conns  map[net.Conn]struct{}
	closed bool
	wg     sync.WaitGroup
}

// Counts is what a Proxy has done.
type Counts struct {
	Conns, Lost, Late, Dropped, Delayed int
}

// Start runs a proxy to a server's address until the test ends.
func Start(t testing.TB, server string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return Between(t, l, func() (net.Conn, error) { return net.Dial("tcp", server) })
}

// Between is Start on any network: a connection to l is carried to one that server gives.
func Between(t testing.TB, l net.Listener, server func() (net.Conn, error)) *Proxy {
	p := &Proxy{Addr: l.Addr().String(), server: server, conns: map[net.Conn]struct{}{}}
	p.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.carry(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.closed = true
		for c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

// Set changes what happens from now on.
func (p *Proxy) Set(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.rng = f, rand.New(rand.NewPCG(f.Seed, 1))
}

// Counts gives what has happened since Start.
func (p *Proxy) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// own keeps a connection to be closed at the end; false where that was.
func (p *Proxy) own(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *Proxy) disown(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// carry takes a client's connection to the server.
func (p *Proxy) carry(client net.Conn) {
	if !p.own(client) {
		return
	}
	defer p.disown(client)
	server, err := p.server()
	if err != nil || !p.own(server) {
		return
	}
	p.mu.Lock()
	p.counts.Conns++
	p.mu.Unlock()
	done := make(chan struct{})
	p.wg.Go(func() {
		defer close(done)
		p.answers(client, server)
	})
	p.requests(client, server)
	<-done
	p.disown(server)
}

// fate is what becomes of a piece.
type fate struct {
	lose, late, drop bool
	wait             time.Duration
}

func (p *Proxy) fate(answer bool) (f fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rng == nil {
		return f
	}
	one := func(n int) bool { return n > 0 && p.rng.IntN(n) == 0 }
	if answer {
		f.lose = one(p.faults.Lose)
	} else {
		f.late = one(p.faults.Late)
		f.drop = one(p.faults.Drop)
	}
	if f.late || one(p.faults.Delay) {
		f.wait = time.Duration(p.rng.Int64N(int64(p.faults.Wait) + 1))
	}
	switch {
	case f.lose:
		p.counts.Lost++
	case f.late:
		p.counts.Late++
	case f.drop:
		p.counts.Dropped++
	case f.wait > 0:
		p.counts.Delayed++
	}
	return f
}

func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // what cannot be reset is closed
	}
	c.Close()
}

func (p *Proxy) requests(client, server net.Conn) {
	defer halfClose(server)
	b := make([]byte, 64<<10)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		f := p.fate(false)
		if f.late || f.drop {
			reset(client)
		}
		time.Sleep(f.wait)
		if f.drop {
			return
		}
		if _, err := server.Write(b[:n]); err != nil {
			reset(client)
			return
		}
		if f.late { // time to be done, on a connection that nobody else knows
			time.Sleep(50 * time.Millisecond)
			return
		}
	}
}

// halfClose ends the requests of a server that may still be answering.
func halfClose(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // it has gone already
		return
	}
	c.Close() // the server ends what it is doing, and is not heard
}

func (p *Proxy) answers(client, server net.Conn) {
	b := make([]byte, 64<<10)
	for {
		n, err := server.Read(b)
		if err == io.EOF {
			client.Close()
			return
		}
		if err != nil {
			reset(client)
			return
		}
		f := p.fate(true)
		time.Sleep(f.wait)
		if f.lose {
			reset(client)
		} else {
			_, _ = client.Write(b[:n]) // a client that has gone still lets the server finish
		}
	}
}
