package live

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropOwned is DROP OWNED BY: what roles own is dropped, all or nothing, and what they were
// granted is revoked. The database stays, whoever owns it.
func (c *Catalog) DropOwned(ctx context.Context, roles []uint32, cascade bool, database string) (catalog.Notices, error) {
	return c.dropWithTables(ctx, func(ch *change.Change) ([]string, error) {
		if err := authz.RevokeAll(ch, roles, database); err != nil {
			return nil, err
		}
		return dropOwned(ch, roles, cascade)
	})
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
	told := len(ch.Notices)
	count := len(owned)
	var blocked []error
	drop := func(do func() ([]string, error)) error {
		v, err := do()
		if e := sqlerr.As(err); e != nil && e.Code == sqlerr.DependentObjectsStillExist && !cascade {
			blocked, err = append(blocked, err), nil
		}
		values = append(values, v...)
		return err
	}
	for _, r := range owned {
		o, there := ch.Get(r.RelID())
		if t, ok := r.(*catalog.Type); ok && cascade && storedAs(ch, t) {
			return nil, sqlerr.Unsupported("DROP OWNED … CASCADE of type "+t.Name+", which tables of others have, is not supported", "DROP TYPE … CASCADE takes their columns first.")
		}
		if !there {
			continue // it went by CASCADE
		}
		if err := drop(func() ([]string, error) { return dropMember(ch, o.Desc, cascade) }); err != nil {
			return nil, err
		}
	}
	for _, sc := range ch.Schemas() {
		if !slices.Contains(roles, sc.Owner) {
			continue
		}
		count++
		if err := drop(func() ([]string, error) { return dropSchema(ch, sc.Name, false, cascade) }); err != nil {
			return nil, err
		}
	}
	switch {
	case len(blocked) > 0 && count == 1:
		return nil, blocked[0]
	case len(blocked) > 0:
		var details []string
		for _, err := range blocked {
			details = append(details, sqlerr.As(err).Detail)
		}
		return nil, severalDependOn(details)
	}
	ch.Notices = append(ch.Notices[:told:told], inOne(ch.Notices[told:])...)
	return values, nil
}

// severalDependOn is the error of a statement that drops several things, for which others are
// needed.
func severalDependOn(details []string) error {
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop desired object(s) because other objects depend on them").
		WithDetail("%s", strings.Join(details, "\n")).
		WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// inOne makes of the notices of what went by CASCADE one for all of it.
func inOne(told catalog.Notices) catalog.Notices {
	var lines []string
	for _, n := range told {
		if n.Detail != "" {
			lines = append(lines, n.Detail)
		} else {
			lines = append(lines, n.Message)
		}
	}
	if len(lines) < 2 {
		return told
	}
	all := strings.Join(lines, "\n")
	return catalog.Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", strings.Count(all, "\n")+1).WithDetail("%s", all)}
}

// dropMember removes a member of a schema.
func dropMember(ch *change.Change, d catalog.Descriptor, cascade bool) ([]string, error) {
	switch r := d.(type) {
	case *catalog.Table:
		return dropTable(ch, r, cascade)
	case *catalog.Sequence:
		return []string{string(versions.SeqKey(r.ID))}, dropSequence(ch, r, cascade)
	case *catalog.View:
		if err := ch.DropDependents(r, cascade); err != nil {
			return nil, err
		}
		ch.Remove(r.ID)
	case *catalog.Type:
		return nil, dropType(ch, r, cascade)
	}
	return nil, nil
}
