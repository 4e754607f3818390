package scope

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Scope is what column names mean at one place of one level.
type Scope struct {
	Rels []*Relation // whose columns may be named as relation.column
	Cols []Column    // those that may be named alone, in the order of *

	// Next is more of the same: to an item of FROM, what stands to its left is in as many
	// scopes as there are joins around it.
	Next *Scope
	// Used says that a column of Rels has been named from there: the item is lateral to them.
	Used bool
	// Barred may be seen and not named: the item is the right side of a RIGHT or FULL join.
	Barred bool
	// Unseen are relations that stand in the same FROM and cannot be named here.
	Unseen []*Relation

	first [1]*Relation // where Rels are kept if there is but one
}

// ScopeOf is a scope of one relation.
func ScopeOf(r *Relation) *Scope {
	s := &Scope{Cols: r.Cols, first: [1]*Relation{r}}
	s.Rels = s.first[:]
	return s
}

// Local finds a column in the scope of l: nil if it has none of the name.
func (p *Place) Local(l *Level, name string, pos int) expr.Expr {
	var found *Column
	var in *Scope
	for s := l.Scope; s != nil; s = s.Next {
		c := FindColumn(s.Cols, name, pos)
		if c == nil {
			continue
		}
		if found != nil {
			panic(sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos))
		}
		found, in = c, s
	}
	if found == nil {
		if found, in = l.Scope.systemColumn(name, pos); found == nil {
			return nil
		}
	}
	return p.Named(l, in, found, pos)
}

// systemColumn finds a system column of s and the scopes that follow.
func (s *Scope) systemColumn(name string, pos int) (found *Column, in *Scope) {
	for ; s != nil; s = s.Next {
		for _, r := range s.Rels {
			c := FindColumn(r.System, name, pos)
			switch {
			case c == nil:
			case found != nil:
				panic(sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos))
			default:
				found, in = c, s
			}
		}
	}
	return found, in
}

// Named is a reference to a column in a scope of l.
func (p *Place) Named(l *Level, in *Scope, c *Column, pos int) expr.Expr {
	if in.Barred {
		panic(NotLateral(in.relationOf(c), pos))
	}
	if in != noColumns {
		in.Used = true
	}
	p.Level.NoteNamed(l)
	return c.Ref(pos)
}

// FindColumn gives the column of a name; nil if there is none, 42702 if there are two.
func FindColumn(cols []Column, name string, pos int) *Column {
	var found *Column
	for i := range cols {
		if cols[i].Name != name {
			continue
		}
		if found != nil {
			panic(sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos))
		}
		found = &cols[i]
	}
	return found
}

// InFamily finds the column of Phoenix's family.column; nil if no relation has it.
func (s *Scope) InFamily(family, name string) (*Column, *Scope) {
	for ; s != nil; s = s.Next {
		for _, r := range s.Rels {
			if r.Table == nil {
				continue
			}
			for i := range r.Cols {
				if r.Table.InFamily(i, family) && r.Cols[i].Name == name {
					return &r.Cols[i], s
				}
			}
		}
	}
	return nil, nil
}

// Relation finds a relation by what stands before a column's name.
func (s *Scope) Relation(schema, name string) (*Relation, *Scope) {
	for ; s != nil; s = s.Next {
		for _, r := range s.Rels {
			if r.matches(schema, name) {
				return r, s
			}
		}
	}
	return nil, nil
}

// relationOf gives the name of the relation that a column is of.
func (s *Scope) relationOf(c *Column) string {
	for _, r := range s.Rels {
		for i := range r.Cols {
			if c.Merged == nil && r.Cols[i].ID == c.ID {
				return r.Name
			}
		}
	}
	return c.Name
}

// FullName prints a column as relation.column.
func (s *Scope) FullName(c *expr.Col) string {
	for _, r := range s.Rels {
		for i := range r.Cols {
			if r.Cols[i].ID == c.Index && r.Name != "" {
				return r.Name + "." + r.Cols[i].Name
			}
		}
	}
	return c.Name
}

// MakeNullable notes that an outer join gives NULLs in the place of missing rows of s.
func (s *Scope) MakeNullable() {
	for _, r := range s.Rels {
		r.Nullable = true
	}
}
