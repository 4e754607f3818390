package change

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Find resolves a name for ALTER of one kind of relation by its owner. With
// ifExists what is not there is a NOTICE and nil.
func (ch *Change) Find(n catalog.Name, kind string, ifExists bool) (catalog.Relation, error) {
	return ch.FindAs("relation", n, kind, ifExists, ch.MustOwn)
}

// FindAs is Find where what is not there is called word, for who is allowed.
func (ch *Change) FindAs(word string, n catalog.Name, kind string, ifExists bool, allowed func(catalog.Relation) error) (catalog.Relation, error) {
	if n.Schema != "" && ch.Schema(n.Schema) == nil && !catalog.IsSystemSchema(n.Schema) {
		if ifExists {
			ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `schema "%s" does not exist, skipping`, n.Schema))
			return nil, nil
		}
		return nil, catalog.UndefinedSchema(n.Schema).At(n.Pos)
	}
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return nil, err
	}
	r := ch.Lookup(n)
	if v, ok := r.(*catalog.Virtual); ok {
		return nil, v.Denied().At(n.Pos)
	}
	if r != nil {
		if o, ok := ch.Get(r.RelID()); !ok || o.State == catalog.StateDropping {
			r = nil // named twice in one statement, or gone by CASCADE
		} else {
			r = o.Desc.(catalog.Relation)
		}
	}
	switch {
	case r == nil && ifExists:
		ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `%s "%s" does not exist, skipping`, word, n.Name))
		return nil, nil
	case r == nil:
		return nil, catalog.UndefinedRelation(word, n)
	case r.RelKind() != kind:
		return nil, catalog.WrongKind(r, kind)
	}
	return r, allowed(r)
}

// FindToDrop is Find, with Postgres's hint where another DROP is meant.
func (ch *Change) FindToDrop(n catalog.Name, kind string, ifExists bool) (catalog.Relation, error) {
	r, err := ch.FindAs(kind, n, kind, ifExists, ch.MayDrop)
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.WrongObjectType {
		other := ch.Lookup(n).RelKind()
		return nil, e.WithHint("Use DROP %s to remove %s %s.", catalog.UpperWord(other), catalog.Article(other), other)
	}
	return r, err
}

// UnlessEmpty ends a change that has nothing to commit.
func (ch *Change) UnlessEmpty() error {
	if len(ch.Put) == 0 && len(ch.Del) == 0 {
		return ErrNothing
	}
	return nil
}

// FindQueried resolves a table with the wording of queries.
func (ch *Change) FindQueried(n catalog.Name) (*catalog.Table, error) {
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return nil, err
	}
	t, err := ch.ResolveTable(n.Path, n.Schema, n.Name)
	if err == nil && t.Materialized != nil {
		return nil, catalog.WrongKind(t, "table")
	}
	return t, catalog.Positioned(err, n.Pos)
}
