package bigtable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/saltsql/saltsql/storage"
)

// service plays the parts of the service that the emulator has not: it fails
// requests before or after the emulator has done them, and keeps what it saw.
type service struct {
	mu     sync.Mutex
	unary  func(method string, after bool) error
	stream func(method string, sent int) error
	seen   []proto.Message
}

func (s *service) options() []grpc.ServerOption {
	unary := func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if err := s.fail(info.FullMethod, false); err != nil {
			return nil, err
		}
		resp, err := next(ctx, req)
		if err == nil {
			err = s.fail(info.FullMethod, true)
		}
		return resp, err
	}
	stream := func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		return next(srv, &serviceStream{ss, s, info.FullMethod, 0})
	}
	return []grpc.ServerOption{grpc.UnaryInterceptor(unary), grpc.StreamInterceptor(stream)}
}

func (s *service) fail(method string, after bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unary == nil {
		return nil
	}
	return s.unary(method[strings.LastIndex(method, "/")+1:], after)
}

func (s *service) requests() []proto.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

type serviceStream struct {
	grpc.ServerStream
	s      *service
	method string
	sent   int
}

func (ss *serviceStream) RecvMsg(m any) error {
	err := ss.ServerStream.RecvMsg(m)
	ss.s.mu.Lock()
	defer ss.s.mu.Unlock()
	if err == nil {
		ss.s.seen = append(ss.s.seen, proto.Clone(m.(proto.Message)))
	}
	return err
}

func (ss *serviceStream) SendMsg(m any) error {
	ss.s.mu.Lock()
	var err error
	if ss.s.stream != nil {
		err = ss.s.stream(ss.method[strings.LastIndex(ss.method, "/")+1:], ss.sent)
	}
	ss.s.mu.Unlock()
	if err != nil {
		return err
	}
	ss.sent++
	return ss.ServerStream.SendMsg(m)
}

func put(key, qual, value string) storage.RowMutation {
	return storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: "f", Qualifier: []byte(qual), Timestamp: 1000, Value: []byte(value)}}}
}

func openService(t *testing.T, config Config) (*service, *Store, storage.Table) {
	t.Helper()
	svc := &service{}
	s := openEmulator(t, config, svc.options()...)
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	return svc, s, s.Table("t")
}

func fill(t *testing.T, tb storage.Table, n int) {
	t.Helper()
	var rows []storage.RowMutation
	for i := range n {
		rows = append(rows, put(fmt.Sprintf("k%05d", i), "q", fmt.Sprint(i)))
	}
	if err := tb.Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func keysOf(t *testing.T, tb storage.Table, req storage.ScanRequest) []string {
	t.Helper()
	sc, err := tb.Scan(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var keys []string
	var b storage.RowBatch
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			keys = append(keys, string(b.Key(i)))
		}
	}
}

// A stream that breaks goes on after the last row, forward and reverse, and
// the limit stays exact.
func TestScanResumes(t *testing.T) {
	svc, _, tb := openService(t, Config{})
	fill(t, tb, 60)
	for _, reverse := range []bool{false, true} {
		for _, limit := range []int64{0, 25} {
			breaks := 3
			svc.mu.Lock()
			svc.stream = func(method string, sent int) error {
				if method == "ReadRows" && sent == 7 && breaks > 0 {
					breaks--
					return status.Error(codes.Unavailable, "a tablet moved")
				}
				return nil
			}
			svc.mu.Unlock()
			keys := keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{Start: []byte("k00000"), End: []byte("k00030")}, {Start: []byte("k00030")}}, Reverse: reverse, Limit: limit})
			want := 60
			if limit > 0 {
				want = int(limit)
			}
			if len(keys) != want || breaks != 0 {
				t.Fatalf("%d keys, want %d; %d breaks left", len(keys), want, breaks)
			}
			for i, k := range keys {
				n := i
				if reverse {
					n = 59 - i
				}
				if k != fmt.Sprintf("k%05d", n) {
					t.Fatalf("key %d is %s", i, k)
				}
			}
		}
	}
}

