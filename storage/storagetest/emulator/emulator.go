package emulator

import (
	"net"
	"testing"

	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/grpc"
)

// MaxMessageBytes is the service's limit of a request or response.
const MaxMessageBytes = 256 << 20

// Start runs an empty emulator until the test ends and gives its address, fit
// for BIGTABLE_EMULATOR_HOST. Any project and instance exist on it. opts are
// more server options, such as interceptors.
func Start(t testing.TB, opts ...grpc.ServerOption) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start the Bigtable emulator: %v", err)
	}
	Serve(t, l, opts...)
	return l.Addr().String()
}

// Serve is Start for those who connect to l, which it closes.
func Serve(t testing.TB, l net.Listener, opts ...grpc.ServerOption) {
	t.Helper()
	opts = append([]grpc.ServerOption{grpc.MaxRecvMsgSize(MaxMessageBytes), grpc.MaxSendMsgSize(MaxMessageBytes)}, opts...)
	srv, err := bttest.NewServerWithListener(l, opts...)
	if err != nil {
		t.Fatalf("start the Bigtable emulator: %v", err)
	}
	t.Cleanup(func() {
		l.Close()
		srv.Close()
	})
}
