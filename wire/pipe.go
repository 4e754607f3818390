package wire

import (
	"context"
	"net"
)

// Dial connects a client of this process to the server, without a socket. It fits where
// drivers take a dial function, and what they want to dial does not matter:
//
//	config.DialFunc = server.Dial // of a pgconn.Config
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.isClosing() {
		return nil, ErrServerClosed
	}
	client, server := net.Pipe()
	s.start(server)
	return client, nil
}
