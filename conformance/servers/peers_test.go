package servers

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// openPeer opens a server of an emulator's store, with a door for the others. Both live as long as t.
func openPeer(t *testing.T, addr string) *saltsql.DB {
	t.Helper()
	s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test", Emulator: addr})
	if err != nil {
		t.Fatal(err)
	}
	db, err := saltsql.Open(context.Background(), s, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: 20 * time.Millisecond, Lease: 30 * time.Second, Peers: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestPeersOpen: servers that start at once agree on a secret, and close.
func TestPeersOpen(t *testing.T) {
	t.Parallel()
	addr := emulator.Start(t)
	for range 3 {
		openPeer(t, addr)
	}
}
