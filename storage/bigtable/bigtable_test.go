package bigtable

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

func openEmulator(t testing.TB, config Config, opts ...grpc.ServerOption) *Store {
	t.Helper()
	config.Project, config.Instance, config.Emulator = "p", "i", emulator.Start(t, opts...)
	s, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store { return openEmulator(t, Config{}) })
}
