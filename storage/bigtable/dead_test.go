package bigtable

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/bttest"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// calls makes each kind of call once and gives the codes of their errors.
func calls(s *Store) map[string]storage.Code {
	ctx := context.Background()
	tb := s.Table("t")
	got := map[string]storage.Code{}
	note := func(op string, err error) { got[op] = storage.CodeOf(err) }
	_, err := tb.MultiGet(ctx, [][]byte{[]byte("k")}, nil, &storage.RowBatch{})
	note("get", err)
	note("mutate one", tb.Mutate(ctx, someRows(1), storage.WriteOptions{}))
	note("mutate", tb.Mutate(ctx, someRows(5), storage.WriteOptions{}))
	_, err = tb.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("k"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put("", "q", "x").Mutations})
	note("check", err)
	_, err = s.Admin().Tables(ctx)
	note("tables", err)
	note("alter", s.Admin().AlterTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}))
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err == nil {
		for err == nil {
			err = sc.Next(&storage.RowBatch{})
		}
		sc.Close()
		if err == io.EOF {
			err = nil
		}
	}
	note("scan", err)
	return got
}

// A server that dies, or goes silent, gives every call an error in the time
// that is set, and no write is in doubt that no connection has taken; when it is back, the same store works. Nothing is left running.
func TestDeadServer(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	srv, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := srv.Addr
	const timeout = 200 * time.Millisecond
	s, err := Open(context.Background(), Config{Project: "p", Instance: "i", Emulator: addr, Timeout: timeout, IdleTimeout: timeout, AdminTimeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	create := func() {
		t.Helper()
		if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
			t.Fatal(err)
		}
	}
	create()
	fill(t, s.Table("t"), 3)

	down := func(how string) {
		t.Helper()
		for op, code := range calls(s) {
			if code != storage.CodeDeadlineExceeded && code != storage.CodeUnavailable {
				t.Errorf("%s, %s: %v", how, op, code)
			}
		}
	}
	srv.Close()
	down("dead")

	silent, err := net.Listen("tcp", addr) // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	down("silent")
	silent.Close()

	if srv, err = bttest.NewServer(addr); err != nil {
		t.Fatal(err)
	}
	for range 200 { // the connection comes back by itself
		if _, err = s.Admin().Tables(context.Background()); err == nil {
			break
		}
	}
	create()
	for op, code := range calls(s) {
		if code != storage.CodeUnknown {
			t.Errorf("back, %s: %v", op, code)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	srv.Close()
	goleak.VerifyNone(t, leaks)
}

// A refused conditional write names the app profile and what to do.
func TestAppProfileHint(t *testing.T) {
	for _, profile := range []string{"", "batch"} {
		svc, _, tb := openService(t, Config{AppProfile: profile})
		svc.unary = func(method string, after bool) error {
			if method == "CheckAndMutateRow" {
				return status.Error(codes.FailedPrecondition, "Single-row transactions are not allowed by this app profile")
			}
			return nil
		}
		_, err := tb.CheckAndMutate(context.Background(), &storage.CondMutation{Key: []byte("k"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put("", "q", "x").Mutations})
		e, _ := err.(*storage.Error)
		name := "the instance's default app profile"
		if profile != "" {
			name = `"batch"`
		}
		if e == nil || !strings.Contains(e.Hint, name) || !strings.Contains(e.Hint, "app_profile in the store URL") {
			t.Errorf("profile %q: %+v", profile, err)
		}
	}
}
