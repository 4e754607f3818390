package bigtable

import (
	"context"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/saltsql/saltsql/storage"
)

// TestRepeats breaks the first stream of a read in the ways that pass, and in others.
func TestRepeats(t *testing.T) {
	svc, _, tb := openService(t, Config{})
	fill(t, tb, 3)
	told, err := status.New(codes.ResourceExhausted, "quota").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err  error
		want storage.Code // CodeUnknown and no error: it is made again
		fail bool
	}{
		{err: status.Error(codes.Unavailable, "a tablet moved")},
		{err: status.Error(codes.Aborted, "again")},
		{err: status.Error(codes.DeadlineExceeded, "the server's own")},
		{err: status.Error(codes.Internal, "stream terminated by RST_STREAM with error code: INTERNAL_ERROR")},
		{err: status.Error(codes.Internal, "unexpected EOF")},
		{err: told.Err()},
		{err: status.Error(codes.ResourceExhausted, "quota"), want: storage.CodeThrottled, fail: true},
		{err: status.Error(codes.Internal, "a fault"), want: storage.CodeUnknown, fail: true},
		{err: status.Error(codes.PermissionDenied, "no"), want: storage.CodePermissionDenied, fail: true},
	} {
		broken := 0
		svc.mu.Lock()
		svc.stream = func(method string, sent int) error {
			if broken++; broken == 1 {
				return tt.err
			}
			return nil
		}
		svc.mu.Unlock()
		var b storage.RowBatch
		_, err := tb.MultiGet(context.Background(), [][]byte{[]byte("k00000"), []byte("k00002")}, nil, &b)
		if (err != nil) != tt.fail || storage.CodeOf(err) != tt.want || !tt.fail && b.Len() != 2 {
			t.Errorf("%v: %d rows, %v", tt.err, b.Len(), err)
		}
	}
}
