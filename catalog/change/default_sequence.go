package change

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Draws lists the sequences that the column's default names.
func Draws(c *catalog.Column) []uint32 {
	if c.Sequence == 0 {
		return c.DefaultUses
	}
	return []uint32{c.Sequence}
}

// SetDefault gives c a default. 42P01 if a sequence of its has been dropped meanwhile.
func (ch *Change) SetDefault(c *catalog.Column, d *catalog.ColumnDefault) error {
	c.DefaultExpr, c.Default, c.Sequence, c.DefaultUses = d.Expr, d.Text, d.Sequence, d.Uses
	for _, id := range Draws(c) {
		if o, ok := ch.Get(id); ok {
			if _, ok := o.Desc.(*catalog.Sequence); ok {
				continue
			}
		}
		return sqlerr.New(sqlerr.UndefinedTable, `a sequence that the default of column "%s" names was dropped at the same time`, c.Name)
	}
	return nil
}

// ColumnRef is a column of a table, in the change so far.
type ColumnRef struct {
	Table  *catalog.Table
	Column *catalog.Column
	state  catalog.State
}

// DefaultOf is what messages call the default of a column.
func (ch *Change) DefaultOf(r ColumnRef) string {
	return ch.CalledIn("default value for column "+r.Column.Name, r.Table)
}

// DrawnBy lists the columns whose default names a sequence, in order of
// creation.
func (ch *Change) DrawnBy(id uint32) []ColumnRef {
	var list []ColumnRef
	add := func(o catalog.Object) {
		t, ok := o.Desc.(*catalog.Table)
		if !ok || o.State == catalog.StateDropping {
			return
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; slices.Contains(Draws(c), id) {
				list = append(list, ColumnRef{t, c, o.State})
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
	slices.SortFunc(list, func(a, b ColumnRef) int {
		return cmp.Or(cmp.Compare(a.Table.ID, b.Table.ID), cmp.Compare(a.Column.ID, b.Column.ID))
	})
	return list
}

// latest gives a table as the change has it so far.
func (ch *Change) latest(t *catalog.Table) *catalog.Table {
	o, _ := ch.Get(t.ID)
	return o.Desc.(*catalog.Table)
}

// DropDefaults takes the defaults away that name a sequence, but for those of
// the table with ID gone and of tables that the statement drops too; without
// cascade they block the change. what is the thing that is dropped.
func (ch *Change) DropDefaults(q *catalog.Sequence, gone uint32, what string, cascade bool) error {
	for _, r := range ch.DrawnBy(q.ID) {
		if r.Table.ID == gone || ch.Going[r.Table.ID] {
			continue
		}
		if !cascade {
			ch.Block(what, ch.DefaultOf(r), ch.Called(q))
			continue
		}
		ch.Cascaded = append(ch.Cascaded, ch.DefaultOf(r))
		t := ch.latest(r.Table).Clone()
		c := t.ColumnByID(r.Column.ID)
		c.DefaultExpr, c.Default, c.Sequence, c.DefaultUses = "", "", 0, nil
		if err := t.Finish(); err != nil {
			return err
		}
		ch.Set(t, r.state)
	}
	return nil
}

// RefuseTexts refuses to rename or move a sequence that a default names which is kept
// as text.
func (ch *Change) RefuseTexts(doing string, q *catalog.Sequence) error {
	for _, r := range ch.DrawnBy(q.ID) {
		if r.Column.Sequence == 0 && r.Column.Default != "" {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot %s %s because the %s names it", doing, ch.Called(q), ch.DefaultOf(r)).
				WithHint("Drop the default, %s the sequence, and set the default again.", doing)
		}
	}
	return nil
}
