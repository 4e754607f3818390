package wire

import (
	"context"
	"time"
)

// killTime is how long connections have to end once they were told to; then
// their sockets are closed under them.
const killTime = 3 * time.Second

// Shutdown ends the server in good order: it takes no more connections, ends
// those with nothing open by 57P01, and lets the others finish their transaction.
// When ctx ends, it ends what is left as Close does and returns ctx's error.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.beginClose() {
		c.state.drain()
	}
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.kill(done)
		return ctx.Err()
	}
}

// Close ends the server at once: running statements are cancelled, their
// clients get 57P01. It returns when every connection has ended.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Shutdown(ctx)
	return nil
}

// beginClose closes the listeners and gives the connections there are.
func (s *Server) beginClose() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for ln := range s.listeners {
		ln.Close()
	}
	return s.list()
}

func (s *Server) list() []*conn {
	var cs []*conn
	for c := range s.conns {
		cs = append(cs, c)
	}
	return cs
}

func (s *Server) kill(done chan struct{}) {
	s.mu.Lock()
	left := s.list()
	s.mu.Unlock()
	for _, c := range left {
		c.state.doom(errShutdown())
	}
	select {
	case <-done:
		return
	case <-time.After(killTime):
	}
	for _, c := range left {
		c.raw.Close()
	}
	<-done
}
