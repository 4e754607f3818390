package versions

import (
	"context"
	"encoding/json"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Upgrade raises the format of a store's catalog, where it has one, to the newest that this
// program writes, and gives it. Programs of before refuse the catalog afterwards. No server may
// have the store open: 40001 if one changes the catalog meanwhile.
func Upgrade(ctx context.Context, store storage.Store) (format int, err error) {
	c := &Keeper{Store: store, Table: store.Table(SystemTable), Options: defaults(Options{})}
	r, ok, err := c.readRootCell(ctx)
	if storage.CodeOf(err) == storage.CodeNotFound {
		return rootFormat, nil // the first server makes it
	}
	if err != nil || !ok || r.Format == rootFormat {
		return r.Format, catalog.FromStorage(err, "reading the catalog")
	}
	was := r.TS
	r.Format, r.TS = rootFormat, c.nextTimestamp(was)
	value, err := json.Marshal(&r)
	if err != nil {
		return 0, err
	}
	won, err := c.swapRoot(ctx, was, []storage.Mutation{{
		Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(rootCell), Timestamp: r.TS, Value: value,
	}}, r.Version, "")
	if err == nil && !won {
		err = sqlerr.New(sqlerr.SerializationFailure, "the catalog was changed meanwhile")
	}
	return r.Format, catalog.FromStorage(err, "raising the catalog's format")
}
