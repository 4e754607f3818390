package bigtable

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	lro "cloud.google.com/go/longrunning/autogen"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	transport "google.golang.org/api/transport/grpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/saltsql/saltsql/storage"
)

const (
	// maxMessageBytes is the service's limit of a request or response; gRPC's own
	// default is 4 MiB.
	maxMessageBytes = 256 << 20
	// connections is how many there are to the data service: each carries 100 requests
	// at a time, and ends at one front end of the service.
	connections = 10
	// warmTime bounds the first request of a connection.
	warmTime = 10 * time.Second
)

// endpoint is where a service of Bigtable is found, and what a program needs to be allowed
// to use it.
type endpoint struct {
	address, mtls string
	scopes        []string
}

var (
	dataEndpoint = endpoint{"bigtable.UNIVERSE_DOMAIN:443", "bigtable.mtls.googleapis.com:443",
		[]string{"https://www.googleapis.com/auth/bigtable.data"}}
	// Operations that take long are asked after by the scope of the whole platform.
	adminEndpoint = endpoint{"bigtableadmin.UNIVERSE_DOMAIN:443", "bigtableadmin.mtls.googleapis.com:443",
		[]string{"https://www.googleapis.com/auth/bigtable.admin.table", "https://www.googleapis.com/auth/cloud-platform"}}
)

// connect makes connections, which are dialled when they are used.
//
//	data  ── 10 ── bigtable.googleapis.com
//	admin ── 1 ─── bigtableadmin.googleapis.com
//	emulator, or a connection of the caller's: one for both
func (s *Store) connect(ctx context.Context) (err error) {
	opts := s.config.ClientOptions
	if s.config.Emulator != "" {
		conn, err := grpc.NewClient(s.config.Emulator, append(s.dialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
		if err != nil {
			return err
		}
		opts = []option.ClientOption{option.WithGRPCConn(conn)}
	}
	if s.dataConns, err = s.dial(ctx, dataEndpoint, connections, opts); err != nil {
		return err
	}
	if s.adminConns, err = s.dial(ctx, adminEndpoint, 1, opts); err != nil {
		return err
	}
	s.data = bigtablepb.NewBigtableClient(s.dataConns)
	s.tables = adminpb.NewBigtableTableAdminClient(s.adminConns)
	s.operations, err = lro.NewOperationsClient(ctx, transport.WithConnPool(s.adminConns))
	return err
}

// dial gives the connections to one service, n of them where wanted does not say otherwise.
func (s *Store) dial(ctx context.Context, e endpoint, n int, wanted []option.ClientOption) (transport.ConnPool, error) {
	opts := []option.ClientOption{
		internaloption.WithDefaultEndpointTemplate(e.address),
		internaloption.WithDefaultMTLSEndpoint(e.mtls),
		internaloption.WithDefaultUniverseDomain("googleapis.com"),
		option.WithScopes(e.scopes...),
		option.WithUserAgent("saltsql"),
		option.WithGRPCConnectionPool(n),
		internaloption.EnableNewAuthLibrary(),
		internaloption.EnableJwtWithScope(),
	}
	for _, o := range s.dialOptions() {
		opts = append(opts, option.WithGRPCDialOption(o))
	}
	return transport.DialPool(ctx, append(opts, wanted...)...)
}

// dialOptions are those of every connection. gRPC's own backoff of 2 minutes
// would keep a store away for so long after the service is back.
func (s *Store) dialOptions() []grpc.DialOption {
	reconnect := backoff.DefaultConfig
	reconnect.BaseDelay, reconnect.MaxDelay = 100*time.Millisecond, 2*time.Second
	return []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)),
		grpc.WithStatsHandler(&s.requests),
	}
}

func (s *Store) disconnect() error {
	var errs []error
	if s.dataConns != nil {
		errs = append(errs, s.dataConns.Close())
	}
	if s.adminConns != nil && s.adminConns.Conn() != s.dataConns.Conn() {
		errs = append(errs, s.adminConns.Close())
	}
	return errors.Join(errs...)
}

// warm makes a request on each connection to the service, so that it is up, and the instance
// known at its other end, when a statement comes. What fails shows when it is used.
func (s *Store) warm() {
	for range s.dataConns.Num() {
		conn := s.dataConns.Conn() // each time the next one
		c, err := s.begin(s.life, storage.OpOpen, "", warmTime)
		if err != nil {
			return
		}
		go func() {
			defer c.end()
			_ = guard(storage.OpOpen, "", func() error { return s.ping(c, conn) })
		}()
	}
}

// ping makes one request about the instance, which reads nothing.
func (s *Store) ping(ctx context.Context, conn grpc.ClientConnInterface, opts ...grpc.CallOption) error {
	ctx, _ = (&attempts{md: s.header(s.instance, "name", s.instance)}).next(ctx)
	_, err := bigtablepb.NewBigtableClient(conn).PingAndWarm(ctx, &bigtablepb.PingAndWarmRequest{Name: s.instance, AppProfileId: s.config.AppProfile}, opts...)
	return err
}
