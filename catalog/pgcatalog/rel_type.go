package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// Types that users made, and the values of enums.

func init() {
	Source("pg_catalog.pg_enum", pgEnum)
}

// Functions of all enums, and the type that stands for them.
const (
	anyEnumType = 3500
	enumIn      = 3506
	enumOut     = 3507
	enumReceive = 3532
	enumSend    = 3533
)

// pgTypeUsers gives the types that users made, and those of the arrays of them.
func pgTypeUsers(q *Query) error {
	array := typeByOID()[types.ArrayOf(types.Of(types.Int4)).OID()] // any array is as another
	for _, t := range q.Snap.Types() {
		schema := oid(SchemaOID(q.Snap, t.Schema))
		if t.Domain != nil {
			if err := pgTypeDomain(q, t); err != nil {
				return err
			}
		} else if q.isOID("oid", t.ID) && q.IsText("typname", t.Name) {
			err := q.Row(oid(t.ID), text(t.Name), schema, oid(t.Owner), num(4), yes(true), char('e'),
				char('E'), yes(false), yes(true), char(','), oid(0), oid(0), oid(0), oid(t.ArrayID),
				oid(enumIn), oid(enumOut), oid(enumReceive), oid(enumSend), oid(0), oid(0), oid(0), char('i'),
				char('p'), yes(false), oid(0), num(-1), num(0), oid(0), null, null, q.acl(t.Rights))
			if err != nil {
				return err
			}
		}
		if q.isOID("oid", t.ArrayID) && q.IsText("typname", t.ArrayName) {
			align := byte('i')
			if t.Domain != nil && storageOf(t.Domain.Base).align == 'd' {
				align = 'd'
			}
			err := q.Row(oid(t.ArrayID), text(t.ArrayName), schema, oid(t.Owner), num(-1), yes(false), char('b'),
				char('A'), yes(false), yes(true), char(','), oid(0), oid(array.subscript), oid(t.ID), oid(0),
				oid(array.input), oid(array.output), oid(array.receive), oid(array.send), oid(0), oid(0), oid(array.analyze), char(align),
				char('x'), yes(false), oid(0), num(-1), num(0), oid(0), null, null, null)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pgEnum gives the values that may be written.
func pgEnum(q *Query) error {
	for _, t := range q.Snap.Types() {
		if !q.isOID("enumtypid", t.ID) {
			continue
		}
		for i := range t.Labels {
			l := &t.Labels[i]
			if l.Pending || !q.isOID("oid", l.ID) || !q.IsText("enumlabel", l.Text) {
				continue
			}
			if err := q.Row(oid(l.ID), oid(t.ID), float(l.Order()), text(l.Text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeNamed finds a type by the text of a regtype, one of the system by its name in pg_type; 0
// if there is none.
func typeNamed(s *catalog.Snapshot, path, parts []string, ofArrays bool) uint32 {
	if len(parts) == 1 || parts[0] == "pg_catalog" {
		for _, t := range builtins().types {
			switch {
			case t.name != parts[len(parts)-1]:
			case ofArrays:
				return t.array
			default:
				return t.oid
			}
		}
	}
	n := catalog.Name{Name: parts[len(parts)-1], Path: notNil(path)}
	if len(parts) > 1 {
		n.Schema = parts[0]
	}
	t, array := s.TypeNamed(n)
	switch {
	case t == nil:
		c, array := classOfTypeName(s, n)
		if c == nil {
			return 0
		}
		row, arrays := c.rowTypes()
		if array || ofArrays {
			return arrays
		}
		return row
	case array || ofArrays:
		return t.ArrayID
	}
	return t.ID
}

// userTypeVisible says that a type's name finds it without a schema; ok is false for no type of
// users.
func userTypeVisible(s *catalog.Snapshot, path []string, id uint32) (visible, ok bool) {
	t := userType(s, id)
	if t == nil {
		c, _ := classOfRowType(s, id)
		return c != nil && c.visible(s, path), c != nil
	}
	name := t.Name
	if t.ArrayID == id {
		name = t.ArrayName
	}
	found, _ := s.TypeNamed(catalog.Name{Name: name, Path: notNil(path)})
	return found == t, true
}

// TypeSchema gives the schema and the name of a type, as information_schema has them.
func TypeSchema(t types.T) (schema, name string) {
	if d := t.Domain(); d != nil {
		return d.Def().Schema, d.Def().Name
	}
	if u := t.User(); u != nil {
		return u.Def().Schema, t.TypName()
	}
	return "pg_catalog", t.TypName()
}

// shownType is format_type for what users made too.
func shownType(s *catalog.Snapshot, path []string, id uint32, mod int32) string {
	if t, ok := s.TypeOfOID(id, mod); ok && (t.User() != nil || t.Domain() != nil) {
		return s.In(notNil(path)).TypeName(t)
	}
	if t := userType(s, id); t != nil && t.Domain != nil { // there are no values of its arrays
		return shownType(s, path, t.ID, -1) + "[]"
	}
	if c, array := classOfRowType(s, id); c != nil {
		return c.shownRowType(s, path, array)
	}
	return TypeText(id, mod)
}
