package change

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
)

// Called is what messages call a relation, as `table s.t`: its schema is named where the name
// alone is not found.
func (ch *Change) Called(r catalog.Relation) string {
	return r.RelKind() + " " + ch.nameOf(r)
}

// CalledIn is what messages call a part of a relation, as `column c of table t`.
func (ch *Change) CalledIn(part string, r catalog.Relation) string {
	return part + " of " + ch.Called(r)
}

// CalledOn is what messages call a constraint of a table.
func (ch *Change) CalledOn(constraint string, t *catalog.Table) string {
	return "constraint " + constraint + " on " + ch.Called(t)
}

// CalledIndex is what messages call an index.
func (ch *Change) CalledIndex(t *catalog.Table, ix *catalog.Index) string {
	_, found := ch.IndexNamed(ch.bare(ix.Name))
	return "index " + qualified(t.Schema, ix.Name, found != nil && found.ID == ix.ID)
}

func (ch *Change) nameOf(r catalog.Relation) string {
	found := ch.Lookup(ch.bare(r.RelName()))
	if _, ok := r.(*catalog.Type); ok {
		if t, array := ch.TypeNamed(ch.bare(r.RelName())); t != nil && !array {
			found = t
		}
	}
	return qualified(r.RelSchema(), r.RelName(), found != nil && found.RelID() == r.RelID())
}

// bare is a name as the actor writes it without a schema.
func (ch *Change) bare(name string) catalog.Name {
	return catalog.Name{Name: name, Path: ch.Actor.Path}
}

func qualified(schema, name string, visible bool) string {
	if visible {
		return ident.Quote(name)
	}
	return ident.Quote(schema) + "." + ident.Quote(name)
}
