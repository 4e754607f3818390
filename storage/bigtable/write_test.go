package bigtable

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/saltsql/saltsql/storage"
)

// writes plays a service that answers MutateRows as a test wants: the emulator
// does the work, and answer changes or replaces what it says.
type writes struct {
	mu      sync.Mutex
	keys    [][]string // of each request
	sizes   []int
	flags   bigtablepb.FeatureFlags
	answer  func(request int, m *bigtablepb.MutateRowsResponse) error
	refuse  func(request int) error // before the work is done
	singles int
}

func openWrites(t *testing.T, config Config) (*writes, *Store, storage.Table) {
	t.Helper()
	w := &writes{}
	stream := func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if !strings.HasSuffix(info.FullMethod, "/MutateRows") {
			return next(srv, ss)
		}
		md, _ := metadata.FromIncomingContext(ss.Context())
		raw, _ := base64.URLEncoding.DecodeString(strings.Join(md.Get(featuresHeader), ""))
		w.mu.Lock()
		if err := proto.Unmarshal(raw, &w.flags); err != nil {
			t.Error(err)
		}
		n := len(w.keys)
		w.keys, w.sizes = append(w.keys, nil), append(w.sizes, 0)
		refuse := w.refuse
		w.mu.Unlock()
		if refuse != nil {
			if err := refuse(n); err != nil {
				return err
			}
		}
		return next(srv, &writesStream{ss, w, n})
	}
	unary := func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if strings.HasSuffix(info.FullMethod, "/MutateRow") {
			w.mu.Lock()
			n := w.singles
			w.singles++
			refuse := w.refuse
			w.mu.Unlock()
			if refuse != nil {
				if err := refuse(n); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, req)
	}
	s := openEmulator(t, config, grpc.StreamInterceptor(stream), grpc.UnaryInterceptor(unary))
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	return w, s, s.Table("t")
}

type writesStream struct {
	grpc.ServerStream
	w *writes
	n int
}

func (s *writesStream) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if req, ok := m.(*bigtablepb.MutateRowsRequest); ok && err == nil {
		s.w.mu.Lock()
		defer s.w.mu.Unlock()
		for _, e := range req.Entries {
			s.w.keys[s.n] = append(s.w.keys[s.n], string(e.RowKey))
		}
		s.w.sizes[s.n] = proto.Size(req)
	}
	return err
}

func (s *writesStream) SendMsg(m any) error {
	s.w.mu.Lock()
	answer := s.w.answer
	s.w.mu.Unlock()
	if answer != nil {
		if err := answer(s.n, m.(*bigtablepb.MutateRowsResponse)); err != nil {
			return err
		}
	}
	return s.ServerStream.SendMsg(m)
}

func someRows(n int) []storage.RowMutation {
	rows := make([]storage.RowMutation, n)
	for i := range rows {
		rows[i] = put(fmt.Sprintf("k%05d", i), "q", fmt.Sprint(i))
	}
	return rows
}

