package live

import (
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// find resolves a name for ALTER of one kind of relation by its owner. With
// ifExists what is not there is a NOTICE and nil.
func (ch *change) find(n catalog.Name, kind string, ifExists bool) (catalog.Relation, error) {
	return ch.findAs(kind, n, kind, ifExists, ch.mustOwn)
}

// findAs is find where what is not there is called word, for who is allowed.
func (ch *change) findAs(word string, n catalog.Name, kind string, ifExists bool, allowed func(catalog.Relation) error) (catalog.Relation, error) {
	if n.Schema != "" && ch.Schema(n.Schema) == nil && !catalog.IsSystemSchema(n.Schema) {
		if ifExists {
			ch.notices.Add(skipping(sqlerr.SuccessfulCompletion, `schema "%s" does not exist, skipping`, n.Schema))
			return nil, nil
		}
		return nil, catalog.UndefinedSchema(n.Schema).At(n.Pos)
	}
	if err := ch.mayUse(n.Schema); err != nil {
		return nil, err
	}
	r := ch.Lookup(n)
	if v, ok := r.(*catalog.Virtual); ok {
		return nil, v.Denied().At(n.Pos)
	}
	if r != nil {
		if o, ok := ch.get(r.RelID()); !ok || o.State == catalog.StateDropping {
			r = nil // named twice in one statement, or gone by CASCADE
		} else {
			r = o.Desc.(catalog.Relation)
		}
	}
	switch {
	case r == nil && ifExists:
		ch.notices.Add(skipping(sqlerr.SuccessfulCompletion, `%s "%s" does not exist, skipping`, word, n.Name))
		return nil, nil
	case r == nil:
		return nil, catalog.UndefinedRelation(word, n)
	case r.RelKind() != kind:
		return nil, catalog.WrongKind(r, kind)
	}
	return r, allowed(r)
}

// findToDrop is find, with Postgres's hint where another DROP is meant.
func (ch *change) findToDrop(n catalog.Name, kind string, ifExists bool) (catalog.Relation, error) {
	r, err := ch.findAs(kind, n, kind, ifExists, ch.mayDrop)
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.WrongObjectType {
		other := ch.Lookup(n).RelKind()
		return nil, e.WithHint("Use DROP %s to remove %s %s.", catalog.UpperWord(other), catalog.Article(other), other)
	}
	return r, err
}

// unlessEmpty ends a change that has nothing to commit.
func (ch *change) unlessEmpty() error {
	if len(ch.Put) == 0 && len(ch.Del) == 0 {
		return errNoChange
	}
	return nil
}

// dropDependents removes the views that need a relation, or says which they
// are.
func (ch *change) dropDependents(r catalog.Relation, cascade bool) error {
	return ch.dropUsers(0, r.RelKind()+" "+r.RelName(), r, cascade)
}

// dropUsers removes the views that need a column of a relation, or where column is 0 the
// relation, and those that need these; without cascade it says which they are. what
// is the thing that is dropped.
func (ch *change) dropUsers(column int, what string, r catalog.Relation, cascade bool) error {
	type user struct{ view, on string }
	var users []user
	seen := map[uint32]bool{}
	var collect func(id uint32, column int, what string)
	collect = func(id uint32, column int, what string) {
		var found []*catalog.View
		for _, v := range ch.Dependents(id) {
			if o, ok := ch.get(v.ID); !ok || o.State != catalog.StatePublic || seen[v.ID] || ch.going[v.ID] {
				continue
			}
			if used, _ := v.UsesColumn(id, column); column != 0 && !used {
				continue
			}
			seen[v.ID] = true
			users = append(users, user{v.RelKind() + " " + v.Name, what})
			found = append(found, v)
		}
		for _, v := range found {
			collect(v.ID, 0, v.RelKind()+" "+v.Name)
			if cascade {
				ch.removeView(v)
			}
		}
	}
	collect(r.RelID(), column, what)
	if len(users) == 0 {
		return nil
	}
	lines := make([]string, len(users))
	for i, u := range users {
		lines[i] = u.view + " depends on " + u.on
		if cascade {
			lines[i] = "drop cascades to " + u.view
		}
	}
	switch {
	case !cascade:
		return catalog.DependentsExist(what, strings.Join(lines, "\n"))
	case len(lines) == 1:
		ch.notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", lines[0]))
	default:
		ch.notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", len(lines)).
			WithDetail("%s", strings.Join(lines, "\n")))
	}
	return nil
}

