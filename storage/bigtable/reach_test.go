package bigtable

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// A server that is not there is told with its address, the cause and a hint;
// any answer of one that is there will do.
func TestReach(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	open := func(addr string) *Store {
		s, err := Open(ctx, Config{Project: "p", Instance: "i", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	if err := open(emulator.Start(t)).Reach(ctx); err != nil {
		t.Error(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for addr, cause := range map[string]string{gone.Addr().String(): "connection refused", l.Addr().String(): "connect"} {
		s := open(addr)
		err := s.Reach(ctx)
		var e *storage.Error
		if !errors.As(err, &e) || e.Code != storage.CodeUnavailable || !strings.Contains(e.Msg, "p/i") ||
			!strings.Contains(e.Msg, addr) || !strings.Contains(e.Msg, cause) || !strings.Contains(e.Hint, emulatorEnv) {
			t.Errorf("%s: %+v", addr, err)
		}
		t.Log(err)
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.Reach(stopped); storage.CodeOf(err) != storage.CodeCanceled {
			t.Errorf("canceled: %v", err)
		}
	}
}
