package catalog

import (
	"maps"
	"slices"
)

// Materialized is what makes a table a materialized view: the query whose rows it has.
// Nobody writes its rows but REFRESH MATERIALIZED VIEW, which fills a copy (see Rewrite) and
// has that be read: statements see all of the old rows, or all of the new ones.
type Materialized struct {
	Query     ViewQuery
	DependsOn []uint32 // relation IDs
	// Uses are the columns of those that the query names, each once.
	Uses []ViewColumnUse
	// Populated says that the rows are there: one that is not cannot be read.
	Populated bool
}

// materializedWord is how messages call a materialized view.
const materializedWord = "materialized view"

// AsView gives the query of a materialized view as that of a view of its name, with the columns
// as they are called now; nil for any other table.
func (t *Table) AsView() *View {
	m := t.Materialized
	if m == nil {
		return nil
	}
	v := &View{
		ID: t.ID, Schema: t.Schema, Name: t.Name, Version: t.Version, Comment: t.Comment, Owned: t.Owned,
		Query: m.Query, DependsOn: m.DependsOn, Uses: m.Uses, Table: t,
	}
	for _, c := range t.Visible() {
		v.Columns = append(v.Columns, ViewColumn{c.Name, c.Type, c.Comment})
	}
	return v
}

// Queries lists the views and the materialized views, by schema and name.
func (s *Snapshot) Queries() []*View {
	var list []*View
	for _, r := range s.rels {
		switch r := r.(type) {
		case *View:
			list = append(list, r)
		case *Table:
			if v := r.AsView(); v != nil {
				list = append(list, v)
			}
		}
	}
	return list
}

// Refreshes says that the copy is one that REFRESH MATERIALIZED VIEW fills from the query: no
// row of the table is written meanwhile, and there is no log.
func (r *Rewrite) Refreshes() bool { return r.Log == "" }

// Copies lists the storage tables of the copy.
func (r *Rewrite) Copies() []string {
	names := []string{r.Physical}
	if r.Log != "" {
		names = append(names, r.Log)
	}
	return append(names, slices.Sorted(maps.Values(r.Indexes))...)
}

// Refreshed is a materialized view as it is when its copy is read. left are the storage tables
// that nobody needs then: those of before, and the copies of indexes that were dropped.
func (t *Table) Refreshed() (cp *Table, left []string, err error) {
	r := t.Rewrite
	cp = t.Clone()
	m := *t.Materialized
	m.Populated = !r.Empty
	cp.Materialized, cp.Rewrite = &m, nil
	left = append(left, t.Physical)
	cp.Physical = r.Physical
	cp.Indexes = slices.Clone(t.Indexes)
	copies := maps.Clone(r.Indexes)
	for i := range cp.Indexes {
		ix := &cp.Indexes[i]
		if to, ok := copies[ix.ID]; ok {
			left = append(left, ix.Physical)
			ix.Physical = to
			delete(copies, ix.ID)
		}
	}
	left = append(left, slices.Sorted(maps.Values(copies))...)
	return cp, left, cp.Finish()
}
