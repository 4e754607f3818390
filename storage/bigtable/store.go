package bigtable

import (
	"context"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/saltsql/saltsql/storage"
)

// maxMessageBytes is the service's limit of a request or response; gRPC's own
// default is 4 MiB.
const maxMessageBytes = 256 << 20

// Store implements storage.Store on one instance.
type Store struct {
	config Config
	client *bigtable.Client
	admin  *bigtable.AdminClient
	conn   *grpc.ClientConn // to an emulator; nil with the service
	flow   *flow            // bounds the writes under way

	requests requestCounters

	// life ends when the store is closed; all calls and scans end with it.
	life    context.Context
	endLife context.CancelFunc

	mu     sync.RWMutex // guards closed against calls that begin
	closed bool
	calls  sync.WaitGroup // calls and scans under way
}

var _ storage.Store = (*Store)(nil)

// Open connects to an instance. It makes no request: a missing instance or
// permission shows at the first call.
func Open(ctx context.Context, config Config) (*Store, error) {
	s := &Store{config: config.withDefaults(), flow: newFlow()}
	if s.config.Project == "" || s.config.Instance == "" {
		return nil, storage.Errorf(storage.CodeInvalidArgument, storage.OpOpen, "", "no project or instance is given")
	}
	s.life, s.endLife = context.WithCancel(context.Background())
	if err := s.connect(ctx); err != nil {
		s.endLife()
		e := storage.Errorf(storage.CodeUnavailable, storage.OpOpen, "", "connect to Bigtable instance %s/%s: %w", s.config.Project, s.config.Instance, err)
		e.Hint = "Set up application default credentials (gcloud auth application-default login), or set " + emulatorEnv + " to use an emulator."
		return nil, errors.Join(e, s.disconnect())
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context) (err error) {
	cc := bigtable.ClientConfig{AppProfile: s.config.AppProfile, DisableSession: true}
	opts := []option.ClientOption{option.WithUserAgent("saltsql")}
	for _, o := range s.dialOptions() {
		opts = append(opts, option.WithGRPCDialOption(o))
	}
	opts = append(opts, s.config.ClientOptions...)
	if s.config.Emulator != "" {
		// The client's own way to an emulator cannot raise the message limit.
		cc.MetricsProvider = bigtable.NoopMetricsProvider{}
		s.conn, err = grpc.NewClient(s.config.Emulator, append(s.dialOptions(),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)))...)
		if err != nil {
			return err
		}
		opts = []option.ClientOption{option.WithGRPCConn(s.conn)}
	}
	if s.client, err = bigtable.NewClientWithConfig(ctx, s.config.Project, s.config.Instance, cc, opts...); err != nil {
		return err
	}
	s.admin, err = bigtable.NewAdminClient(ctx, s.config.Project, s.config.Instance, opts...)
	return err
}

// dialOptions are those of every connection. gRPC's own backoff of 2 minutes
// would keep a store away for so long after the service is back.
func (s *Store) dialOptions() []grpc.DialOption {
	reconnect := backoff.DefaultConfig
	reconnect.BaseDelay, reconnect.MaxDelay = 100*time.Millisecond, 2*time.Second
	return []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: 5 * time.Second}),
		grpc.WithStatsHandler(sentHandler{}),
		grpc.WithStatsHandler(&s.requests),
		grpc.WithChainUnaryInterceptor(writeUnary),
		grpc.WithChainStreamInterceptor(interceptReads, writeStream),
	}
}

func (s *Store) disconnect() error {
	var errs []error
	if s.admin != nil {
		errs = append(errs, s.admin.Close())
	}
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	if s.conn != nil {
		s.conn.Close() // both clients have closed it: an error says so
		errs = nil
	}
	return errors.Join(errs...)
}

// Close implements storage.Store. Calls and scans under way are canceled.
func (s *Store) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was {
		return nil
	}
	s.endLife()
	s.calls.Wait()
	if err := s.disconnect(); err != nil {
		return &storage.Error{Op: storage.OpClose, Cause: err}
	}
	return nil
}

// call is one request, or a scan, under way.
type call struct {
	context.Context // ends with the caller's, with the store, and by the deadline
	s               *Store
	caller          context.Context
	op, table       string
	cancel          context.CancelFunc
	unhook          func() bool
}

// begin starts a call with a deadline; 0 is none. Who gets no error must call
// end.
func (s *Store) begin(ctx context.Context, op, table string, timeout time.Duration) (*call, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed(op, table)
	}
	if err := ctx.Err(); err != nil {
		return nil, storage.CtxError(op, table, err)
	}
	c := &call{s: s, caller: ctx, op: op, table: table}
	if timeout > 0 {
		c.Context, c.cancel = context.WithTimeout(ctx, timeout)
	} else {
		c.Context, c.cancel = context.WithCancel(ctx)
	}
	c.unhook = context.AfterFunc(s.life, c.cancel)
	s.calls.Add(1)
	return c, nil
}

func (c *call) end() {
	c.unhook()
	c.cancel()
	c.s.calls.Done()
}

// Caps implements storage.Store.
func (s *Store) Caps() storage.Caps {
	return storage.Caps{Name: "bigtable", ScanFanout: 16, MaxKeysPerGet: maxKeysPerRequest}
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table {
	return &table{s: s, name: name, t: s.client.Open(name)}
}

// Snapshot implements storage.Store: the service has none.
func (s *Store) Snapshot(context.Context) (storage.Snapshot, error) {
	return nil, storage.Unsupported("bigtable", storage.OpSnapshot, "snapshots")
}

// Batch implements storage.Store: the service writes single rows atomically.
func (s *Store) Batch() (storage.Batch, error) {
	return nil, storage.Unsupported("bigtable", storage.OpBatch, "atomic writes of several rows")
}

// table implements storage.Table.
type table struct {
	s    *Store
	name string
	t    *bigtable.Table
}

func (t *table) begin(ctx context.Context, op string) (*call, error) {
	return t.s.begin(ctx, op, t.name, t.s.config.Timeout)
}
