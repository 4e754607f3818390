package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

func init() {
	Source("pg_catalog.pg_depend", pgDepend)
}

// addDepend gives a row of pg_depend: the object of a class, by its column or 0, and what it needs.
type addDepend func(class, id uint32, sub int, refClass, refID uint32, refSub int, kind byte) error

// pgDepend says which objects need which.
func pgDepend(q *Query) error {
	add := func(class, id uint32, sub int, refClass, refID uint32, refSub int, kind byte) error {
		if !q.isOID("classid", class) || !q.isOID("objid", id) || !q.isOID("refclassid", refClass) || !q.isOID("refobjid", refID) {
			return nil
		}
		return q.Row(oid(class), oid(id), num(sub), oid(refClass), oid(refID), num(refSub), char(kind))
	}
	err := extensionMembers(func(class, id uint32) error { return add(class, id, 0, classExtension, extensionOID, 0, 'e') })
	if err != nil {
		return err
	}
	for _, t := range q.Snap.Types() {
		if err := add(classType, t.ID, 0, classNamespace, SchemaOID(q.Snap, t.Schema), 0, 'n'); err != nil {
			return err
		}
		if err := add(classType, t.ArrayID, 0, classType, t.ID, 0, 'i'); err != nil {
			return err
		}
		if t.Domain == nil {
			continue
		}
		if err := domainDepends(q, t, add); err != nil {
			return err
		}
	}
	for _, r := range q.Snap.Relations() {
		if err := add(classClass, r.RelID(), 0, classNamespace, SchemaOID(q.Snap, r.RelSchema()), 0, 'n'); err != nil {
			return err
		}
		var err error
		switch r := r.(type) {
		case *catalog.Table:
			err = tableDepends(q, r, add)
			if v := r.AsView(); v != nil && err == nil {
				err = viewDepends(q, v, add)
			}
		case *catalog.View:
			err = viewDepends(q, r, add)
		case *catalog.Sequence:
			if r.OwnerTable != 0 {
				kind := byte('a')
				if t := q.Snap.TableByID(r.OwnerTable); t != nil {
					if c := t.ColumnByID(r.OwnerColumn); c != nil && c.Identity != 0 {
						kind = 'i'
					}
				}
				err = add(classClass, r.ID, 0, classClass, r.OwnerTable, r.OwnerColumn, kind)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// domainDepends is what a domain needs: what it is over, and what its expressions name.
func domainDepends(q *Query, t *catalog.Type, add addDepend) error {
	if t.Domain.Base.User() != nil || t.Domain.Base.Domain() != nil {
		if err := add(classType, t.ID, 0, classType, t.Domain.Base.DeclaredOID(), 0, 'n'); err != nil {
			return err
		}
	}
	if err := typesNamed(q, classType, t.ID, expr.Stored(t.Domain.Default), add); err != nil {
		return err
	}
	for i := range t.Domain.Checks {
		k := &t.Domain.Checks[i]
		if err := add(classConstraint, k.ID, 0, classType, t.ID, 0, 'a'); err != nil {
			return err
		}
		if err := typesNamed(q, classConstraint, k.ID, expr.Stored(k.Cond), add); err != nil {
			return err
		}
	}
	return nil
}

// typesNamed says that an object needs the types of users that its expression names.
func typesNamed(q *Query, class, id uint32, e expr.Stored, add addDepend) error {
	if !e.NamesType(0) {
		return nil
	}
	for _, t := range q.Snap.Types() {
		if !e.NamesType(t.ID) {
			continue
		}
		if err := add(class, id, 0, classType, t.ID, 0, 'n'); err != nil {
			return err
		}
	}
	return nil
}

// viewDepends is what a view's rule needs, and that the view needs it.
func viewDepends(q *Query, v *catalog.View, add addDepend) error {
	rule := partOID(v.ID, partRule)
	err := add(classRewrite, rule, 0, classClass, v.ID, 0, 'i')
	named := map[uint32]bool{} // relations whose columns stand for them
	for _, u := range v.Uses {
		if r := q.Snap.ByID(u.Relation); r != nil && err == nil {
			named[u.Relation] = true
			err = add(classRewrite, rule, 0, classClass, u.Relation, u.Column, 'n')
		}
	}
	for _, id := range v.DependsOn {
		if err == nil && !named[id] {
			class := uint32(classClass)
			if q.Snap.TypeByID(id) != nil {
				class = classType
			}
			err = add(classRewrite, rule, 0, class, id, 0, 'n')
		}
	}
	return err
}

func tableDepends(q *Query, t *catalog.Table, add addDepend) error {
	for i := range t.Visible() {
		c := &t.Columns[i]
		if c.Type.User() != nil || c.Type.Domain() != nil {
			if err := add(classClass, t.ID, c.ID, classType, c.Type.DeclaredOID(), 0, 'n'); err != nil {
				return err
			}
		}
		if !hasAttrdef(c) {
			continue
		}
		def := partOID(t.ID, partDefault+c.ID)
		own := byte('a')
		if c.Generated != "" {
			own = 'i'
		}
		if err := add(classAttrdef, def, 0, classClass, t.ID, c.ID, own); err != nil {
			return err
		}
		for _, id := range c.GeneratedFrom {
			if err := add(classAttrdef, def, 0, classClass, t.ID, id, 'n'); err != nil {
				return err
			}
		}
		for _, e := range []expr.Stored{c.DefaultExpr, c.Generated} {
			if err := typesNamed(q, classAttrdef, def, e, add); err != nil {
				return err
			}
		}
		used := c.DefaultUses
		if c.Sequence != 0 {
			used = []uint32{c.Sequence}
		}
		for _, id := range used {
			if err := add(classAttrdef, def, 0, classClass, id, 0, 'n'); err != nil {
				return err
			}
		}
	}
	for _, c := range ConstraintsOf(t) {
		for _, id := range c.column {
			if err := add(classConstraint, c.oid, 0, classClass, t.ID, int(id), 'a'); err != nil {
				return err
			}
		}
		if c.Check != nil {
			if err := typesNamed(q, classConstraint, c.oid, c.Check.Cond, add); err != nil {
				return err
			}
		}
		if c.index != nil {
			if err := add(classClass, c.index.oid, 0, classConstraint, c.oid, 0, 'i'); err != nil {
				return err
			}
		}
		if c.Key == nil {
			continue
		}
		for _, id := range c.Key.References {
			if err := add(classConstraint, c.oid, 0, classClass, c.Key.Table, id, 'n'); err != nil {
				return err
			}
		}
		if x := ReferencedIndex(q.Snap, c.Key); x != nil {
			if err := add(classConstraint, c.oid, 0, classClass, x.oid, 0, 'n'); err != nil {
				return err
			}
		}
	}
	for _, x := range IndexesOf(t) {
		if x.Constraint != 0 {
			continue
		}
		if x.def != nil {
			for _, e := range x.def.Expressions() {
				if err := typesNamed(q, classClass, x.oid, e, add); err != nil {
					return err
				}
			}
		}
		ids := x.needs()
		if len(ids) == 0 {
			ids = []int{0} // the table, then
		}
		for _, id := range ids {
			if err := add(classClass, x.oid, 0, classClass, t.ID, id, 'a'); err != nil {
				return err
			}
		}
	}
	return nil
}

// needs are the columns of the table that an index names, each once.
func (x *Index) needs() []int {
	var ids []int
	for _, c := range x.columns {
		if c.part != nil {
			ids = append(ids, c.part.Columns...)
		} else {
			ids = append(ids, c.id)
		}
	}
	if x.def != nil {
		ids = append(ids, x.def.WhereColumns...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
