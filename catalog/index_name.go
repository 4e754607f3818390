package catalog

import (
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
		return taken(s) || t.HasConstraint(s) || t.IndexByName(s) != nil
	})
}
