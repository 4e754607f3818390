package live

import (
	"context"
	"slices"
	"sync"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/jobs"
	"github.com/saltsql/saltsql/catalog/usertype"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// OpenOptions change how a catalog is opened. The zero value is right.
type OpenOptions = versions.Options

// What opens a catalog: see versions.As.
const (
	Alone    = versions.Alone
	Member   = versions.Member
	Observer = versions.Observer
)

// Serving is what a server of a store, or a tool that writes, opens its catalog as.
func Serving(store storage.Store) versions.As { return versions.Serving(store) }

// Catalog is the catalog of one store, and what changes it. Any number of them, in any
// number of processes, may work on one store. All methods are safe for concurrent use.
type Catalog struct {
	*change.Keeper
	authz.Authority
	usertype.Types
	jobs *jobs.Runner
	rows BlockRows // where it is the catalog of a draft
	// reshaping is held for reading while a TRUNCATE without the DDL lease removes rows.
	reshaping sync.RWMutex
}

// Open reads the catalog of a store, or makes an empty one with the schema
// public. What a DDL statement left half done because its server died is undone or
// finished: before it returns as Alone, soon after as a Member, and not as an Observer. Close it before the store.
func Open(ctx context.Context, store storage.Store, as versions.As, opts OpenOptions) (*Catalog, error) {
	c := &Catalog{}
	k, err := versions.OpenKeeper(ctx, store, as, opts, unfinished, c.finishPending)
	if err != nil {
		return nil, err
	}
	c.Keeper, c.jobs = &change.Keeper{Keeper: k}, jobs.New(k)
	c.Authority, c.Types = authz.New(c.Keeper), usertype.New(c.Keeper)
	err = c.Start(func() error {
		if store.Caps().Exclusive {
			if err := c.jobs.EmptyBegun(ctx); err != nil {
				return err
			}
		}
		if as == Alone {
			return c.repairAtOpen(ctx)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if as == Observer {
		return c, nil
	}
	for _, n := range c.Snapshot().SharedKeys() {
		c.Options.Logger.Warn("catalog: a primary key has the name of another relation, so that a dump cannot be restored: rename it, by ALTER TABLE … RENAME CONSTRAINT",
			"schema", n.Schema, "name", n.Name)
	}
	c.Background(func(ctx context.Context) {
		if as == Member { // which may have to wait for the lease of a dead one
			_ = c.repairAtOpen(ctx)
		}
		c.jobs.LookAround(ctx)
	})
	return c, nil
}

// Filler writes the entries of rows into an index.
type Filler = jobs.Filler

// Bulk fills a whole index at once.
type Bulk = jobs.Bulk

// FillIndexes says how indexes are filled. Without, none can be made, and one whose server
// has died is left to a server that can.
func (c *Catalog) FillIndexes(f jobs.NewFiller) { c.jobs.FillIndexes(f) }

// Jobs lists the jobs there are.
func (c *Catalog) Jobs(ctx context.Context) ([]catalog.Job, error) { return c.jobs.List(ctx) }

// CancelJob has a job end and undo what it did; false where there is none of that ID. 42501
// for who does not own the table.
func (c *Catalog) CancelJob(ctx context.Context, id uint32) (bool, error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range s.Tables() {
		if !slices.Contains(t.Jobs(), id) {
			continue
		}
		if err := change.New(ctx, c.Over(s)).MustOwn(t); err != nil {
			return false, err
		}
		return c.jobs.Cancel(ctx, id, t.ID)
	}
	return false, nil
}
