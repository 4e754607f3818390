package catalog

import (
	"iter"
	"slices"
	"strings"
)

// ChooseName gives the name that Postgres gives an index of t without one. taken says which
// names of the schema are not to be had.
func (ix *Index) ChooseName(t *Table, taken func(name string) bool) string {
	var names []string
	for i := range ix.Parts {
		name := ix.Parts[i].Label(t)
		names = append(names, UniqueName(func(n int) string { return Numbered(name, n) }, func(s string) bool { return slices.Contains(names, s) }))
	}
	for _, id := range ix.Include {
		names = append(names, t.ColumnByID(id).Name)
	}
	columns := strings.Join(names, "_")
	for len(columns) > MaxIdentifier {
		columns = CutRune(columns)
	}
	label := "idx"
	if ix.Constraint {
		label = "key"
	}
	return UniqueName(func(n int) string { return MakeObjectName(t.Name, columns, Numbered(label, n)) }, func(s string) bool {
		return taken(s) || t.HasName(s)
	})
}

// ChooseKeyName gives the name that Postgres gives the primary key of t without one; taken says
// which names of the schema are not to be had.
func (t *Table) ChooseKeyName(taken func(name string) bool) string {
	return UniqueName(func(n int) string { return MakeObjectName(t.Name, "", Numbered("pkey", n)) }, func(s string) bool {
		return taken(s) || t.HasName(s)
	})
}

// IndexNames lists the names that the table's indexes have among the schema's relations, that of
// the primary key first, where there is one.
func (t *Table) IndexNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		if t.PrimaryKeyName != "" && !yield(t.PrimaryKeyName) {
			return
		}
		for i := range t.Indexes {
			if !yield(t.Indexes[i].Name) {
				return
			}
		}
	}
}

// HasName says that the table, an index or a constraint of it has the name.
func (t *Table) HasName(name string) bool {
	return t.Name == name || t.HasConstraint(name) || slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.Name == name })
}
