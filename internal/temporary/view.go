package temporary

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/storage/txn"
)

// View is the database as a session sees it: with its temporary tables, where it has had any. One
// goroutine changes it.
type View struct {
	Base     *live.Catalog // of the database
	BaseTxns *txn.Manager

	own *Tables // nil: none yet
}

// Own gives the session's own tables; nil where it has had none.
func (v *View) Own() *Tables { return v.own }

// Open makes the session's own tables, where it has had none.
func (v *View) Open(ctx context.Context, o *Options) (own *Tables, err error) {
	if v.own == nil {
		v.own, err = Open(ctx, o)
	}
	return v.own, err
}

// Snapshot is the catalog.
func (v *View) Snapshot() *catalog.Snapshot {
	if v.own == nil {
		return v.Base.Snapshot()
	}
	return v.own.OverCatalog()
}

// Stamp tells plans of this session from those of others where it has temporary tables; else 0.
func (v *View) Stamp() uint64 {
	if v.own == nil {
		return 0
	}
	return v.own.Stamp()
}

// Txns is what reads and writes the tables.
func (v *View) Txns() *txn.Manager {
	if v.own == nil {
		return v.BaseTxns
	}
	return v.own.Txns
}

// Keeper gives the catalog that an object is in.
func (v *View) Keeper(id uint32) *live.Catalog {
	if v.own != nil && catalog.TemporaryID(id) {
		return v.own.Catalog
	}
	return v.Base
}

// Lasting leaves temporary tables out, which nobody else alters or holds.
func (v *View) Lasting(tables []*catalog.Table) []*catalog.Table {
	if v.own == nil || !slices.ContainsFunc(tables, isTemporary) {
		return tables
	}
	return slices.DeleteFunc(slices.Clone(tables), isTemporary)
}

// Views are the session's temporary views.
func (v *View) Views() []*catalog.View {
	if v.own == nil {
		return nil
	}
	return v.own.Catalog.Snapshot().Views()
}

func isTemporary(t *catalog.Table) bool { return catalog.IsTemporary(t) }

// Enter begins a write: see versions.Keeper.Enter.
func (v *View) Enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error) {
	last := v.Lasting(tables)
	if len(last) < len(tables) {
		v.own.Wrote()
		if len(last) == 0 {
			return ctx, func() {}, nil
		}
	}
	return v.Base.Enter(ctx, last...)
}

// TryEnter is Enter of one table that does not wait.
func (v *View) TryEnter(ctx context.Context, t *catalog.Table) (context.Context, func(), bool) {
	if v.own != nil && isTemporary(t) {
		return ctx, func() {}, true
	}
	return v.Base.TryEnter(ctx, t)
}

// End ends what a transaction or a lone statement did with temporary tables.
func (v *View) End(committed bool) {
	if v.own != nil {
		v.own.End(committed)
	}
}

// Discard is DISCARD TEMP.
func (v *View) Discard() {
	if v.own != nil {
		v.own.Discard()
	}
}

// Close forgets all that the session has of temporary tables.
func (v *View) Close() {
	if v.own != nil {
		v.own.Close()
		v.own = nil
	}
}

// NumMade is how many temporary tables and views the transaction has made.
func (v *View) NumMade() int {
	if v.own == nil {
		return 0
	}
	return v.own.NumMade()
}

// Unmake drops the temporary tables and views that the transaction has made since the n-th.
func (v *View) Unmake(n int) {
	if v.own != nil {
		v.own.Unmake(n)
	}
}
