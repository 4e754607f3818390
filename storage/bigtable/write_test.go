package bigtable

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
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

	"github.com/saltsql/saltsql/internal/seeds"
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
	done    func() error            // after a single row
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
			resp, err := next(ctx, req)
			if err == nil && w.done != nil {
				err = w.done()
			}
			return resp, err
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

// Of a request that failed in part, only what surely did not happen is sent
// again; what is in doubt is looked for.
func TestResendsWhatFailed(t *testing.T) {
	w, _, tb := openWrites(t, Config{})
	w.answer = func(n int, m *bigtablepb.MutateRowsResponse) error {
		if n == 0 {
			for i, code := range map[int]codes.Code{2: codes.ResourceExhausted, 3: codes.Unavailable, 7: codes.Aborted, 8: codes.ResourceExhausted} {
				m.Entries[i].Status = &rpcstatus.Status{Code: int32(code), Message: "tablet moved"}
			}
			m.Entries = m.Entries[:9] // of the tenth there is no word
		}
		return nil
	}
	if err := tb.Mutate(context.Background(), someRows(10), storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(w.keys) != 2 || strings.Join(w.keys[1], " ") != "k00002 k00008" || w.singles != 0 {
		t.Fatalf("sent %q and %d single rows, want k00002 and k00008 again", w.keys, w.singles)
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
// The service asks for more patience than a call has, so that the call ends
// with the answer it has and no clock has a say.
func TestDoubtStays(t *testing.T) {
	later, err := status.New(codes.ResourceExhausted, "quota").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{1, 2} {
		w, _, tb := openWrites(t, Config{})
		w.refuse = func(n int) error {
			if n == 0 {
				return status.Error(codes.Unavailable, "connection lost")
			}
			return later.Err()
		}
		if err := tb.Mutate(context.Background(), someRows(rows), storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeAmbiguous {
			t.Errorf("%d rows: %v", rows, err)
		}
		w, _, tb = openWrites(t, Config{})
		w.refuse = func(n int) error { return later.Err() }
		if err := tb.Mutate(context.Background(), someRows(rows), storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeThrottled {
			t.Errorf("%d rows, never taken: %v", rows, err)
		}
	}
}

// A write whose answer was lost is sent once. What others did with the row in
// between stays: where they left a trace of the write it is told as done, else
// it is in doubt.
func TestLostAnswerKeepsOthersWrites(t *testing.T) {
	seeds.Sometimes(t)
	cell := func(qual, value string, ts int64) storage.Mutation {
		return storage.Mutation{Op: storage.SetCell, Family: "f", Qualifier: []byte(qual), Timestamp: ts, Value: []byte(value)}
	}
	latest := func(m storage.Mutation) storage.Mutation { m.Latest = true; return m }
	whole := []storage.Mutation{{Op: storage.DeleteRow}, cell("m", "", 5000), cell("q", "ours", 5000)}
	part := []storage.Mutation{latest(cell("m", "", 5000)), latest(cell("q", "ours", 5000))}
	update := storage.CondMutation{Cond: storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: []byte("m"), Timestamp: 5000},
		Then: []storage.Mutation{latest(cell("m", "", 9000)), latest(cell("q", "theirs", 9000))}}
	remove := storage.CondMutation{Cond: storage.Cond{Op: storage.RowPresent}, Then: []storage.Mutation{{Op: storage.DeleteRow}}}
	for _, tt := range []struct {
		name   string
		muts   []storage.Mutation
		happen bool // the write, before its answer is lost
		other  *storage.CondMutation
		want   string
		code   storage.Code
	}{
		{"whole, updated", whole, true, &update, "theirs", storage.CodeUnknown},
		{"part, updated", part, true, &update, "theirs", storage.CodeUnknown},
		{"whole, deleted", whole, true, &remove, "", storage.CodeAmbiguous},
		{"part, deleted", part, true, &remove, "", storage.CodeAmbiguous},
		{"done", whole, true, nil, "ours", storage.CodeUnknown},
		{"never done", whole, false, nil, "", storage.CodeAmbiguous},
		{"deletion", remove.Then, true, &storage.CondMutation{Cond: storage.Cond{Op: storage.RowAbsent}, Then: update.Then}, "theirs", storage.CodeAmbiguous},
	} {
		for _, n := range []int{1, 2} {
			w, _, tb := openWrites(t, Config{})
			ctx := context.Background()
			rows := someRows(n)
			for i := range rows {
				rows[i].Mutations = tt.muts
			}
			sent, lost := 0, status.Error(codes.Unavailable, "connection lost")
			meddle := func() error {
				sent++
				if tt.other == nil {
					return lost
				}
				for i := range rows {
					m := *tt.other
					m.Key = rows[i].Key
					if ok, err := tb.CheckAndMutate(ctx, &m); err != nil || !ok {
						t.Errorf("%s: %v, %v", tt.name, ok, err)
					}
				}
				return lost
			}
			if tt.happen {
				w.done = meddle
				w.answer = func(int, *bigtablepb.MutateRowsResponse) error { return meddle() }
			} else {
				w.refuse = func(int) error { return meddle() }
			}
			err := tb.Mutate(ctx, rows, storage.WriteOptions{})
			if storage.CodeOf(err) != tt.code || (err != nil) != (tt.code != storage.CodeUnknown) {
				t.Errorf("%s, %d rows: %v", tt.name, n, err)
			}
			var b storage.RowBatch
			if _, err := tb.MultiGet(ctx, [][]byte{rows[n-1].Key}, nil, &b); err != nil {
				t.Fatal(err)
			}
			got := ""
			if b.Len() > 0 {
				v, _ := b.Value(0, "f", []byte("q"))
				got = string(v)
			}
			if got != tt.want || sent != 1 {
				t.Errorf("%s, %d rows: %q, want %q; sent %d times", tt.name, n, got, tt.want, sent)
			}
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
	if _, err := f.acquire(short, 1); !errors.Is(err, context.DeadlineExceeded) || f.queue.Len() != 0 {
		t.Errorf("held: %v, %d waiting", err, f.queue.Len())
	}
}

// Who waits is let out in the order of coming, a large request not passed by
// small ones, and costs no look at the queue but those of who comes and goes.
func TestFlowIsFair(t *testing.T) {
	f := newFlow()
	f.limit = 2.5
	ctx := context.Background()
	const n = 300
	first, err := f.acquire(ctx, flowBytes/2+1)
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		order []int
	)
	for i := range n {
		size := int64(1)
		if i%10 == 0 {
			size = flowBytes // goes alone
		}
		wg.Go(func() {
			tk, err := f.acquire(ctx, size)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			f.release(tk, true, 0)
		})
		for waiting := 0; waiting <= i; {
			f.mu.Lock()
			waiting = f.queue.Len()
			f.mu.Unlock()
			runtime.Gosched()
		}
	}
	f.release(first, false, 0)
	wg.Wait()
	for i := range order { // two that are out together may note themselves in either order
		if order[i] < i-2 || order[i] > i+2 {
			t.Fatalf("the %dth to go was the %dth to come", i, order[i])
		}
	}
	if f.out != 0 || f.bytes != 0 || f.looks > 3*n+10 {
		t.Errorf("%d out, %d bytes, %d looks for %d waiters", f.out, f.bytes, f.looks, n)
	}
}

// Who gives up waiting leaves nothing behind and keeps nobody waiting.
func TestFlowGivenUp(t *testing.T) {
	f := newFlow()
	f.limit = 1
	tk, err := f.acquire(context.Background(), flowBytes/2)
	if err != nil {
		t.Fatal(err)
	}
	f.limit = 2
	gone, cancel := context.WithCancel(context.Background())
	large, small := make(chan error, 1), make(chan error, 1)
	go func() { _, err := f.acquire(gone, flowBytes); large <- err }()
	for waiting := 0; waiting < 1; runtime.Gosched() {
		f.mu.Lock()
		waiting = f.queue.Len()
		f.mu.Unlock()
	}
	go func() { _, err := f.acquire(context.Background(), 1); small <- err }()
	for waiting := 0; waiting < 2; runtime.Gosched() {
		f.mu.Lock()
		waiting = f.queue.Len()
		f.mu.Unlock()
	}
	cancel()
	if err := <-large; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-small; err != nil {
		t.Error(err)
	}
	f.release(tk, false, 0)
	if f.out != 1 || f.bytes != 1 || f.queue.Len() != 0 {
		t.Errorf("%d out, %d bytes, %d waiting", f.out, f.bytes, f.queue.Len())
	}
}
