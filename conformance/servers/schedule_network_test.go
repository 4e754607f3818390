package servers

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/lossy"
)

// The network of a schedule is in memory: who waits for a socket of the machine keeps the time of
// testing/synctest from going on.
//
//	member ── way of its own (lossy.Proxy: every piece takes a part of scheduledWay) ── emulator
const (
	wireBytes    = 1 << 20              // of a connection, that nobody has read
	scheduledWay = 2 * time.Millisecond // at most, of a piece of a request or an answer
)

// openOver opens a member that reaches the store by a way of its own.
func openOver(t *testing.T, store *bufconn.Listener, seed uint64, lease time.Duration) (*member, *lossy.Proxy) {
	t.Helper()
	way := bufconn.Listen(wireBytes)
	p := lossy.Between(t, way, store.Dial)
	p.Set(lossy.Faults{Seed: seed, Delay: 1, Wait: scheduledWay})
	conn, err := grpc.NewClient("passthrough:///store", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return way.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	return openMemberOf(t, bigtable.Config{ClientOptions: []option.ClientOption{option.WithGRPCConn(conn)}}, lease), p
}
