package versions

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// As is what opens a catalog.
type As uint8

const (
	// Alone has the store to itself: the lock of its folder is the proof.
	Alone As = iota
	// Member is a server, or a tool that writes: it may change the catalog, has a lease that says
	// which version of it it goes by, and a clock slot for the rows that it writes.
	Member
	// Observer reads. It writes nothing but its leases where others can write the store: that of a
	// server, so that nothing is removed that it reads, and for a backup that of DDL. A backup by the
	// service is of many tables, each of its own moment, and the catalog's must fit them all: one of
	// before or after a DDL statement would name storage that another backup lacks. It puts nothing in
	// order, takes no job and no clock slot.
	Observer
)

// Serving is what a server of a store, or a tool that writes, opens its catalog as.
func Serving(store storage.Store) As {
	caps := store.Caps()
	switch {
	case caps.ReadOnly:
		return Observer
	case caps.Exclusive:
		return Alone
	}
	return Member
}

// Observes says that nothing is changed by this catalog.
func (c *Keeper) Observes() bool { return c.as == Observer }

// mayChange refuses what changes the store: 25006.
func (c *Keeper) mayChange() error {
	if c.as == Observer {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "the store was opened to be read only")
	}
	return nil
}