// Whose answer is lost may have happened; what the service refused has not.
func TestLostAnswers(t *testing.T) {
	svc, _, tb := openService(t, Config{})
	ctx := context.Background()
	var code codes.Code
	var after bool
	svc.unary = func(method string, a bool) error {
		if a == after && method == "CheckAndMutateRow" {
			return status.Error(code, "no")
		}
		return nil
	}
	set := func(c codes.Code, a bool) { svc.mu.Lock(); code, after = c, a; svc.mu.Unlock() }
	for i, tt := range []struct {
		code  codes.Code
		after bool
		want  storage.Code // of an addition; a conditional write that was made is found
	}{
		{codes.Unavailable, true, storage.CodeAmbiguous},
		{codes.Unavailable, false, storage.CodeAmbiguous}, // nobody can tell
		{codes.DeadlineExceeded, true, storage.CodeAmbiguous},
		{codes.Internal, true, storage.CodeAmbiguous},
		{codes.PermissionDenied, false, storage.CodePermissionDenied},
		{codes.FailedPrecondition, false, storage.CodeInvalidArgument},
		{codes.ResourceExhausted, false, storage.CodeThrottled},
		{codes.NotFound, false, storage.CodeNotFound},
	} {
		set(tt.code, tt.after)
		key := fmt.Appendf(nil, "k%d", i)
		ok, err := tb.CheckAndMutate(ctx, &storage.CondMutation{Key: key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: put("", "q", "x").Mutations})
		var e *storage.Error
		switch {
		case tt.after && (err != nil || !ok):
			t.Errorf("%v: %v, %v", tt.code, ok, err)
		case !tt.after && (!errors.As(err, &e) || e.Code != tt.want):
			t.Errorf("%v: %v (%v)", tt.code, err, storage.CodeOf(err))
		}
		if tt.code == codes.FailedPrecondition && !strings.Contains(e.Hint, "app profile") {
			t.Errorf("hint %q", e.Hint)
		}
		set(codes.OK, false)
		var b storage.RowBatch
		if _, err := tb.MultiGet(ctx, [][]byte{key}, nil, &b); err != nil || (b.Len() == 1) != tt.after {
			t.Errorf("%v: %d rows, %v", tt.code, b.Len(), err)
		}
	}
}

func TestThrottled(t *testing.T) {
	svc, _, tb := openService(t, Config{})
	times := 2
	svc.stream = func(method string, sent int) error {
		if method == "MutateRows" && times > 0 {
			times--
			return status.Error(codes.ResourceExhausted, "quota")
		}
		return nil
	}
	fill(t, tb, 10)
	if keys := keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true}); len(keys) != 10 || times != 0 {
		t.Fatalf("%q", keys)
	}
}

func TestPartialMutate(t *testing.T) {
	_, _, tb := openService(t, Config{})
	rows := []storage.RowMutation{put("c", "q", "1"), put("a", "q", "1"), put("b", "q", "1"), put("c", "r", "2")}
	rows[2].Mutations[0].Family = "none"
	err := tb.Mutate(context.Background(), rows, storage.WriteOptions{})
	var p *storage.PartialError
	if !errors.As(err, &p) || p.Written != 3 || len(p.Rows) != 1 || p.Rows[0].Index != 2 {
		t.Fatalf("%#v", err)
	}
	if keys := keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}}); strings.Join(keys, " ") != "a c" {
		t.Fatalf("%q", keys)
	}
}

// A server that is not there, or does not answer, ends calls by their deadline.
func TestDeadlines(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := Open(context.Background(), Config{Project: "p", Instance: "i", Emulator: l.Addr().String(),
		Timeout: 100 * time.Millisecond, IdleTimeout: 100 * time.Millisecond, AdminTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	tb := s.Table("t")
	if _, err := tb.MultiGet(ctx, [][]byte{[]byte("k")}, nil, &storage.RowBatch{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("get: %v", err)
	}
	if err := tb.Mutate(ctx, []storage.RowMutation{put("k", "q", "x")}, storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("mutate: %v", err)
	}
	if _, err := s.Admin().Tables(ctx); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("tables: %v", err)
	}
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Next(&storage.RowBatch{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("scan: %v", err)
	}
	sc.Close()
}

// A slow consumer is not a slow server. A server that is slow, as the machine stalls, has
// another try with a longer timeout.
func TestSlowConsumer(t *testing.T) {
	var n int
	var err error
	for idle := 250 * time.Millisecond; idle < 30*time.Second; idle *= 4 {
		if n, err = readSlowly(t, idle); err == io.EOF && n == 100 {
			return
		}
	}
	t.Fatalf("%d rows, %v", n, err)
}

// readSlowly reads 100 rows, with a pause longer than a stream may be idle.
func readSlowly(t *testing.T, idle time.Duration) (n int, err error) {
	_, _, tb := openService(t, Config{IdleTimeout: idle})
	fill(t, tb, 100)
	sc, err := tb.Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}, BatchRows: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var b storage.RowBatch
	for err = sc.Next(&b); err == nil; err = sc.Next(&b) {
		if n += b.Len(); n == 20 {
			time.Sleep(idle * 6 / 5)
		}
	}
	return n, err
}

// What goes to the service: limits pushed where exact, row sets in pieces,
// versions always asked for.
func TestRequests(t *testing.T) {
	svc, _, tb := openService(t, Config{})
	last := func() *bigtablepb.ReadRowsRequest {
		t.Helper()
		seen := svc.requests()
		return seen[len(seen)-1].(*bigtablepb.ReadRowsRequest)
	}
	keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 5, Project: []storage.Col{{Family: "f", Qualifier: []byte("q")}}})
	if r := last(); r.RowsLimit != 5 || !strings.Contains(r.Filter.String(), "cells_per_column_limit_filter:1") || !strings.Contains(r.Filter.String(), "column_range") {
		t.Errorf("%v", r)
	}
	keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 5, Filter: func([]byte, storage.RowView) (bool, error) { return true, nil }})
	if r := last(); r.RowsLimit != 0 {
		t.Errorf("the limit is pushed below a filter: %v", r)
	}
	var many []storage.Col
	for i := range 500 {
		many = append(many, storage.Col{Family: "f", Qualifier: fmt.Appendf(nil, "%0100d", i)})
	}
	keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 5, Project: many})
	if r := last(); r.RowsLimit != 0 || proto.Size(r.Filter) > 20_000 {
		t.Errorf("%d bytes of filter, limit %d", proto.Size(r.Filter), r.RowsLimit)
	}
	before := len(svc.requests())
	var spans []storage.Span
	for i := range 20_000 {
		spans = append(spans, storage.Span{Start: fmt.Appendf(nil, "%030d", 2*i), End: fmt.Appendf(nil, "%030d", 2*i+1)})
	}
	keysOf(t, tb, storage.ScanRequest{Spans: spans})
	seen := svc.requests()[before:]
	if len(seen) < 2 {
		t.Errorf("%d requests", len(seen))
	}
	for _, m := range seen {
		if n := proto.Size(m); n > 512<<10 {
			t.Errorf("a request of %d bytes", n)
		}
	}
}

