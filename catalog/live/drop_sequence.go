package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropSequence removes sequences, all or none. One that a column's default
// names goes with CASCADE only, and the default with it: 2BP01.
func (c *Catalog) DropSequence(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	var values []string
	drop := func(ch *change.Change) error {
		values = values[:0]
		ch.Several = len(names) > 1
		var list []*catalog.Sequence
		for _, n := range names {
			r, err := ch.FindToDrop(n, "sequence", ifExists)
			if err != nil {
				return err
			}
			if r != nil {
				list = append(list, r.(*catalog.Sequence))
			}
		}
		for _, q := range list {
			if _, ok := ch.Get(q.ID); !ok {
				continue // named twice
			}
			if err := dropSequence(ch, q, cascade); err != nil {
				return err
			}
			values = append(values, string(versions.SeqKey(q.ID)))
		}
		return ch.UnlessEmpty()
	}
	if cascade { // to materialized views, which have storage
		return c.dropWithTables(ctx, func(ch *change.Change) ([]string, error) { err := drop(ch); return values, err })
	}
	_, notices, err := c.Change(ctx, drop)
	if err == nil && !change.Rehearses(ctx) {
		c.DeleteRows(ctx, values)
	}
	return notices, err
}

// notIdentity refuses the sequence that an identity column counts with.
func notIdentity(ch *change.Change, q *catalog.Sequence) error {
	o, ok := ch.Get(q.OwnerTable)
	if q.OwnerTable == 0 || !ok {
		return nil
	}
	t := o.Desc.(*catalog.Table)
	col := t.ColumnByID(q.OwnerColumn)
	if col == nil || col.Identity == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because %s requires it", ch.Called(q), ch.CalledIn("column "+col.Name, t)).
		WithHint("You can drop %s instead.", ch.CalledIn("column "+col.Name, t))
}

func dropSequence(ch *change.Change, q *catalog.Sequence, cascade bool) error {
	if err := notIdentity(ch, q); err != nil {
		return err
	}
	if err := ch.DropDefaults(q, 0, ch.Called(q), cascade); err != nil {
		return err
	}
	ch.DropDependents(q, cascade)
	ch.Remove(q.ID)
	return nil
}
