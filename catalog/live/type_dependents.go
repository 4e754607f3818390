package live

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog"
)

// What depends on a type, and on that, in PostgreSQL's order: each before what depends on it,
// those of one thing from the oldest to the newest.

// dependent is a thing that depends on a type, or on another one of them.
type dependent struct {
	what  string
	on    string        // what it depends on, where that is not what it was found by
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

func (d *dependent) id() uint32 {
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
func younger(a, b *dependent) int {
	return cmp.Or(cmp.Compare(b.id(), a.id()), cmp.Compare(min(a.column, 1), min(b.column, 1)), cmp.Compare(a.column, b.column), cmp.Compare(b.part, a.part))
}

// dependentsOf says what depends on a type and why.
func (ch *change) dependentsOf(t *catalog.Type) []dependent {
	var all []dependent
	seen := map[string]bool{}
	var visit func(what string, list []dependent)
	visit = func(what string, list []dependent) {
		slices.SortStableFunc(list, func(a, b dependent) int { return younger(&a, &b) })
		for i := range list {
			d := &list[i]
			if seen[d.what] {
				continue
			}
			seen[d.what] = true
			visit(d.what, ch.dependOn(d))
			if d.on == "" {
				d.on = what
			}
			all = append(all, *d)
		}
	}
	visit("type "+t.Name, ch.dependOn(&dependent{of: t}))
	slices.Reverse(all)
	return all
}

// dependOn lists what depends on a thing itself.
func (ch *change) dependOn(d *dependent) (list []dependent) {
	views := func(id uint32, column int) {
		for _, v := range ch.Dependents(id) {
			o, there := ch.get(v.ID)
			if used, _ := v.UsesColumn(id, column); there && o.State == catalog.StatePublic && !ch.going[v.ID] && (used || column == 0) {
				list = append(list, dependent{what: v.RelKind() + " " + v.Name, view: v})
			}
		}
	}
	switch {
	case d.of != nil:
		for _, o := range ch.DomainsOver(d.of) {
			if _, there := ch.get(o.ID); there {
				list = append(list, dependent{what: "type " + o.Name, of: o})
			}
		}
		for _, u := range ch.UsersOf(d.of.ID) {
			if !ch.stays(u.Table) || u.Table.Materialized != nil { // which is found by its query
				continue
			}
			one := dependent{what: u.What, table: u.Table, column: u.Column, index: u.IndexID}
			if u.Check != "" {
				one.part = 1
			}
			if u.Arrays {
				one.on = "type " + d.of.Name + "[]"
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
