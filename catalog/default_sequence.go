package catalog

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// draws lists the sequences that the column's default names.
func (c *Column) draws() []uint32 {
	if c.Sequence == 0 {
		return c.DefaultUses
	}
	return []uint32{c.Sequence}
}

// ownedBy says that q goes with column c of t.
func (q *Sequence) ownedBy(t *Table, c *Column) bool {
	return q.OwnerTable == t.ID && q.OwnerColumn == c.ID
}

// useSequences gives c the default that draws from seq alone, or the one in
// c.Default that names the sequences uses. 42P01 if one has been dropped meanwhile.
func (ch *change) useSequences(c *Column, seq uint32, uses []uint32) error {
	c.Sequence, c.DefaultUses = seq, uses
	for _, id := range c.draws() {
		o, ok := ch.get(id)
		q, isSeq := o.desc.(*Sequence)
		if !ok || !isSeq {
			return sqlerr.New(sqlerr.UndefinedTable, `a sequence that the default of column "%s" names was dropped at the same time`, c.Name)
		}
		if id == seq {
			c.Default = nextvalText(q)
		}
	}
	return nil
}

// columnRef is a column of a table, in the change so far.
type columnRef struct {
	table  *Table
	column *Column
	state  state
}

func (r columnRef) String() string {
	return "default value for column " + r.column.Name + " of table " + r.table.Name
}

// drawnBy lists the columns whose default names a sequence, in order of
// creation.
func (ch *change) drawnBy(id uint32) []columnRef {
	var list []columnRef
	add := func(o object) {
		t, ok := o.desc.(*Table)
		if !ok || o.state == dropping {
			return
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; slices.Contains(c.draws(), id) {
				list = append(list, columnRef{t, c, o.state})
			}
		}
	}
	for tid, o := range ch.objects {
		if _, changed := ch.put[tid]; !changed && !ch.del[tid] {
			add(o)
		}
	}
	for _, o := range ch.put {
		add(o)
	}
	slices.SortFunc(list, func(a, b columnRef) int {
		return cmp.Or(cmp.Compare(a.table.ID, b.table.ID), cmp.Compare(a.column.ID, b.column.ID))
	})
	return list
}

// latest gives a table as the change has it so far.
func (ch *change) latest(t *Table) *Table {
	o, _ := ch.get(t.ID)
	return o.desc.(*Table)
}

// dropDefaults takes the defaults away that name a sequence, but for those of
// the table with ID gone and of tables that the statement drops too; without
// cascade it says which they are.
func (ch *change) dropDefaults(q *Sequence, gone uint32, cascade bool) (details []string, err error) {
	for _, r := range ch.drawnBy(q.ID) {
		if r.table.ID == gone || ch.going[r.table.ID] {
			continue
		}
		if !cascade {
			details = append(details, r.String()+" depends on sequence "+q.Name)
			continue
		}
		ch.notices.add(sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %s", r))
		t := ch.latest(r.table).clone()
		c := t.ColumnByID(r.column.ID)
		c.Default, c.Sequence, c.DefaultUses = "", 0, nil
		if err := t.Finish(); err != nil {
			return nil, err
		}
		ch.set(t, r.state)
	}
	return details, nil
}

// followSequence writes the defaults anew that draw from a sequence, when it has
// another name. One that does more than draw is refused: its text names the
// sequence as the user wrote it.
func (ch *change) followSequence(was, is *Sequence) error {
	for _, r := range ch.drawnBy(was.ID) {
		if r.column.Sequence != was.ID {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot rename sequence %s because the %s names it", was.Name, r).
				WithHint("Drop the default, rename the sequence, and set the default again.")
		}
		if r.column.Identity != 0 {
			continue
		}
		t := ch.latest(r.table).clone()
		t.ColumnByID(r.column.ID).Default = nextvalText(is)
		if err := t.Finish(); err != nil {
			return err
		}
		ch.set(t, r.state)
	}
	return nil
}
