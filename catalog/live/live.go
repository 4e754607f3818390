package live

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// OpenOptions change how a catalog is opened. The zero value is right.
type OpenOptions = versions.Options

// Catalog is the catalog of one store, and what changes it. Any number of them, in any
// number of processes, may work on one store. All methods are safe for concurrent use.
type Catalog struct {
	*versions.Keeper
	jobs   jobs
	filler atomic.Pointer[NewFiller]
	// reshaping is held for reading while a TRUNCATE without the DDL lease removes rows.
	reshaping sync.RWMutex
}

// Open reads the catalog of a store, or makes an empty one with the schema
// public. What a DDL statement left half done because its server died is undone or
// finished. Close it before the store.
func Open(ctx context.Context, store storage.Store, opts OpenOptions) (*Catalog, error) {
	c := &Catalog{}
	var err error
	if c.Keeper, err = versions.OpenKeeper(ctx, store, opts, unfinished, c.finishPending); err != nil {
		return nil, err
	}
	if err := c.Start(func() error { return c.repairAtOpen(ctx) }); err != nil {
		return nil, err
	}
	if !store.Caps().ReadOnly {
		c.Background(c.lookForJobs)
	}
	return c, nil
}
