package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/overlay"
	"github.com/saltsql/saltsql/storage/txn"
)

// temporary is what a session has of temporary tables: a store in memory with a catalog of its
// own, both laid over those of the DB. It is made with the first CREATE TEMPORARY TABLE, and
// nothing of it is in the DB's store, so that nothing is left of it by whatever end.
//
//	names      catalog.Snapshot.Lay: the session's snapshot is the DB's with these over it
//	rows       storage/overlay: one transaction writes tables of both
//	memory     booked with the session: 53200 where there is no more
//	plans      plancache.Key.Temp: no other session takes them
type temporary struct {
	store  *mem.Store
	cat    *live.Catalog
	txns   *txn.Manager
	uid    string
	schema string
	// onCommit says what becomes of tables at the end of a transaction, by their IDs; nothing
	// of those that keep their rows.
	onCommit map[uint32]onCommit
	made     []uint32 // tables that the transaction made, which ROLLBACK drops
	written  bool     // rows may have come since the last end of a transaction

	mu    sync.Mutex
	held  memory.Share
	base  *catalog.Snapshot // laid is over it
	own   *catalog.Snapshot // laid has it
	laid  *catalog.Snapshot
	stamp uint64 // of own, in the keys of plans
}

type onCommit byte

const (
	deleteRows onCommit = iota + 1
	dropTable
)

// temporaries counts the sessions that have had temporary tables, and stamps the states of their
// catalogs.
var temporaries, stamps atomic.Uint64

// snapshot is the catalog as the session sees it: with its temporary tables.
func (s *Session) snapshot() *catalog.Snapshot {
	snap := s.db.catalog.Snapshot()
	if s.temp == nil {
		return snap
	}
	return s.temp.over(snap)
}

func (t *temporary) over(base *catalog.Snapshot) *catalog.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.cat.Snapshot()
	if t.own != own {
		t.stamp = stamps.Add(1)
	}
	if t.own != own || t.base != base {
		t.base, t.own, t.laid = base, own, base.Lay(own)
	}
	return t.laid
}

// tempStamp tells plans of this session from those of others where it has temporary tables.
func (s *Session) tempStamp() uint64 {
	if s.temp == nil {
		return 0
	}
	s.snapshot()
	s.temp.mu.Lock()
	defer s.temp.mu.Unlock()
	return s.temp.stamp
}

// txns is what reads and writes the tables that the session sees.
func (s *Session) txns() *txn.Manager {
	if s.temp == nil {
		return s.db.txns
	}
	return s.temp.txns
}

// keeperOf gives the catalog that an object is in.
func (s *Session) keeperOf(id uint32) *live.Catalog {
	if s.temp != nil && catalog.TemporaryID(id) {
		return s.temp.cat
	}
	return s.db.catalog
}

// lasting leaves temporary tables out, which nobody else alters or holds.
func (s *Session) lasting(tables []*catalog.Table) []*catalog.Table {
	if s.temp == nil || !slices.ContainsFunc(tables, isTemporary) {
		return tables
	}
	return slices.DeleteFunc(slices.Clone(tables), isTemporary)
}

func isTemporary(t *catalog.Table) bool { return catalog.IsTemporary(t) }

// enter begins a write: see versions.Keeper.Enter.
func (s *Session) enter(ctx context.Context, tables ...*catalog.Table) (context.Context, func(), error) {
	last := s.lasting(tables)
	if len(last) < len(tables) {
		s.temp.written = true
		if len(last) == 0 {
			return ctx, func() {}, nil
		}
	}
	return s.db.enter(ctx, last...)
}

