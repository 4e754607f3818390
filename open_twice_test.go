package saltsql_test

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestOpenTwice opens a second DB on a store that has one already.
func TestOpenTwice(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	for range 2 {
		db, err := saltsql.Open(ctx, store, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := saltsql.Open(ctx, store, nil); sqlerr.CodeOf(err) != sqlerr.ObjectInUse {
			t.Errorf("the second DB: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
