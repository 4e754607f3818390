package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
)

// ShowCreateTable gives the statements that make a table like t, with its constraints, indexes and
// comments, without its owner and grants; a semicolon and a line's end are between two. They are those
// of saltsql.definitions, but that serial columns and foreign keys stand in CREATE TABLE.
func ShowCreateTable(snap *catalog.Snapshot, t *catalog.Table) string {
	d := newDefiner(snap, []string{catalog.PublicSchema})
	d.add(d.of(t).with(sectionSchema, snap.ShowCreateTable(t)))
	d.besideColumns(t)
	for i := range t.ForeignKeys {
		d.foreignKeyComment(t, &t.ForeignKeys[i])
	}
	texts := make([]string, len(d.list))
	for i := range d.list {
		texts[i] = d.list[i].text
	}
	return strings.Join(texts, ";\n")
}
