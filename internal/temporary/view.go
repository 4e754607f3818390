package temporary

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/storage/txn"
)

// View is the database as a session sees it: with its temporary tables, where it has had any. One
// goroutine changes it.
type View struct {
	Base     *live.Catalog // of the database
	BaseTxns *txn.Manager

	own  *Tables // nil: none yet
	seen atomic.Pointer[seen]
}

// seen is the database as a transaction leaves it.
type seen struct {
	of    func(*catalog.Snapshot) *catalog.Snapshot
	draft *live.Catalog // nil: the transaction has none

	mu          sync.Mutex
	under, laid *catalog.Snapshot // laid is what of makes of under
	own, stamp  uint64            // stamp tells the plans while the temporary tables have the stamp own
}

// See has the session see what of makes of each catalog of the database; nil ends that.
func (v *View) See(of func(*catalog.Snapshot) *catalog.Snapshot) {
	if of == nil {
		v.seen.Store(nil)
		return
	}
	v.seen.Store(&seen{of: of})
}

// SeeDraft has the session see each catalog of the database with a draft over it, which draft is the
// catalog of.
func (v *View) SeeDraft(draft *live.Catalog) {
	v.seen.Store(&seen{of: draft.Draft().Over, draft: draft})
}

// Drafted says that only the transaction's draft has an object: nobody else changes it.
func (v *View) Drafted(id uint32) bool {
	n := v.seen.Load()
	return n != nil && n.draft != nil && n.draft.Draft().Has(id)
}

// Database is the catalog of the database as the session sees it, without its temporary tables.
func (v *View) Database() *catalog.Snapshot {
	base, n := v.Base.Snapshot(), v.seen.Load()
	if n == nil {
		return base
	}
	if n.draft != nil {
		return n.of(base)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.under != base {
		n.under, n.laid = base, n.of(base)
	}
	return n.laid
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
		return v.Database()
	}
	return v.own.OverCatalog()
}

// Stamp tells plans of this session from those of others where it has temporary tables, or a view of
// its own of the database (see See); else 0.
func (v *View) Stamp() (stamp uint64) {
	if v.own != nil {
		stamp = v.own.Stamp()
	}
	n := v.seen.Load()
	if n == nil {
		return stamp
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stamp == 0 || n.own != stamp {
		n.own, n.stamp = stamp, stamps.Add(1)
	}
	return n.stamp
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
	if n := v.seen.Load(); n != nil && n.draft != nil {
		return n.draft
	}
	return v.Base
}

// Lasting leaves out temporary tables and those of a draft, which nobody else alters or holds.
func (v *View) Lasting(tables []*catalog.Table) []*catalog.Table {
	if !slices.ContainsFunc(tables, v.Mine) {
		return tables
	}
	return slices.DeleteFunc(slices.Clone(tables), v.Mine)
}

// Mine says that no other session knows of a table.
func (v *View) Mine(t *catalog.Table) bool { return isTemporary(t) || v.Drafted(t.ID) }

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
		if v.own != nil {
			v.own.Wrote()
		}
		if len(last) == 0 {
			return ctx, func() {}, nil
		}
	}
	return v.Base.Enter(ctx, last...)
}

// TryEnter is Enter of one table that does not wait.
func (v *View) TryEnter(ctx context.Context, t *catalog.Table) (context.Context, func(), bool) {
	if v.Mine(t) {
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
