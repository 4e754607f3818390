package live

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// draws lists the sequences that the column's default names.
func draws(c *catalog.Column) []uint32 {
	if c.Sequence == 0 {
		return c.DefaultUses
	}
	return []uint32{c.Sequence}
}

// setDefault gives c a default. 42P01 if a sequence of its has been dropped meanwhile.
func (ch *change) setDefault(c *catalog.Column, d *catalog.ColumnDefault) error {
	c.DefaultExpr, c.Default, c.Sequence, c.DefaultUses = d.Expr, d.Text, d.Sequence, d.Uses
	for _, id := range draws(c) {
		if o, ok := ch.get(id); ok {
			if _, ok := o.Desc.(*catalog.Sequence); ok {
				continue
			}
		}
		return sqlerr.New(sqlerr.UndefinedTable, `a sequence that the default of column "%s" names was dropped at the same time`, c.Name)
	}
	return nil
}

// columnRef is a column of a table, in the change so far.
type columnRef struct {
	table  *catalog.Table
	column *catalog.Column
	state  catalog.State
}

func (r columnRef) String() string {
	return "default value for column " + r.column.Name + " of table " + r.table.Name
}

// drawnBy lists the columns whose default names a sequence, in order of
// creation.
func (ch *change) drawnBy(id uint32) []columnRef {
	var list []columnRef
	add := func(o catalog.Object) {
		t, ok := o.Desc.(*catalog.Table)
		if !ok || o.State == catalog.StateDropping {
			return
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; slices.Contains(draws(c), id) {
				list = append(list, columnRef{t, c, o.State})
			}
		}
	}
	for tid, o := range ch.Objects() {
		if _, changed := ch.Put[tid]; !changed && !ch.Del[tid] {
			add(o)
		}
	}
	for _, o := range ch.Put {
		add(o)
	}
	slices.SortFunc(list, func(a, b columnRef) int {
		return cmp.Or(cmp.Compare(a.table.ID, b.table.ID), cmp.Compare(a.column.ID, b.column.ID))
	})
	return list
}

// latest gives a table as the change has it so far.
func (ch *change) latest(t *catalog.Table) *catalog.Table {
	o, _ := ch.get(t.ID)
	return o.Desc.(*catalog.Table)
}

// dropDefaults takes the defaults away that name a sequence, but for those of
// the table with ID gone and of tables that the statement drops too; without
// cascade it says which they are.
func (ch *change) dropDefaults(q *catalog.Sequence, gone uint32, cascade bool) (details []string, err error) {
	for _, r := range ch.drawnBy(q.ID) {
		if r.table.ID == gone || ch.going[r.table.ID] {
			continue
		}
		if !cascade {
			details = append(details, r.String()+" depends on sequence "+q.Name)
			continue
		}
		ch.notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %s", r))
		t := ch.latest(r.table).Clone()
		c := t.ColumnByID(r.column.ID)
		c.DefaultExpr, c.Default, c.Sequence, c.DefaultUses = "", "", 0, nil
		if err := t.Finish(); err != nil {
			return nil, err
		}
		ch.set(t, r.state)
	}
	return details, nil
}

// refuseTexts refuses to rename or move a sequence that a default names which is kept
// as text.
func (ch *change) refuseTexts(doing string, q *catalog.Sequence) error {
	for _, r := range ch.drawnBy(q.ID) {
		if r.column.Sequence == 0 && r.column.Default != "" {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot %s sequence %s because the %s names it", doing, q.Name, r).
				WithHint("Drop the default, %s the sequence, and set the default again.", doing)
		}
	}
	return nil
}
