package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
)

// Rehearse runs a DROP on a snapshot and commits nothing. It gives what would be left, and what of it
// gone, by ID. do must call the catalog with its context, and only for DropTable, DropView,
// DropMaterialized, DropSequence, DropSchema or DropType.
func (c *Catalog) Rehearse(ctx context.Context, on *catalog.Snapshot, do func(context.Context) error) (left *catalog.Snapshot, gone map[uint32]bool, err error) {
	r := change.Rehearsal{Snapshot: on, Gone: map[uint32]bool{}}
	err = do(change.WithRehearsal(ctx, &r))
	return r.Snapshot, r.Gone, err
}