// Of a request that failed in part, only the rows of which it is not known are
// sent again, once the others are told to be written.
func TestResendsWhatFailed(t *testing.T) {
	w, _, tb := openWrites(t, Config{})
	w.answer = func(n int, m *bigtablepb.MutateRowsResponse) error {
		switch n {
		case 0: // rows 3 and 7 are in doubt
			for _, i := range []int{3, 7} {
				m.Entries[i].Status = &rpcstatus.Status{Code: int32(codes.Unavailable), Message: "tablet moved"}
			}
		case 1: // the stream breaks after the first
			m.Entries = m.Entries[:1]
		}
		return nil
	}
	if err := tb.Mutate(context.Background(), someRows(10), storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(w.keys) != 2 || strings.Join(w.keys[1], " ") != "k00003 k00007" || w.singles != 1 {
		t.Fatalf("sent %q and %d single rows, want k00003 and k00007 again, then k00007 alone", w.keys, w.singles)
	}
	if !w.flags.MutateRowsRateLimit || !w.flags.MutateRowsRateLimit2 || !w.flags.ReverseScans {
		t.Errorf("features: %v", &w.flags)
	}
}

// What the service will not take is not sent again, and is not in doubt.
func TestRefusedRows(t *testing.T) {
	w, _, tb := openWrites(t, Config{})
	w.answer = func(n int, m *bigtablepb.MutateRowsResponse) error {
		m.Entries[1].Status = &rpcstatus.Status{Code: int32(codes.InvalidArgument), Message: "too wide"}
		return nil
	}
	err := tb.Mutate(context.Background(), someRows(3), storage.WriteOptions{})
	var p *storage.PartialError
	if !errors.As(err, &p) || p.Written != 2 || len(p.Rows) != 1 || p.Rows[0].Index != 1 || p.Rows[0].Err.Code != storage.CodeInvalidArgument {
		t.Fatalf("%v", err)
	}
	if len(w.keys) != 1 {
		t.Errorf("%d requests", len(w.keys))
	}
}

// A row whose answer was lost stays in doubt, whatever is said of it later.
func TestDoubtStays(t *testing.T) {
	for _, rows := range []int{1, 2} {
		w, _, tb := openWrites(t, Config{Timeout: 300 * time.Millisecond})
		w.refuse = func(n int) error {
			if n == 0 {
				return status.Error(codes.Unavailable, "connection lost")
			}
			return status.Error(codes.ResourceExhausted, "quota")
		}
		if err := tb.Mutate(context.Background(), someRows(rows), storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeAmbiguous {
			t.Errorf("%d rows: %v", rows, err)
		}
		w.refuse = func(n int) error { return status.Error(codes.ResourceExhausted, "quota") }
		// On a slow machine the deadline may come before the first refusal.
		err := tb.Mutate(context.Background(), someRows(rows), storage.WriteOptions{})
		if code := storage.CodeOf(err); code != storage.CodeThrottled && code != storage.CodeDeadlineExceeded {
			t.Errorf("%d rows, never taken: %v", rows, err)
		}
	}
}

// What makes a cell the latest is sent once: when the answer was lost, others
// may have written the row on top of it.
func TestLatestIsSentOnce(t *testing.T) {
	for _, n := range []int{1, 2} {
		w, _, tb := openWrites(t, Config{})
		ctx := context.Background()
		write := func(value string, ts int64) []storage.RowMutation {
			rows := someRows(n)
			for i := range rows {
				m := &rows[i].Mutations[0]
				m.Value, m.Timestamp, m.Latest = []byte(value), ts, true
			}
			return rows
		}
		lost := false
		if n == 1 { // a single row is refused before it is written, which is in doubt too
			w.refuse = func(n int) error {
				if lost {
					return nil
				}
				lost = true
				return status.Error(codes.Unavailable, "connection lost")
			}
			if err := tb.Mutate(ctx, write("later", 9000), storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			lost = false
		} else {
			w.answer = func(_ int, m *bigtablepb.MutateRowsResponse) error {
				if lost {
					return nil
				}
				lost = true
				rows := write("later", 9000)
				for _, r := range rows { // alone: the answers of streams are held up
					if err := tb.Mutate(ctx, []storage.RowMutation{r}, storage.WriteOptions{}); err != nil {
						return err
					}
				}
				return status.Error(codes.Unavailable, "connection lost")
			}
		}
		if err := tb.Mutate(ctx, write("ours", 5000), storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		if _, err := tb.MultiGet(ctx, [][]byte{[]byte("k00000")}, nil, &b); err != nil {
			t.Fatal(err)
		}
		if v, _ := b.Value(0, "f", []byte("q")); !lost || string(v) != "later" {
			t.Errorf("%d rows: %q was overwritten by a write sent again (%v)", n, v, lost)
		}
	}
}

// Requests keep the bounds of rows, mutations and bytes; a row larger than
// them goes alone.
func TestRequestBounds(t *testing.T) {
	w, _, tb := openWrites(t, Config{})
	rows := someRows(4500)
	for i := 4400; i < 4500; i++ {
		rows[i].Mutations[0].Value = make([]byte, 200<<10)
	}
	rows[7].Mutations[0].Value = make([]byte, 6<<20)
	if err := tb.Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	sent := w.singles
	for i, keys := range w.keys {
		sent += len(keys)
		if len(keys) > maxRequestRows || w.sizes[i] > maxRequestBytes+1<<18 {
			t.Errorf("a request of %d rows and %d bytes", len(keys), w.sizes[i])
		}
	}
	if sent != 4500 || len(w.keys) < 6 {
		t.Errorf("%d rows in %d requests", sent, len(w.keys))
	}
	entries := make([]*rowEntry, 5)
	for i := range entries {
		entries[i] = &rowEntry{muts: make([]storage.Mutation, 30_000)}
	}
	if n := requestLen(entries); n != 3 {
		t.Errorf("%d rows of 30,000 mutations in a request", n)
	}
}

// Throttling slows all writers of the store down, and RetryInfo holds them.
func TestPushback(t *testing.T) {
	w, s, tb := openWrites(t, Config{})
	slow, _ := status.New(codes.ResourceExhausted, "slow down").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Millisecond)})
	held := false
	w.refuse = func(n int) error {
		if n < 2 {
			return slow.Err()
		}
		s.flow.mu.Lock()
		defer s.flow.mu.Unlock()
		held = !s.flow.hold.IsZero() && !time.Now().Before(s.flow.hold)
		return nil
	}
	w.answer = func(n int, m *bigtablepb.MutateRowsResponse) error {
		m.RateLimitInfo = &bigtablepb.RateLimitInfo{Period: durationpb.New(time.Hour), Factor: 0.7}
		return nil
	}
	for range 2 {
		if err := tb.Mutate(context.Background(), someRows(10), storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s.flow.mu.Lock()
	defer s.flow.mu.Unlock()
	want := (flowStart/4 + 4.0/flowStart) * 0.7 // the factor counts once an hour
	if got := s.flow.limit; !held || got < want-0.1 || got > want+0.3 || s.flow.out != 0 || s.flow.bytes != 0 {
		t.Errorf("held %v; limit %g, want about %g; %d out, %d bytes", held, got, want, s.flow.out, s.flow.bytes)
	}
}

// The limit is kept under load, cuts count once a round, and everyone gets a
// turn.
func TestFlow(t *testing.T) {
	f := newFlow()
	ctx := context.Background()
	var first []ticket
	for range 8 {
		tk, err := f.acquire(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, tk)
	}
	for _, tk := range first {
		f.release(tk, true, 0)
	}
	if f.limit != flowStart/2 || f.round != 1 {
		t.Errorf("limit %g after one round of cuts", f.limit)
	}
	f.limit = 3
	var mu sync.Mutex
	out, most, done := 0, 0, 0
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			tk, err := f.acquire(ctx, flowBytes/4)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			out, done = out+1, done+1
			most = max(most, out)
			mu.Unlock()
			mu.Lock()
			out--
			mu.Unlock()
			f.release(tk, i%3 == 0, 0)
		})
	}
	wg.Wait()
	if done != 200 || most > 4 || f.out != 0 || f.bytes != 0 {
		t.Errorf("%d done, %d at once, %d out", done, most, f.out)
	}
	f.hold = time.Now().Add(time.Hour)
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := f.acquire(short, 1); !errors.Is(err, context.DeadlineExceeded) || len(f.waiting) != 0 {
		t.Errorf("held: %v, %d waiting", err, len(f.waiting))
	}
}
