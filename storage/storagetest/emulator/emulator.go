package emulator

import (
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
	opts = append([]grpc.ServerOption{grpc.MaxRecvMsgSize(MaxMessageBytes), grpc.MaxSendMsgSize(MaxMessageBytes)}, opts...)
	srv, err := bttest.NewServer("127.0.0.1:0", opts...)
	if err != nil {
		t.Fatalf("start the Bigtable emulator: %v", err)
	}
	t.Cleanup(srv.Close)
	return srv.Addr
}
