package live

import (
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// change is what a DDL statement does to one snapshot.
type change struct {
	*catalog.Snapshot // as it was
	catalog.Actor     // who makes it
	versions.Edit
	going map[uint32]bool // tables that the statement drops
	// dropsStored says that a materialized view goes too, whose storage is to be removed.
	dropsStored bool
	notices     catalog.Notices
}

func newChange(ctx context.Context, s *catalog.Snapshot) *change {
	return &change{Snapshot: s, Actor: catalog.ActorOf(ctx), Edit: versions.NewEdit(s)}
}

// newID takes an object ID. It is used up by the commit, whatever becomes of
// the object.
func (ch *change) newID() (uint32, error) {
	if ch.NextID == catalog.FirstTemporaryOID || ch.NextID == catalog.LastOID {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "all object IDs have been used")
	}
	ch.NextID++
	return ch.NextID - 1, nil
}

// set records a descriptor, with its version.
func (ch *change) set(d catalog.Descriptor, st catalog.State) {
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

func (ch *change) remove(id uint32) {
	delete(ch.Put, id)
	ch.Del[id] = true
}

// get gives an object as the change has it so far.
func (ch *change) get(id uint32) (catalog.Object, bool) {
	if ch.Del[id] {
		return catalog.Object{}, false
	}
	if o, ok := ch.Put[id]; ok {
		return o, true
	}
	o, ok := ch.Object(id)
	return o, ok
}

// nameTaken says whether a relation's name is in use in the change so far.
func (ch *change) nameTaken(schema, name string) bool {
	for id, o := range ch.Put {
		r, ok := o.Desc.(catalog.Relation)
		if !ok || id == 0 || o.State == catalog.StateDropping {
			continue
		}
		if r.RelSchema() == schema && r.RelName() == name {
			return true
		}
		if t, ok := r.(*catalog.Table); ok && schema == t.Schema && slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool { return ix.Name == name }) {
			return true
		}
	}
	id, ok := ch.TakenBy(schema, name)
	if !ok || ch.Del[id] {
		return false
	}
	_, changed := ch.Put[id]
	return !changed
}

// errNoChange lets a change end without a commit.
var errNoChange = errors.New("catalog: nothing to change")

// change applies fn to the newest snapshot and commits what it made; when
// another server was faster it starts again on what that one left. fn must do
// nothing else. The snapshot returned is the one after the change.
func (c *Catalog) change(ctx context.Context, fn func(*change) error) (*catalog.Snapshot, catalog.Notices, error) {
	var ch *change
	s, err := c.Update(ctx, func(s *catalog.Snapshot) (*versions.Edit, error) {
		ch = newChange(ctx, c.over(s))
		err := fn(ch)
		if errors.Is(err, errNoChange) {
			return nil, nil
		}
		if err == nil {
			if err = c.onlyOwn(&ch.Edit); err == nil {
				err = ch.checkTypes()
			}
		}
		return &ch.Edit, err
	})
	if ch == nil {
		return nil, nil, err
	}
	return s, ch.notices, err
}

// over gives a snapshot with the catalog under it that this one is laid over, if it is.
func (c *Catalog) over(s *catalog.Snapshot) *catalog.Snapshot {
	if c.Options.Base == nil {
		return s
	}
	return s.Under(c.Options.Base())
}

// Seen is Snapshot with the catalog under it that this one is laid over, if it is.
func (c *Catalog) Seen() *catalog.Snapshot { return c.over(c.Snapshot()) }

// onlyOwn refuses to change what is of the catalog under this one.
func (c *Catalog) onlyOwn(e *versions.Edit) error {
	if c.Options.Base == nil {
		return nil
	}
	for id := range e.Put {
		if !catalog.TemporaryID(id) {
			return mixedLives()
		}
	}
	for id := range e.Del {
		if !catalog.TemporaryID(id) {
			return mixedLives()
		}
	}
	return nil
}

func mixedLives() error {
	return sqlerr.Unsupported("one statement that changes temporary and other objects is not supported", "Write a statement for each.")
}