// MultiGet in pieces of at most 100 keys, in key order.
func TestMultiGetChunks(t *testing.T) {
	svc, _, tb := openService(t, Config{Parallel: 3})
	fill(t, tb, 500)
	var keys [][]byte
	for i := range 450 {
		keys = append(keys, fmt.Appendf(nil, "k%05d", i))
	}
	before := len(svc.requests())
	var b storage.RowBatch
	calls, err := tb.MultiGet(context.Background(), keys, nil, &b)
	if err != nil || calls != 5 || b.Len() != 450 || len(svc.requests())-before != 5 {
		t.Fatalf("%d calls, %d rows, %v", calls, b.Len(), err)
	}
	for i := range b.Len() {
		if string(b.Key(i)) != string(keys[i]) {
			t.Fatalf("key %d is %s", i, b.Key(i))
		}
	}
}

func TestFamilySpec(t *testing.T) {
	for _, f := range []storage.FamilySpec{{Name: "a", MaxVersions: 1}, {Name: "a", MaxVersions: 7, TTL: time.Hour}, {Name: "a", MaxVersions: 1, TTL: 1500 * time.Millisecond}} {
		if got := familySpec("a", &adminpb.ColumnFamily{GcRule: gcRule(f)}); got != f {
			t.Errorf("%+v comes back as %+v", f, got)
		}
	}
	if got := thin(make([][]byte, 255), 100); len(got) != 100 {
		t.Errorf("%d splits", len(got))
	}
}

func TestPrefixOf(t *testing.T) {
	for _, tt := range []struct {
		start, end string
		ok         bool
	}{
		{"", "", true}, {"a", "b", true}, {"a", "", false}, {"a\xff", "b", true}, {"\xff", "", true}, {"\xff\xff", "", true},
		{"a", "a\x00", false}, {"a", "c", false}, {"", "b", false}, {"ab", "b", false},
	} {
		if _, ok := prefixOf(storage.Span{Start: []byte(tt.start), End: []byte(tt.end)}); ok != tt.ok {
			t.Errorf("[%q, %q): %v", tt.start, tt.end, ok)
		}
	}
}

// Closing with many calls under way ends them all.
func TestCloseEndsCalls(t *testing.T) {
	svc, s, tb := openService(t, Config{})
	block := make(chan struct{})
	var waiting atomic.Int32
	svc.unary = func(method string, after bool) error {
		if method == "CheckAndMutateRow" {
			svc.mu.Unlock()
			defer svc.mu.Lock()
			waiting.Add(1)
			<-block
		}
		return nil
	}
	defer close(block)
	done := make(chan error, 1)
	go func() {
		_, err := tb.CheckAndMutate(context.Background(), &storage.CondMutation{Key: []byte("k"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put("", "q", "x").Mutations})
		done <- err
	}()
	for waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; storage.CodeOf(err) != storage.CodeAmbiguous {
		t.Fatalf("%v", err)
	}
}
