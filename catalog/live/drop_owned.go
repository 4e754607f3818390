package live

import (
	"cmp"
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
)

// DropOwned is DROP OWNED BY: what roles own is dropped, all or nothing, and what they were
// granted is revoked, on all servers of the store when it returns. The database stays, whoever owns it.
func (c *Catalog) DropOwned(ctx context.Context, roles []uint32, cascade bool, database string) (catalog.Notices, error) {
	notices, err := c.dropWithTypes(ctx, func(ch *change.Change) ([]string, error) {
		if err := authz.RevokeAll(ch, roles, database); err != nil {
			return nil, err
		}
		return dropOwned(ch, roles, cascade)
	})
	if err == nil {
		err = c.AwaitServers(ctx, nil, c.Snapshot().Version())
	}
	return notices, err
}

func dropOwned(ch *change.Change, roles []uint32, cascade bool) (values []string, err error) {
	var owned []catalog.Relation
	ch.Going = map[uint32]bool{}
	for _, r := range ch.Members() {
		o, ok := r.(catalog.Ownable)
		if q, is := r.(*catalog.Sequence); !ok || !slices.Contains(roles, o.Ownership().Owner) || is && q.OwnerTable != 0 {
			continue // a column's sequence goes with its table
		}
		owned = append(owned, r)
		ch.Going[r.RelID()] = true
	}
	// What was made of another goes before it, a domain over a domain among it.
	slices.SortFunc(owned, func(a, b catalog.Relation) int { return cmp.Compare(b.RelID(), a.RelID()) })
	for _, r := range owned {
		o, there := ch.Get(r.RelID())
		if !there {
			continue // it went by CASCADE
		}
		v, err := dropMember(ch, o.Desc, cascade)
		if err != nil {
			return nil, err
		}
		values = append(values, v...)
	}
	var schemas []leavingSchema
	for _, sc := range ch.Schemas() {
		if !slices.Contains(roles, sc.Owner) {
			continue
		}
		l, err := findLeaving(ch, sc.Name, false)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, l)
	}
	ch.Several = len(owned)+len(schemas) > 1
	v, err := dropSchemas(ch, schemas, cascade)
	return append(values, v...), err
}

// dropMember removes a member of a schema.
func dropMember(ch *change.Change, d catalog.Descriptor, cascade bool) ([]string, error) {
	switch r := d.(type) {
	case *catalog.Table:
		return dropTable(ch, r, cascade)
	case *catalog.Sequence:
		return []string{string(versions.SeqKey(r.ID))}, dropSequence(ch, r, cascade)
	case *catalog.View:
		ch.DropDependents(r, cascade)
		ch.Remove(r.ID)
	case *catalog.Type:
		return nil, dropType(ch, r, cascade)
	}
	return nil, nil
}
