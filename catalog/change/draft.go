package change

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
)

// Draft is what the DDL of a transaction block has made of the catalog, before COMMIT publishes it:
//
//	Over     the newest catalog with the draft over it, for the block's own statements
//	Change   one more statement's change, through a Keeper of the draft
//	Edit     all of it, as one commit
//
// It has new objects, new descriptors of tables, views and sequences that others see as they were, and
// what it removes of theirs. IDs of new objects are used up when they are taken, so that
// storage made for a draft that was given up is known by a number that nobody else gets: what is
// left of it by a crash is removed when the store is next opened.
//
// It is for the one process that has a store. One goroutine changes it; Over may be called by any.
type Draft struct {
	keeper  *versions.Keeper
	base    *catalog.Snapshot // the last that a change went by
	beyond  bool
	kept    bool            // Keep has been called: names may be those of what stays
	storage []string        // tables of the store that were made for it
	values  map[uint32]bool // sequences that it has made, whatever became of them

	mu          sync.Mutex
	now         DraftMark
	under, laid *catalog.Snapshot // laid is now over under
}

// DraftMark is a draft at a moment, to go back to. The zero mark is an empty one.
type DraftMark struct {
	put map[uint32]catalog.Object // not changed once it is made
	was map[uint32]string         // what of put and del others see: its pointers when it was first changed
	del map[uint32]bool           // what others see and it removes; tables are in put, dropping
}

// NewDraft begins a draft over the catalog of a keeper.
func NewDraft(k *Keeper) *Draft {
	return &Draft{keeper: k.Keeper, base: k.Keeper.Snapshot(), values: map[uint32]bool{}}
}

// errBeyond is what no draft can do. It is not shown: see Draft.Beyond.
var errBeyond = errors.New("catalog: a draft cannot do this")

// Beyond says, once, that a statement asked since it was asked last for what no draft can do.
func (d *Draft) Beyond() bool {
	was := d.beyond
	d.beyond = false
	return was
}

// Empty says that there is nothing to publish.
func (d *Draft) Empty() bool { return d.Mark().empty() }

func (m DraftMark) empty() bool { return len(m.put) == 0 && len(m.del) == 0 }

// Removed lists what of the catalog others see and the draft removes.
func (m DraftMark) Removed() map[uint32]bool {
	removed := maps.Clone(m.del)
	if removed == nil {
		removed = map[uint32]bool{}
	}
	for id, o := range m.put {
		if o.State == catalog.StateDropping {
			removed[id] = true
		}
	}
	return removed
}

// Alters says that the draft has a new descriptor, other than before had, of what others see and it
// does not remove.
func (m DraftMark) Alters(before DraftMark) bool {
	for id, o := range m.put {
		if _, seen := m.was[id]; seen && o.State == catalog.StatePublic && before.put[id].Desc != o.Desc {
			return true
		}
	}
	return false
}

// Keep takes back what the draft removes of what others see.
func (d *Draft) Keep() {
	m := d.Mark()
	next := DraftMark{put: maps.Clone(m.put), was: maps.Clone(m.was)}
	for id := range m.Removed() {
		delete(next.put, id)
		delete(next.was, id)
	}
	d.kept = true
	d.RollbackTo(next)
}

// Mark gives the draft as it is.
func (d *Draft) Mark() DraftMark {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// RollbackTo makes the draft what it was. Storage that was made since is dropped at its end.
func (d *Draft) RollbackTo(m DraftMark) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now, d.laid = m, nil
}

// Has says that nobody but the block sees an object of the draft.
func (d *Draft) Has(id uint32) bool {
	m := d.Mark()
	_, there := m.put[id]
	_, seen := m.was[id]
	return there && !seen
}

// Stores notes a table of the store that is made for the draft.
func (d *Draft) Stores(name string) { d.storage = append(d.storage, name) }

