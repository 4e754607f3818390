package change

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// TypeNameTaken is nameTaken, for the names of arrays too.
func (ch *Change) TypeNameTaken(schema, name string) bool {
	if ch.NameTaken(schema, name) {
		return true
	}
	return slices.ContainsFunc(ch.Types(), func(t *catalog.Type) bool { return t.Schema == schema && t.ArrayName == name })
}

// ArrayName names the type of the arrays of a new type.
func (ch *Change) ArrayName(schema, name string) string {
	made := types.TruncateName("_" + name)
	return catalog.UniqueName(func(n int) string { return catalog.Numbered(made, n) }, func(s string) bool { return ch.TypeNameTaken(schema, s) })
}

// FindType resolves a type's name for its owner, or for who may drop it: 42704.
func (ch *Change) FindType(n catalog.Name, allowed func(catalog.Relation) error) (*catalog.Type, error) {
	if n.Schema != "" && ch.Schema(n.Schema) == nil && !catalog.IsSystemSchema(n.Schema) {
		return nil, catalog.UndefinedSchema(n.Schema)
	}
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return nil, err
	}
	t, array := ch.TypeNamed(n)
	if t != nil {
		if o, ok := ch.Get(t.ID); ok {
			t = o.Desc.(*catalog.Type)
		} else {
			t = nil
		}
	}
	switch {
	case t == nil:
		if sys, err := types.FromName(n.Name, nil, false); err == nil && (n.Schema == "" || n.Schema == "pg_catalog") {
			return nil, systemType(sys)
		}
		if r := ch.LookupOwn(n); r != nil && r.RelKind() != "sequence" {
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because %s %s requires it", r.RelName(), r.RelKind(), r.RelName()).
				WithHint("You can drop %s %s instead.", r.RelKind(), r.RelName())
		}
		return nil, types.UndefinedType(n.Written())
	case array:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot alter array type %s[]", t.Name).
			WithHint("You can alter type %s, which will alter the array type as well.", t.Name)
	}
	return t, allowed(t)
}

func systemType(t types.T) error {
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because it is required by the database system", t)
}

// IsType says that a name is that of a type and of no relation.
func (ch *Change) IsType(schema, name string) bool {
	id, ok := ch.TakenBy(schema, name)
	return ok && ch.TypeByID(id) != nil
}

// Duplicate says that a new relation's name is taken.
func (ch *Change) Duplicate(schema string, n catalog.Name) error {
	if !ch.IsType(schema, n.Name) {
		return catalog.DuplicateRelation(n)
	}
	return catalog.DuplicateType(n).
		WithHint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.")
}

// checkTypes refuses what is of a type that was dropped at the same time, or that may not be used.
func (ch *Change) checkTypes() error {
	for id, o := range ch.Put {
		if o.State != catalog.StateDropping && !ch.IsSuperuser(ch.By) {
			if err := ch.mayUseTypes(id, o); err != nil {
				return err
			}
		}
		t, ok := o.Desc.(*catalog.Table)
		if !ok || o.State == catalog.StateDropping {
			continue
		}
		for i := range t.Columns {
			for _, u := range []*types.User{t.Columns[i].Type.Domain(), t.Columns[i].Type.User()} {
				if u == nil {
					continue
				}
				if _, there := ch.Get(u.ID); !there {
					return types.UndefinedType(u.Def().Name)
				}
			}
		}
	}
	return nil
}

func NotDomain(t *catalog.Type) error {
	return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a domain`, t.Name)
}
