package catalog

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Types that users made, and what depends on them.

// def is what package types knows of the type.
func (t *Type) def(users *types.Users) *types.UserDef {
	d := &types.UserDef{Version: t.Version, ArrayID: t.ArrayID, Schema: t.Schema, Name: t.Name, ArrayName: t.ArrayName, Labels: t.Labels}
	if t.Domain != nil {
		of := *t.Domain
		of.Users, d.Domain = users, &of
	}
	return d
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
	switch {
	case !array && !isArray:
	case t.Domain != nil:
		return u, sqlerr.Unsupported("an array of domain "+t.Name+" is not supported", fmt.Sprintf("Use %s[], or a domain over it.", t.Domain.Base)).At(n.Pos)
	default:
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
			if t.Domain != nil {
				return types.T{}, false // there are no values of it
			}
			return types.ArrayOf(s.Users.Of(t.ID).T()), true
		}
	}
	return types.T{}, false
}

// TypeName prints a type's name with its schema where the search path does not find it.
func (p Printer) TypeName(t types.T) string {
	u := t.User()
	if t.Domain() != nil {
		u = t.Domain()
	}
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
	if t.Kind == types.Array && t.Domain() == nil {
		name += "[]"
	}
	return name
}

// NamesDomain says that a column or an expression of the table is of a domain.
func (t *Table) NamesDomain() bool {
	domain := func(s expr.Stored) bool { return s.NamesDomain() }
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Type.Domain() != nil }) || t.expressionsAre(domain)
}

// NamesUserType says that a column or an expression of the table is of a type of users.
func (t *Table) NamesUserType() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Type.User() != nil && c.Type.Domain() == nil }) || t.expressionsName(0)
}

// expressionsName says that a default, a check or an index names the type of an ID; 0 is any.
func (t *Table) expressionsName(id uint32) bool {
	return t.expressionsAre(func(s expr.Stored) bool { return s.NamesType(id) })
}

// expressionsAre says that ok holds for an expression of the table.
func (t *Table) expressionsAre(ok func(expr.Stored) bool) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return ok(c.DefaultExpr) || ok(c.Generated) }) ||
		slices.ContainsFunc(t.Checks, func(k Check) bool { return ok(k.Cond) }) ||
		slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.expressionsAre(ok) })
}

func (ix *Index) namesType(id uint32) bool {
	return ix.expressionsAre(func(s expr.Stored) bool { return s.NamesType(id) })
}

func (ix *Index) expressionsAre(ok func(expr.Stored) bool) bool {
	return slices.ContainsFunc(ix.Expressions(), ok)
}

// Expressions are its condition, and what of its columns is computed.
func (ix *Index) Expressions() []expr.Stored {
	list := []expr.Stored{ix.Where}
	for i := range ix.Parts {
		list = append(list, ix.Parts[i].Expr)
	}
	return list
}

// MadeOf says that values of column type c are of the type.
func (t *Type) MadeOf(c types.T) bool {
	if d := c.Domain(); d != nil {
		return d.ID == t.ID
	}
	return c.User() != nil && c.User().ID == t.ID
}

// DomainsOver lists the domains that depend on a type: over it, or by an expression.
func (s *Snapshot) DomainsOver(t *Type) []*Type {
	return slices.DeleteFunc(slices.Clone(s.types), func(o *Type) bool {
		return o.Domain == nil || o.ID == t.ID || !t.MadeOf(o.Domain.Base) && !expr.Stored(o.Domain.Default).NamesType(t.ID) &&
			!slices.ContainsFunc(o.Domain.Checks, func(k types.DomainCheck) bool { return expr.Stored(k.Cond).NamesType(t.ID) })
	})
}

// DomainOfCheck is the domain that has a constraint of an OID; nil for none.
func (s *Snapshot) DomainOfCheck(oid uint32) (*Type, *types.DomainCheck) {
	for _, t := range s.types {
		if t.Domain == nil {
			continue
		}
		for i := range t.Domain.Checks {
			if t.Domain.Checks[i].ID == oid {
				return t, &t.Domain.Checks[i]
			}
		}
	}
	return nil, nil
}

// TypeUser is what depends on a type: a column, or what an expression belongs to.
type TypeUser struct {
	Table *Table
	// Column is the column of the type, by its ID; of what names the type in an expression it is
	// 0, and one of the others is a name.
	Column                int
	Default, Check, Index string
	IndexID               uint32 // of an index
	Arrays                bool   // the column is of arrays of the type
}

// UsersOf lists what of tables depends on a type.
func (s *Snapshot) UsersOf(id uint32) []TypeUser {
	var list []TypeUser
	of := s.TypeByID(id)
	if of == nil {
		return nil
	}
	for _, t := range s.Tables() {
		for i := range t.Columns {
			c := &t.Columns[i]
			switch {
			case of.MadeOf(c.Type), c.Generated.NamesType(id):
				list = append(list, TypeUser{Table: t, Column: c.ID, Arrays: c.Type.Kind == types.Array && c.Type.Domain() == nil})
			case c.DefaultExpr.NamesType(id):
				list = append(list, TypeUser{Table: t, Default: c.Name})
			}
		}
		for i := range t.Checks {
			if t.Checks[i].Cond.NamesType(id) {
				list = append(list, TypeUser{Table: t, Check: t.Checks[i].Name})
			}
		}
		for i := range t.Indexes {
			if t.Indexes[i].namesType(id) {
				list = append(list, TypeUser{Table: t, Index: t.Indexes[i].Name, IndexID: t.Indexes[i].ID})
			}
		}
	}
	return list
}

// DuplicateType is 42710.
func DuplicateType(n Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.DuplicateObject, `type "%s" already exists`, n.Name).At(n.Pos)
}