// temporaries gives what the session has of temporary tables, made where it had none yet.
func (s *Session) temporaries(ctx context.Context) (*temporary, error) {
	if s.temp != nil {
		return s.temp, nil
	}
	schema := catalog.TemporarySchema(uint32(temporaries.Add(1)))
	options := []mem.Option{mem.WithClock(s.db.opts.Now)}
	if !s.db.txns.Atomic() {
		options = append(options, mem.WithoutBatches())
	}
	t := &temporary{store: mem.New(options...), schema: schema.Name, onCommit: map[uint32]onCommit{}}
	t.held = memory.Of(&s.held, false)
	var err error
	t.cat, err = live.Open(ctx, t.store, live.OpenOptions{
		Now: s.db.opts.Now, Lease: s.db.opts.Lease, Logger: s.db.opts.Logger, Schema: schema,
		Base:  s.db.catalog.Snapshot,
		Alone: func(ctx context.Context, tables ...string) (func(), error) { return t.txns.Alone(ctx, tables...) },
	})
	if err != nil {
		return nil, err
	}
	t.uid = t.cat.Snapshot().UID()
	t.txns = s.db.txns.Over(overlay.New(s.db.store, t.store, t.owns, t.room), func(table string) string {
		if t.owns(table) {
			return t.cat.Snapshot().ChangeLog(table)
		}
		return s.db.catalog.Snapshot().ChangeLog(table)
	})
	fillIndexes(t.cat, t.txns, s.db.opts.Now)
	s.temp = t
	if s.tx.t != nil {
		t.txns.Move(s.tx.t)
	}
	return t, nil
}

func (t *temporary) owns(table string) bool {
	_, ok := catalog.OwnsPhysical(t.uid, table)
	return ok
}

// room books what the tables hold, and what is to come: 53200 where it is not to be had.
func (t *temporary) room(more int64) error {
	now := t.store.Bytes()
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.held.MustTo(now + more)
	if e := sqlerr.As(err); e != nil {
		return e.WithDetail("Temporary tables are held in memory: they hold %d bytes, and %d more are to come.", now, more)
	}
	return err
}

// drop removes tables by their IDs. Storage in memory does not fail, and what ends with the
// session need not be complained about.
func (t *temporary) drop(ids []uint32) {
	ctx := catalog.WithActor(context.Background(), catalog.BootstrapRole, "")
	var names []catalog.Name
	for _, id := range ids {
		delete(t.onCommit, id)
		if r := t.cat.Snapshot().TableByID(id); r != nil {
			names = append(names, catalog.Name{Schema: r.Schema, Name: r.Name})
		}
	}
	if len(names) > 0 {
		if _, err := t.cat.DropTable(ctx, names, true, true); err != nil {
			t.cat.Options.Logger.Warn("temporary tables were not dropped", "err", err)
		}
	}
	_ = t.room(0) // less cannot fail
}

// empty removes the rows of tables by their IDs.
func (t *temporary) empty(ids []uint32) error {
	for _, id := range ids {
		r := t.cat.Snapshot().TableByID(id)
		if r == nil {
			delete(t.onCommit, id)
			continue
		}
		for n := range r.NumIndexes() {
			if ix := r.Index(n); ix.Primary || ix.Kept() {
				if err := t.store.Admin().Truncate(context.Background(), ix.Physical); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
					return err
				}
			}
		}
	}
	return t.room(0)
}

// endTemporary does what ON COMMIT says, at the end of a transaction or of a lone statement;
// ROLLBACK drops what the transaction has made.
func (s *Session) endTemporary(committed bool) {
	t := s.temp
	if t == nil {
		return
	}
	made := t.made
	t.made = nil
	if !committed {
		if len(made) > 0 {
			t.drop(made)
		}
		t.written = false
		return
	}
	var gone, emptied []uint32
	for id, what := range t.onCommit {
		switch {
		case what == dropTable:
			gone = append(gone, id)
		case t.written:
			emptied = append(emptied, id)
		}
	}
	t.written = false
	if len(gone) > 0 {
		t.drop(gone)
	}
	if len(emptied) > 0 {
		if err := t.empty(emptied); err != nil {
			s.db.opts.Logger.Warn("temporary tables were not emptied", "err", err)
		}
	}
}

// discardTemporary is DISCARD TEMP.
func (s *Session) discardTemporary() {
	if s.temp == nil {
		return
	}
	var all []uint32
	for _, t := range s.temp.cat.Snapshot().Tables() {
		all = append(all, t.ID)
	}
	if len(all) > 0 {
		s.temp.drop(all)
	}
}

// closeTemporary forgets all that the session has of temporary tables.
func (s *Session) closeTemporary() {
	if s.temp == nil {
		return
	}
	_ = s.temp.cat.Close()
	_ = s.temp.store.Close()
	s.temp.held.Release()
	s.temp = nil
}
