package feed

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// take reads rows until there are no more, or n were read.
func take(f *Feed, n int) (got int, err error) {
	for got < n {
		b, err := f.Next()
		if err != nil {
			return got, err
		}
		got += b.N
	}
	return got, nil
}

// TestFeed hands over batches, and waits with an empty one for those before.
func TestFeed(t *testing.T) {
	f := New()
	var got int
	f.Start(context.Background(), func() (err error) {
		if got, err = take(f, 1000); err == io.EOF {
			err = nil
		}
		return err
	})
	for i := range int64(10) {
		if !f.Give(&vec.Batch{N: 3}, 1+3*i) {
			t.Fatal("ended")
		}
	}
	if !f.Give(nil, 0) {
		t.Fatal("ended")
	}
	f.Close()
	if f.Err() != nil || got != 30 {
		t.Errorf("%d rows, %v", got, f.Err())
	}
	if _, n := f.At(0); n != 0 {
		t.Errorf("at %d rows behind the last", n)
	}
}

// TestEnds is a statement that fails, panics, is stopped or never runs: who gives is told, and of
// which lines.
func TestEnds(t *testing.T) {
	bad := errors.New("bad")
	f := New()
	f.Start(context.Background(), func() error {
		_, _ = take(f, 4)
		return bad
	})
	for line := int64(1); f.Give(&vec.Batch{N: 2}, line); line += 2 {
	}
	f.Wait()
	first, n := f.At(0)
	if one, m := f.At(2); f.Err() != bad || first != 3 || n != 2 || one != 4 || m != 1 {
		t.Error(f.Err(), first, n, one, m)
	}

	f = New()
	f.Start(context.Background(), func() error { panic("oops") })
	if f.Wait(); sqlerr.As(f.Err()) == nil || f.Give(&vec.Batch{N: 1}, 1) {
		t.Error(f.Err())
	}

	f = New()
	ctx, cancel := context.WithCancelCause(context.Background())
	f.Start(ctx, func() error {
		_, err := take(f, 1)
		return err
	})
	cancel(bad)
	if f.Wait(); f.Err() != bad {
		t.Error(f.Err())
	}

	f = New()
	if f.Wait(); f.Started() {
		t.Error("it has not begun")
	}
	if f.Refuse(bad); !f.Started() || f.Give(nil, 0) || !strings.Contains(f.Err().Error(), "bad") {
		t.Error(f.Err())
	}
}
