package replay

import (
	"bytes"
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Table is what a server has under a name.
type Table struct {
	Rows    []Row // ascending by key
	Options Options
	// Breaks are the numbers of pieces after which the first, second, … stream
	// breaks with UNAVAILABLE. A stream that is shorter breaks at its end.
	// Streams after these do not break.
	Breaks []int
	// Raw, where set, are the messages of every stream, whatever is asked for.
	Raw [][]byte
	// Stall makes each stream wait for its cancelation after what it has sent.
	Stall bool
}

// Server serves tables. It has no other calls than ReadRows.
type Server struct {
	bigtablepb.UnimplementedBigtableServer
	grpc *grpc.Server

	mu       sync.Mutex
	tables   map[string]*Table
	requests map[string][]*bigtablepb.ReadRowsRequest
	active   int
}

// New makes a server; Serve starts it.
func New(opts ...grpc.ServerOption) *Server {
	s := &Server{tables: map[string]*Table{}, requests: map[string][]*bigtablepb.ReadRowsRequest{}}
	s.grpc = grpc.NewServer(append(opts, grpc.ForceServerCodecV2(codec{}))...)
	bigtablepb.RegisterBigtableServer(s.grpc, s)
	return s
}

// Serve serves until Stop.
func (s *Server) Serve(l net.Listener) error { return s.grpc.Serve(l) }

// Stop ends all streams.
func (s *Server) Stop() { s.grpc.Stop() }

// SetTable makes or replaces a table.
func (s *Server) SetTable(name string, t Table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[name] = &t
	s.requests[name] = nil
}

// Requests gives the requests that a table has had since SetTable.
func (s *Server) Requests(name string) []*bigtablepb.ReadRowsRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests[name])
}

// Active is the number of streams under way.
func (s *Server) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// PingAndWarm implements bigtablepb.BigtableServer.
func (s *Server) PingAndWarm(context.Context, *bigtablepb.PingAndWarmRequest) (*bigtablepb.PingAndWarmResponse, error) {
	return &bigtablepb.PingAndWarmResponse{}, nil
}

// ReadRows implements bigtablepb.BigtableServer.
func (s *Server) ReadRows(req *bigtablepb.ReadRowsRequest, stream bigtablepb.Bigtable_ReadRowsServer) error {
	name := req.TableName[strings.LastIndexByte(req.TableName, '/')+1:]
	s.mu.Lock()
	t := s.tables[name]
	attempt := len(s.requests[name])
	s.requests[name] = append(s.requests[name], req)
	s.active++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.active--
		s.mu.Unlock()
	}()
	if t == nil {
		return status.Errorf(codes.NotFound, "no table %s", name)
	}
	send := t.Raw
	broken := attempt < len(t.Breaks)
	if send == nil {
		ps := pieces(selectRows(t.Rows, req), t.Options)
		if broken {
			ps = ps[:min(t.Breaks[attempt], len(ps))]
		}
		send = messages(ps, t.Options)
	}
	for _, m := range send {
		if err := stream.SendMsg(message(m)); err != nil {
			return err
		}
	}
	if t.Stall {
		<-stream.Context().Done()
		return stream.Context().Err()
	}
	if broken {
		st, err := status.New(codes.Unavailable, "the tablet has moved").WithDetails(
			&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
		if err != nil {
			return err
		}
		return st.Err()
	}
	return nil
}

// selectRows gives the rows of a request in the order of reading.
func selectRows(rows []Row, req *bigtablepb.ReadRowsRequest) []Row {
	var out []Row
	for i := range rows {
		if wanted(rows[i].Key, req.Rows) {
			out = append(out, rows[i])
		}
	}
	if req.Reversed {
		slices.Reverse(out)
	}
	if n := req.RowsLimit; n > 0 && int64(len(out)) > n {
		out = out[:n]
	}
	return out
}

func wanted(key []byte, set *bigtablepb.RowSet) bool {
	if len(set.GetRowKeys()) == 0 && len(set.GetRowRanges()) == 0 {
		return true
	}
	for _, k := range set.RowKeys {
		if bytes.Equal(k, key) {
			return true
		}
	}
	for _, r := range set.RowRanges {
		after, before := true, true
		switch b := r.StartKey.(type) {
		case *bigtablepb.RowRange_StartKeyClosed:
			after = bytes.Compare(key, b.StartKeyClosed) >= 0
		case *bigtablepb.RowRange_StartKeyOpen:
			after = bytes.Compare(key, b.StartKeyOpen) > 0
		}
		switch b := r.EndKey.(type) {
		case *bigtablepb.RowRange_EndKeyClosed:
			before = len(b.EndKeyClosed) == 0 || bytes.Compare(key, b.EndKeyClosed) <= 0
		case *bigtablepb.RowRange_EndKeyOpen:
			before = len(b.EndKeyOpen) == 0 || bytes.Compare(key, b.EndKeyOpen) < 0
		}
		if after && before {
			return true
		}
	}
	return false
}

// message is an encoded response.
type message []byte

// codec sends messages as they are.
type codec struct{}

func (codec) Name() string { return proto.Name }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(message); ok {
		return mem.BufferSlice{mem.SliceBuffer(m)}, nil
	}
	return encoding.GetCodecV2(proto.Name).Marshal(v)
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	return encoding.GetCodecV2(proto.Name).Unmarshal(data, v)
}
