package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Types that users made, and what depends on them.

// def is what package types knows of the type.
func (t *Type) def() *types.UserDef {
	return &types.UserDef{Version: t.Version, ArrayID: t.ArrayID, Schema: t.Schema, Name: t.Name, ArrayName: t.ArrayName, Labels: t.Labels}
}

// Types lists the types of users by schema and name.
func (s *Snapshot) Types() []*Type { return s.types }

// Members lists what is in schemas: relations, and then types.
func (s *Snapshot) Members() []Relation {
	list := slices.Clone(s.rels)
	for _, t := range s.types {
		list = append(list, t)
	}
	return list
}

// Member finds a relation or a type of users by its ID; nil if there is none.
func (s *Snapshot) Member(id uint32) Relation {
	if t := s.TypeByID(id); t != nil {
		return t
	}
	return s.ByID(id)
}

// TypeByID finds a type of users; nil if there is none.
func (s *Snapshot) TypeByID(id uint32) *Type {
	t, _ := s.Descriptor(id).(*Type)
	return t
}

// TypeNamed finds a type of users by its name, or by that of its arrays, where the search path
// leads; nil if there is none.
func (s *Snapshot) TypeNamed(n Name) (t *Type, array bool) {
	path := n.SearchPath()
	if n.Schema != "" {
		path = []string{n.Schema}
	}
	for _, schema := range path {
		for _, t := range s.types {
			if t.Schema == schema && (t.Name == n.Name || t.ArrayName == n.Name) {
				return t, t.Name != n.Name
			}
		}
	}
	return nil, false
}

// UserType finds the type of a name as written, arrays included: 42704 if there is none.
func (s *Snapshot) UserType(n Name, array bool) (types.T, error) {
	t, isArray := s.TypeNamed(n)
	switch {
	case t == nil && n.Schema != "" && s.schemas[n.Schema] == nil && !IsSystemSchema(n.Schema):
		return types.T{}, UndefinedSchema(n.Schema).At(n.Pos)
	case t == nil:
		name := n.Written()
		if array {
			name += "[]"
		}
		return types.T{}, types.UndefinedType(name).At(n.Pos)
	}
	u := s.Users.Of(t.ID).T()
	if array || isArray {
		u = types.ArrayOf(u)
	}
	return u, nil
}

// TypeOfOID finds a type by its OID, those of the system among them.
func (s *Snapshot) TypeOfOID(oid uint32, typmod int32) (types.T, bool) {
	if t, ok := types.FromOID(oid, typmod); ok {
		return t, true
	}
	for _, t := range s.types {
		switch oid {
		case t.ID:
			return s.Users.Of(t.ID).T(), true
		case t.ArrayID:
			return types.ArrayOf(s.Users.Of(t.ID).T()), true
		}
	}
	return types.T{}, false
}

// TypeName prints a type's name with its schema where the search path does not find it.
func (p Printer) TypeName(t types.T) string {
	u := t.User()
	if u == nil {
		return t.String()
	}
	d := u.Def()
	if p.all {
		return t.String()
	}
	name := d.Qualified()
	if found, _ := p.s.TypeNamed(Name{Name: d.Name, Path: append([]string{}, p.path...)}); found != nil && found.ID == u.ID {
		name = ident.Quote(d.Name)
	}
	if t.Kind == types.Array {
		name += "[]"
	}
	return name
}

// namesUserType says that a column or an expression of the table is of a type of users.
func (t *Table) namesUserType() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Type.User() != nil }) || t.expressionsName(0)
}

// expressionsName says that a default, a check or an index names the type of an ID; 0 is any.
func (t *Table) expressionsName(id uint32) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.DefaultExpr.NamesType(id) || c.Generated.NamesType(id) }) ||
		slices.ContainsFunc(t.Checks, func(k Check) bool { return k.Cond.NamesType(id) }) ||
		slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.namesType(id) })
}

func (ix *Index) namesType(id uint32) bool {
	return ix.Where.NamesType(id) || slices.ContainsFunc(ix.Parts, func(p IndexPart) bool { return p.Expr.NamesType(id) })
}

// TypeUser is what depends on a type: a column, or what an expression belongs to.
type TypeUser struct {
	Table *Table
	// Column is the column of the type, by its ID; of what names the type in an expression it is
	// 0, and one of the others is a name.
	Column                int
	Default, Check, Index string
	What                  string // "column m of table t"
}

// UsersOf lists what of tables depends on a type.
func (s *Snapshot) UsersOf(id uint32) []TypeUser {
	var list []TypeUser
	for _, t := range s.Tables() {
		for i := range t.Columns {
			c := &t.Columns[i]
			of := c.Name + " of table " + t.Name
			switch u := c.Type.User(); {
			case u != nil && u.ID == id:
				list = append(list, TypeUser{Table: t, Column: c.ID, What: "column " + of})
			case c.Generated.NamesType(id):
				list = append(list, TypeUser{Table: t, Column: c.ID, What: "column " + of})
			case c.DefaultExpr.NamesType(id):
				list = append(list, TypeUser{Table: t, Default: c.Name, What: "default value for column " + of})
			}
		}
		for i := range t.Checks {
			if t.Checks[i].Cond.NamesType(id) {
				list = append(list, TypeUser{Table: t, Check: t.Checks[i].Name, What: "constraint " + t.Checks[i].Name + " on table " + t.Name})
			}
		}
		for i := range t.Indexes {
			if t.Indexes[i].namesType(id) {
				list = append(list, TypeUser{Table: t, Index: t.Indexes[i].Name, What: "index " + t.Indexes[i].Name})
			}
		}
	}
	return list
}

// DuplicateType is 42710.
func DuplicateType(n Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.DuplicateObject, `type "%s" already exists`, n.Name).At(n.Pos)
}