// refuseFixed refuses to rename a column that a view names in USING: 0A000.
func (ch *change) refuseFixed(r catalog.Relation, column int, name string, pos int) error {
	for _, v := range ch.Dependents(r.RelID()) {
		if _, fixed := v.UsesColumn(r.RelID(), column); fixed {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot rename column "%s" because %s %s joins by its name`, name, v.RelKind(), v.Name).
				WithHint("Drop the view %s, rename the column, and create the view again with ON in the place of USING or NATURAL.", v.Name).At(pos)
		}
	}
	return nil
}

// dropTable starts a table's removal; its sequences go with it.
func (ch *change) dropTable(t *catalog.Table, cascade bool) ([]string, error) {
	if err := refuseForeign(t, "DROP TABLE", 0); err != nil {
		return nil, err
	}
	if err := ch.dropDependents(t, cascade); err != nil {
		return nil, err
	}
	if err := ch.dropReferencing(t, nil, "table "+t.Name, "table "+t.Name, cascade); err != nil {
		return nil, err
	}
	var values []string
	for _, q := range ch.OwnedSequences(t.ID) {
		if err := ch.dropDependents(q, cascade); err != nil {
			return nil, err
		}
		if err := ch.ownedGone(q, t, cascade); err != nil {
			return nil, err
		}
		ch.remove(q.ID)
		values = append(values, string(versions.SeqKey(q.ID)))
	}
	ch.set(t.Clone(), catalog.StateDropping)
	return values, nil
}

// DropTable removes tables, all or none. Their rows are gone for every
// statement that starts after it.
func (c *Catalog) DropTable(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropStored(ctx, "table", names, ifExists, cascade)
}

// dropStored removes tables, or materialized views.
func (c *Catalog) dropStored(ctx context.Context, kind string, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropWithTables(ctx, func(ch *change) (values []string, err error) {
		// A view that names two of the tables is no hindrance where it goes too;
		// tables go in the order given, as in Postgres.
		ch.going = map[uint32]bool{}
		for _, n := range names {
			if t, ok := ch.Lookup(n).(*catalog.Table); ok {
				ch.going[t.ID] = true
			}
		}
		for _, n := range names {
			r, err := ch.findToDrop(n, kind, ifExists)
			if err != nil {
				return nil, err
			}
			if r == nil {
				continue
			}
			v, err := ch.dropTable(r.(*catalog.Table), cascade)
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
}

// dropWithTables commits a removal, then removes the storage tables it leaves.
// Once the commit is made the objects are gone: a store that fails after that
// keeps rows that nobody sees, and repair removes them.
func (c *Catalog) dropWithTables(ctx context.Context, fn func(*change) ([]string, error)) (catalog.Notices, error) {
	var notices catalog.Notices
	err := c.WithLease(ctx, func(h *versions.Held) error {
		var values []string
		s, ns, err := c.change(ctx, func(ch *change) (err error) {
			if values, err = fn(ch); err != nil {
				return err
			}
			return ch.unlessEmpty()
		})
		notices = ns
		if err != nil {
			return err
		}
		ctx, cancel := versions.Detached(ctx, c.Options.Lease)
		defer cancel()
		c.DeleteRows(ctx, values)
		if err := c.finishDropping(ctx, h, s); err != nil {
			c.Options.Logger.Warn("catalog: the storage of a dropped table is removed later", "err", err)
		}
		return nil
	})
	return notices, err
}

// findQueried resolves a table with the wording of queries.
func (ch *change) findQueried(n catalog.Name) (*catalog.Table, error) {
	if err := ch.mayUse(n.Schema); err != nil {
		return nil, err
	}
	t, err := ch.ResolveTable(n.Path, n.Schema, n.Name)
	if err == nil && t.Materialized != nil {
		return nil, catalog.WrongKind(t, "table")
	}
	return t, catalog.Positioned(err, n.Pos)
}
