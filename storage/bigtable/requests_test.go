package bigtable

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// TestRequestsAreCounted asks the store for writes, of which the first request fails, and for reads, and
// compares what it has counted.
func TestRequestsAreCounted(t *testing.T) {
	ctx := context.Background()
	sv, s, table := openService(t, Config{})
	fails := 1
	sv.mu.Lock()
	sv.stream = func(method string, sent int) error {
		if method != "MutateRows" || fails == 0 {
			return nil
		}
		fails--
		return status.Error(codes.Unavailable, "for a moment")
	}
	sv.mu.Unlock()
	long := strings.Repeat("x", 5000)
	rows := []storage.RowMutation{put("a", "q", long), put("b", "q", long)}
	for range 2 {
		if err := table.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var got storage.RowBatch
	if _, err := table.MultiGet(ctx, [][]byte{[]byte("a"), []byte("b")}, nil, &got); err != nil {
		t.Fatal(err)
	}
	by := map[string]Requests{}
	for _, r := range s.Requests() {
		by[r.Method] = r
	}
	w, r := by["MutateRows"], by["ReadRows"]
	if w.Codes[codes.Unavailable] != 1 || w.Codes[codes.OK] < 1 || w.Sent < 2*2*5000 {
		t.Errorf("writes: %+v", w)
	}
	if r.Codes[codes.OK] < 1 || r.Received < 2*5000 || r.Time <= 0 {
		t.Errorf("reads: %+v", r)
	}
	for m, r := range by {
		n, was := int64(0), uint64(0)
		for _, times := range r.Codes {
			n += times
		}
		for _, within := range r.Within {
			if within < was || within > uint64(n) {
				t.Errorf("%s: %d of %d within a bound, %d within the one before", m, within, n, was)
			}
			was = within
		}
	}
}
