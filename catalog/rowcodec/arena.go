package rowcodec

import "github.com/saltsql/saltsql/internal/poison"

// arena hands out byte slices that live until reset. What it handed out before it
// grew stays valid: the old chunk is left to the collector.
type arena struct{ buf []byte }

func (a *arena) reset() {
	poison.Bytes(a.buf)
	a.buf = a.buf[:0]
}

// take gives n bytes of any content.
func (a *arena) take(n int) []byte {
	if cap(a.buf)-len(a.buf) < n {
		a.buf = make([]byte, 0, max(1024, 2*cap(a.buf), n))
	}
	lo := len(a.buf)
	a.buf = a.buf[:lo+n]
	return a.buf[lo : lo+n : lo+n]
}

// room makes space for n more bytes and gives the empty tail to append to; keep
// ends that.
func (a *arena) room(n int) []byte {
	if cap(a.buf)-len(a.buf) < n {
		a.buf = make([]byte, 0, max(1024, 2*cap(a.buf), n))
	}
	return a.buf[len(a.buf):]
}

// keep takes over b, which was appended to what room gave, and returns it.
func (a *arena) keep(b []byte) []byte {
	if n := len(a.buf); cap(a.buf)-n >= len(b) && len(b) > 0 && &a.buf[:n+1][n] == &b[0] {
		a.buf = a.buf[:n+len(b)]
	}
	return b[:len(b):len(b)]
}
