package replay

import (
	"net"
	"testing"
)

// Start serves on a loopback port until the test ends.
func Start(t testing.TB) (s *Server, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start the replay server: %v", err)
	}
	s = New()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	return s, l.Addr().String()
}
