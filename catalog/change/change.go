package change

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Change is what a DDL statement does to one snapshot.
type Change struct {
	*catalog.Snapshot // as it was
	catalog.Actor     // who makes it
	versions.Edit
	Going map[uint32]bool // relations and types that the statement drops by themselves
	// TypeUsers is what of tables that stay depends on types that are removed: the change must
	// not be made while there is any.
	TypeUsers []catalog.TypeUser
	// DropsStored says that a materialized view goes too, whose storage is to be removed.
	DropsStored bool
	Notices     catalog.Notices
	// Cascaded is what CASCADE takes along, as messages call it: one notice tells of all.
	Cascaded []string
	// Several says that the statement names several objects to drop.
	Several  bool
	blocks   []block
	blockers map[string]bool // who of blocks
	views    []*catalog.View // see catalog.WithTemporaryViews
}

// New begins a change of a snapshot by who asks in ctx. Keeper.Change makes its own.
func New(ctx context.Context, s *catalog.Snapshot) *Change {
	ch := &Change{Snapshot: s, Actor: catalog.ActorOf(ctx), Edit: versions.NewEdit(s)}
	if s.TempSchema() == "" {
		ch.views = catalog.TemporaryViewsOf(ctx)
	}
	return ch
}

// NewID takes an object ID. It is used up by the commit, whatever becomes of
// the object.
func (ch *Change) NewID() (uint32, error) {
	if ch.NextID == catalog.FirstTemporaryOID || ch.NextID == catalog.LastOID {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "all object IDs have been used")
	}
	ch.NextID++
	return ch.NextID - 1, nil
}

// Set records a descriptor, with its version.
func (ch *Change) Set(d catalog.Descriptor, st catalog.State) {
	v := ch.Version() + 1
	ch.ofNew(d)
	switch d := d.(type) {
	case *catalog.Table:
		d.Version, d.Types = v, ch.Users
	case *catalog.Type:
		d.Version = v
	case *catalog.View:
		d.Version = v
	case *catalog.Sequence:
		d.Version = v
	}
	ch.Put[versions.DescriptorID(d)] = catalog.Object{Desc: d, State: st}
}

func (ch *Change) Remove(id uint32) {
	delete(ch.Put, id)
	ch.Del[id] = true
}

// Get gives an object as the change has it so far.
func (ch *Change) Get(id uint32) (catalog.Object, bool) {
	if ch.Del[id] {
		return catalog.Object{}, false
	}
	if o, ok := ch.Put[id]; ok {
		return o, true
	}
	o, ok := ch.Object(id)
	if !ok {
		if i := slices.IndexFunc(ch.views, func(v *catalog.View) bool { return v.ID == id }); i >= 0 {
			return catalog.Object{Desc: ch.views[i], State: catalog.StatePublic}, true
		}
	}
	return o, ok
}

// NameTaken says whether a relation's name is in use in the change so far.
func (ch *Change) NameTaken(schema, name string) bool {
	for id, o := range ch.Put {
		r, ok := o.Desc.(catalog.Relation)
		if !ok || id == 0 || o.State == catalog.StateDropping {
			continue
		}
		if r.RelSchema() == schema && r.RelName() == name {
			return true
		}
		if t, ok := r.(*catalog.Table); ok && schema == t.Schema {
			for index := range t.IndexNames() {
				if index == name {
					return true
				}
			}
		}
	}
	id, ok := ch.TakenBy(schema, name)
	if !ok || ch.Del[id] {
		return false
	}
	_, changed := ch.Put[id]
	return !changed
}