// Storage lists the tables of the store that were made for the draft: those that it has, if it is
// published, and those that nothing names.
func (d *Draft) Storage() (used map[string]bool, unused []string) {
	used = map[string]bool{}
	for _, o := range d.Mark().put {
		if t, ok := o.Desc.(*catalog.Table); ok {
			for _, part := range t.Parts() {
				used[part] = true
			}
			for i := range t.Indexes {
				used[t.Indexes[i].Physical] = true
			}
		}
	}
	for _, name := range d.storage {
		if !used[name] {
			unused = append(unused, name)
		}
	}
	return used, unused
}

// Values lists the sequences that were made for the draft and that it does not have.
func (d *Draft) Values() (unused []uint32) {
	for id := range d.values {
		if !d.Has(id) {
			unused = append(unused, id)
		}
	}
	return unused
}

// Over gives a catalog with the draft over it.
func (d *Draft) Over(base *catalog.Snapshot) *catalog.Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now.empty() {
		return base
	}
	if d.laid == nil || d.under != base {
		objects := base.EditObjects()
		for id, o := range d.now.put {
			o.Ptr = d.now.was[id]
			objects.Set(id, o)
		}
		for id := range d.now.del {
			objects.Delete(id)
		}
		d.under, d.laid = base, base.Next(base.Root, objects, d.now.put, d.now.del)
	}
	return d.laid
}

// change makes one more change, and gives the catalog after it as the block sees it.
func (d *Draft) change(ctx context.Context, edit func(*catalog.Snapshot) (*Change, error)) (*catalog.Snapshot, error) {
	for {
		base, err := d.keeper.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		if err := d.holds(base); err != nil {
			return nil, err
		}
		s := d.Over(base)
		ch, err := edit(s)
		if err != nil || ch == nil {
			return s, err
		}
		next, err := d.with(base, ch)
		if err != nil {
			return nil, err
		}
		if n := ch.NextID - base.Root.NextID; n > 0 {
			after, err := d.keeper.Reserve(ctx, base, n)
			if errors.Is(err, versions.ErrMoved) {
				continue
			}
			if err != nil {
				return nil, err
			}
			d.base, base = base, after // what changed in between is for the next look
		} else {
			d.base = base
		}
		d.RollbackTo(next)
		return d.Over(base), nil
	}
}

// with gives the draft with a change of it over base.
func (d *Draft) with(base *catalog.Snapshot, ch *Change) (DraftMark, error) {
	m := d.Mark()
	next := DraftMark{put: maps.Clone(m.put), was: maps.Clone(m.was), del: maps.Clone(m.del)}
	if next.put == nil {
		next = DraftMark{put: map[uint32]catalog.Object{}, was: map[uint32]string{}, del: map[uint32]bool{}}
	}
	for id := range ch.Del {
		_, changed := next.put[id]
		delete(next.put, id)
		seen, there := base.Object(id)
		if !there {
			continue
		}
		switch seen.Desc.(type) {
		case *catalog.View, *catalog.Sequence, *catalog.Type, *catalog.Schema:
		default:
			return m, d.refuse()
		}
		if !changed {
			next.was[id] = seen.Ptr
		}
		next.del[id] = true
	}
	for id, o := range ch.Put {
		seen, there := base.Object(id)
		switch desc := o.Desc.(type) {
		case *catalog.Table:
			if there { // rows are written by it
				desc.Version = seen.Desc.(*catalog.Table).Version
			}
		case *catalog.Sequence:
			if !there {
				d.values[id] = true
			}
		case *catalog.View:
		case *catalog.Schema, *catalog.Type:
			if there {
				return m, d.refuse()
			}
		default:
			return m, d.refuse()
		}
		if o.State == catalog.StateDropping && !there {
			delete(next.put, id)
			continue
		}
		if _, changed := next.put[id]; there && !changed {
			next.was[id] = seen.Ptr
		}
		next.put[id] = o
	}
	return next, nil
}

func (d *Draft) refuse() error {
	d.beyond = true
	return errBeyond
}
