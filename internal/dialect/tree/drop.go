package tree

import "strings"

// Drop is DROP of anything that goes by name.
type Drop struct {
	Object       string // "table", "view", "materialized view", "index", "sequence", "schema", "type", "domain", …
	Names        []Name
	IfExists     bool
	Cascade      bool
	Concurrently bool
	// OnTable is the table of Phoenix's DROP INDEX i ON t.
	OnTable *Name
}

// Truncate is TRUNCATE.
type Truncate struct {
	Tables          []Name
	RestartIdentity bool
	Cascade         bool
}

func (d *Drop) Tag() string   { return "DROP " + strings.ToUpper(d.Object) }
func (*Truncate) Tag() string { return "TRUNCATE TABLE" }
