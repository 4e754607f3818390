package bigtable

import (
	"context"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	lro "cloud.google.com/go/longrunning/autogen"
	transport "google.golang.org/api/transport/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store on one instance.
type Store struct {
	config   Config
	instance string // projects/P/instances/I
	flow     *flow  // bounds the writes under way

	dataConns, adminConns transport.ConnPool
	data                  bigtablepb.BigtableClient
	tables                adminpb.BigtableTableAdminClient
	operations            *lro.OperationsClient

	requests requestCounters

	// life ends when the store is closed; all calls and scans end with it.
	life    context.Context
	endLife context.CancelFunc

	mu     sync.RWMutex // guards closed against calls that begin
	closed bool
	calls  sync.WaitGroup // calls and scans under way
}

var _ storage.Store = (*Store)(nil)

// Open connects to an instance. It waits for no answer: a missing instance or
// permission shows at the first call.
func Open(ctx context.Context, config Config) (*Store, error) {
	s := &Store{config: config.withDefaults(), flow: newFlow()}
	if s.config.Project == "" || s.config.Instance == "" {
		return nil, storage.Errorf(storage.CodeInvalidArgument, storage.OpOpen, "", "no project or instance is given")
	}
	s.instance = "projects/" + s.config.Project + "/instances/" + s.config.Instance
	s.life, s.endLife = context.WithCancel(context.Background())
	if err := s.connect(ctx); err != nil {
		s.endLife()
		e := storage.Errorf(storage.CodeUnavailable, storage.OpOpen, "", "connect to Bigtable instance %s/%s: %w", s.config.Project, s.config.Instance, err)
		e.Hint = "Set up application default credentials (gcloud auth application-default login), or set " + emulatorEnv + " to use an emulator."
		return nil, errors.Join(e, s.disconnect())
	}
	if s.config.Emulator == "" {
		s.warm()
	}
	return s, nil
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
	return storage.Caps{Name: "bigtable", Clock: true, ScanFanout: 16, MaxKeysPerGet: maxKeysPerRequest}
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table {
	path := s.tablePath(name)
	return &table{s: s, name: name, path: path, md: s.header(path, "table_name", path)}
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
	s          *Store
	name, path string
	md         metadata.MD // of its requests
}

func (t *table) begin(ctx context.Context, op string) (*call, error) {
	return t.s.begin(ctx, op, t.name, t.s.config.Timeout)
}

// Load implements storage.Store: there is none.
func (s *Store) Load(context.Context, string, bool) (storage.Load, error) {
	return nil, storage.Unsupported("bigtable", storage.OpLoad, "loads")
}

// CommitLoads implements storage.Store: there are none.
func (s *Store) CommitLoads(context.Context, []storage.Load, storage.WriteOptions) error {
	return storage.Unsupported("bigtable", storage.OpCommit, "loads")
}

// Compact implements storage.Store: there is nothing to merge.
func (s *Store) Compact(context.Context, string) error {
	return storage.Unsupported("bigtable", storage.OpCompact, "layers of files to merge")
}
