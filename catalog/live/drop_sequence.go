package live

import (
	"context"
	"strings"

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
		if !cascade {
			if err := sequencesFree(ch, list); err != nil {
				return err
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
	if err == nil {
		c.DeleteRows(ctx, values)
	}
	return notices, err
}

// sequencesFree refuses sequences that something else needs, with all that does.
func sequencesFree(ch *change.Change, list []*catalog.Sequence) error {
	var details []string
	for _, q := range list {
		if err := notIdentity(ch, q); err != nil {
			return err
		}
		more, err := ch.DropDefaults(q, 0, false)
		if err != nil {
			return err
		}
		details = append(details, more...)
		for _, v := range ch.Dependents(q.ID) {
			details = append(details, v.RelKind()+" "+v.Name+" depends on sequence "+q.Name)
		}
	}
	switch {
	case len(details) == 0:
		return nil
	case len(list) == 1:
		return catalog.DependentsExist("sequence "+list[0].Name, strings.Join(details, "\n"))
	}
	return severalDependOn(details)
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
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop sequence %s because column %s of table %s requires it", q.Name, col.Name, t.Name).
		WithHint("You can drop column %s of table %s instead.", col.Name, t.Name)
}

func dropSequence(ch *change.Change, q *catalog.Sequence, cascade bool) error {
	if err := notIdentity(ch, q); err != nil {
		return err
	}
	details, err := ch.DropDefaults(q, 0, cascade)
	if err != nil {
		return err
	}
	if len(details) > 0 {
		return catalog.DependentsExist("sequence "+q.Name, strings.Join(details, "\n"))
	}
	if err := ch.DropDependents(q, cascade); err != nil {
		return err
	}
	ch.Remove(q.ID)
	return nil
}

// ownedGone refuses to drop a table while another table's default draws from a
// sequence that goes with it; with cascade those defaults go too.
func ownedGone(ch *change.Change, q *catalog.Sequence, t *catalog.Table, cascade bool) error {
	details, err := ch.DropDefaults(q, t.ID, cascade)
	if err != nil || len(details) == 0 {
		return err
	}
	return catalog.DependentsExist("table "+t.Name, strings.Join(details, "\n"))
}
