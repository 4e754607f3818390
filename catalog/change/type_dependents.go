package change

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
)

// What depends on a type, and on that, in PostgreSQL's order: each before what depends on it,
// those of one thing from the oldest to the newest.

// Dependent is a thing that depends on a type, or on another one of them.
type Dependent struct {
	What  string
	On    string        // what it depends on, where that is not what it was found by
	of    *catalog.Type // a domain
	view  *catalog.View
	table *catalog.Table
	// column is that of the table by its ID, 0 for another thing of the table, which then
	// counts as younger than its columns.
	column int
	// index is the ID of an index; part orders what else a table has, as it is made.
	index uint32
	part  int
}

func (d *Dependent) id() uint32 {
	switch {
	case d.of != nil:
		return d.of.ID
	case d.view != nil:
		return d.view.ID
	case d.index != 0:
		return d.index
	}
	return d.table.ID
}

// younger orders as PostgreSQL looks for what to drop: by falling OID.
func younger(a, b *Dependent) int {
	return cmp.Or(cmp.Compare(b.id(), a.id()), cmp.Compare(min(a.column, 1), min(b.column, 1)), cmp.Compare(a.column, b.column), cmp.Compare(b.part, a.part))
}

// DependentsOf says what depends on a type and why.
func (ch *Change) DependentsOf(t *catalog.Type) []Dependent {
	var all []Dependent
	seen := map[string]bool{}
	var visit func(what string, list []Dependent)
	visit = func(what string, list []Dependent) {
		slices.SortStableFunc(list, func(a, b Dependent) int { return younger(&a, &b) })
		for i := range list {
			d := &list[i]
			if seen[d.What] {
				continue
			}
			seen[d.What] = true
			visit(d.What, ch.dependOn(d))
			if d.On == "" {
				d.On = what
			}
			all = append(all, *d)
		}
	}
	visit(ch.Called(t), ch.dependOn(&Dependent{of: t}))
	slices.Reverse(all)
	return all
}

// dependOn lists what depends on a thing itself.
func (ch *Change) dependOn(d *Dependent) (list []Dependent) {
	views := func(id uint32, column int) {
		for _, v := range ch.Dependents(id) {
			o, there := ch.Get(v.ID)
			if used, _ := v.UsesColumn(id, column); there && o.State == catalog.StatePublic && !ch.Going[v.ID] && (used || column == 0) {
				list = append(list, Dependent{What: ch.Called(v), view: v})
			}
		}
	}
	switch {
	case d.of != nil:
		for _, o := range ch.DomainsOver(d.of) {
			if _, there := ch.Get(o.ID); there && !ch.Going[o.ID] {
				list = append(list, Dependent{What: ch.Called(o), of: o})
			}
		}
		for _, u := range ch.UsersOf(d.of.ID) {
			if !ch.Stays(u.Table) || u.Table.Materialized != nil { // which is found by its query
				continue
			}
			one := Dependent{What: ch.UseOf(&u), table: u.Table, column: u.Column, index: u.IndexID}
			if u.Check != "" {
				one.part = 1
			}
			if u.Arrays {
				one.On = ch.Called(d.of) + "[]"
			}
			list = append(list, one)
		}
		views(d.of.ID, 0)
	case d.view != nil:
		views(d.view.ID, 0)
	case d.column != 0:
		views(d.table.ID, d.column)
	}
	return list
}

// UseOf is what messages call what of a table depends on a type.
func (ch *Change) UseOf(u *catalog.TypeUser) string {
	switch {
	case u.Column != 0:
		return ch.CalledIn("column "+u.Table.ColumnByID(u.Column).Name, u.Table)
	case u.Default != "":
		return ch.CalledIn("default value for column "+u.Default, u.Table)
	case u.Check != "":
		return ch.CalledOn(u.Check, u.Table)
	}
	return ch.CalledIndex(u.Table, u.Table.IndexByID(u.IndexID))
}

// Stays says that a table is there, and is not dropped by the statement.
func (ch *Change) Stays(t *catalog.Table) bool {
	o, ok := ch.Get(t.ID)
	return ok && o.State == catalog.StatePublic && !ch.Going[t.ID]
}
