package change

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Draft is what the DDL of a transaction block has made of the catalog, before COMMIT publishes it:
//
//	Over     the newest catalog with the draft over it, for the block's own statements
//	Change   one more statement's change, through a Keeper of the draft
//	Edit     all of it, as one commit
//
// It has new objects, and new descriptors of tables, views and sequences that others see as they
// were; nothing of theirs goes by it. IDs of new objects are used up when they are taken, so that
// storage made for a draft that was given up is known by a number that nobody else gets: what is
// left of it by a crash is removed when the store is next opened.
//
// It is for the one process that has a store. One goroutine changes it; Over may be called by any.
type Draft struct {
	keeper  *versions.Keeper
	base    *catalog.Snapshot // the last that a change went by
	beyond  bool
	storage []string        // tables of the store that were made for it
	values  map[uint32]bool // sequences that it has made, whatever became of them

	mu          sync.Mutex
	now         DraftMark
	under, laid *catalog.Snapshot // laid is now over under
}

// DraftMark is a draft at a moment, to go back to. The zero mark is an empty one.
type DraftMark struct {
	put map[uint32]catalog.Object // not changed once it is made
	was map[uint32]string         // what of put others see: its pointers when it was first changed
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
func (d *Draft) Empty() bool { return len(d.Mark().put) == 0 }

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
			used[t.Physical] = true
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
	if len(d.now.put) == 0 {
		return base
	}
	if d.laid == nil || d.under != base {
		objects := base.EditObjects()
		for id, o := range d.now.put {
			o.Ptr = d.now.was[id]
			objects.Set(id, o)
		}
		d.under, d.laid = base, base.Next(base.Root, objects, d.now.put, nil)
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
	next := DraftMark{put: maps.Clone(m.put), was: maps.Clone(m.was)}
	if next.put == nil {
		next = DraftMark{put: map[uint32]catalog.Object{}, was: map[uint32]string{}}
	}
	for id := range ch.Del {
		if !d.Has(id) {
			return m, d.refuse()
		}
		delete(next.put, id)
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
		if there && o.State != catalog.StatePublic {
			return m, d.refuse()
		}
		if o.State == catalog.StateDropping {
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

// Edit gives what becomes of the newest catalog when the draft is published: 40001 where another
// session has changed what it goes by, 42P07 or 42710 where another has taken a name of it.
func (d *Draft) Edit(s *catalog.Snapshot) (*versions.Edit, error) {
	if err := d.holds(s); err != nil {
		return nil, err
	}
	e, version := versions.NewEdit(s), s.Version()+1
	for id, o := range d.Mark().put {
		switch desc := o.Desc.(type) {
		case *catalog.Table:
			cp := *desc
			cp.Version, cp.Types, o.Desc = version, s.Users, &cp
		case *catalog.View:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		case *catalog.Sequence:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		case *catalog.Type:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		}
		e.Put[id] = o
	}
	return &e, nil
}

// holds says whether the draft can be laid over s: names are free, and what it changes, or needs, is
// as it was.
func (d *Draft) holds(s *catalog.Snapshot) error {
	if s == d.base {
		return nil
	}
	m := d.Mark()
	for id, ptr := range m.was {
		if o, ok := s.Object(id); !ok || o.Ptr != ptr {
			return moved(d.base, id)
		}
	}
	for id, o := range m.put {
		if sc, ok := o.Desc.(*catalog.Schema); ok && s.Schema(sc.Name) != nil {
			return sqlerr.New(sqlerr.DuplicateSchema, `schema "%s" already exists`, sc.Name)
		}
		for _, n := range o.Names() {
			by, taken := s.TakenBy(n.Schema, n.Name)
			if _, mine := m.put[by]; !taken || by == id || mine {
				continue
			}
			if _, ok := o.Desc.(*catalog.Type); ok {
				return catalog.DuplicateType(catalog.Name{Name: n.Name})
			}
			return catalog.DuplicateRelation(catalog.Name{Name: n.Name})
		}
	}
	if len(m.put) == 0 {
		return nil
	}
	needs := m.needs()
	for id, was := range d.base.Objects() {
		now, there := s.Object(id)
		if there && now.Ptr == was.Ptr {
			continue
		}
		if _, own := m.was[id]; own {
			continue
		}
		switch was.Desc.(type) {
		case *catalog.Schema, *catalog.Type:
			return moved(d.base, id)
		case *catalog.Role, *catalog.Sequence:
			if !there {
				return moved(d.base, id)
			}
		default:
			if needs[id] {
				return moved(d.base, id)
			}
		}
	}
	return nil
}

// needs lists the tables and views that objects of the draft go by.
func (m DraftMark) needs() map[uint32]bool {
	needs := map[uint32]bool{}
	for _, o := range m.put {
		switch desc := o.Desc.(type) {
		case *catalog.View:
			for _, id := range desc.DependsOn {
				needs[id] = true
			}
		case *catalog.Table:
			for i := range desc.ForeignKeys {
				needs[desc.ForeignKeys[i].Table] = true
			}
		}
	}
	return needs
}

func moved(s *catalog.Snapshot, id uint32) error {
	e := sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent update").WithHint("Repeat the transaction.")
	if r, ok := s.Descriptor(id).(catalog.Relation); ok {
		return e.WithDetail("Another session has changed %s %s, by which the transaction block has changed the catalog.", r.RelKind(), r.RelName())
	}
	return e.WithDetail("Another session has changed what the transaction block has changed the catalog by.")
}
