package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// change is what a DDL statement does to one snapshot.
type change struct {
	*Snapshot // as it was
	actor     // who makes it
	edit
	going   map[uint32]bool // tables that the statement drops
	notices Notices
}

func newChange(ctx context.Context, s *Snapshot) *change {
	return &change{Snapshot: s, actor: actorOf(ctx), edit: newEdit(s)}
}

// newID takes an object ID. It is used up by the commit, whatever becomes of
// the object.
func (ch *change) newID() (uint32, error) {
	if ch.nextID == 1<<32-1 {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "all object IDs have been used")
	}
	ch.nextID++
	return ch.nextID - 1, nil
}

// set records a descriptor, with its version.
func (ch *change) set(d descriptor, st state) {
	v := ch.Version() + 1
	ch.ofNew(d)
	switch d := d.(type) {
	case *Table:
		d.Version = v
	case *View:
		d.Version = v
	case *Sequence:
		d.Version = v
	}
	ch.put[descriptorID(d)] = object{desc: d, state: st}
}

func (ch *change) remove(id uint32) {
	delete(ch.put, id)
	ch.del[id] = true
}

// get gives an object as the change has it so far.
func (ch *change) get(id uint32) (object, bool) {
	if ch.del[id] {
		return object{}, false
	}
	if o, ok := ch.put[id]; ok {
		return o, true
	}
	o, ok := ch.objects[id]
	return o, ok
}

// nameTaken says whether a relation's name is in use in the change so far.
func (ch *change) nameTaken(schema, name string) bool {
	for id, o := range ch.put {
		r, ok := o.desc.(Relation)
		if !ok || id == 0 || o.state == dropping {
			continue
		}
		if r.RelSchema() == schema && r.RelName() == name {
			return true
		}
		if t, ok := r.(*Table); ok && schema == t.Schema && slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.Name == name }) {
			return true
		}
	}
	id, ok := ch.takenBy(schema, name)
	if !ok || ch.del[id] {
		return false
	}
	_, changed := ch.put[id]
	return !changed
}

// errNoChange lets a change end without a commit.
var errNoChange = errors.New("catalog: nothing to change")

// change applies fn to the newest snapshot and commits what it made; when
// another server was faster it starts again on what that one left. fn must do
// nothing else. The snapshot returned is the one after the change.
func (c *Catalog) change(ctx context.Context, fn func(*change) error) (*Snapshot, Notices, error) {
	var ch *change
	s, err := c.update(ctx, func(s *Snapshot) (*edit, error) {
		ch = newChange(ctx, s)
		err := fn(ch)
		if errors.Is(err, errNoChange) {
			return nil, nil
		}
		return &ch.edit, err
	})
	if ch == nil {
		return nil, nil, err
	}
	return s, ch.notices, err
}
