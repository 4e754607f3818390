package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
)

// What has rows, a table or a view, has a type of them in pg_type, and one of arrays of that. It
// is there to be looked up, as by who reads pg_class.reltype: a row as a value is of type record.

// Functions of all row types.
const (
	recordIn      = 2290
	recordOut     = 2291
	recordReceive = 2402
	recordSend    = 2403
)

const maxNameBytes = 63

// rowTypes gives the OIDs of the class's row type and of its arrays; 0 where it has none.
func (c *Class) rowTypes() (row, array uint32) {
	switch {
	case c.virtual != nil:
		return c.virtual.rowType, c.virtual.rowArray
	case c.Kind == 'r' || c.Kind == 'v' || c.Kind == 'm':
		return partOID(c.OID, partRowType), partOID(c.OID, partRowArray)
	}
	return 0, 0
}

// rowArrayName is the name of the type of arrays of the class's rows: with as many underscores
// as make it another name than those of the schema's other types.
func (c *Class) rowArrayName(s *catalog.Snapshot) string {
	taken := func(name string) bool {
		if r := s.Relation(c.Schema, name); r != nil {
			if row, _ := classOf(r).rowTypes(); row != 0 {
				return true
			}
		}
		if t, _ := s.TypeNamed(catalog.Name{Schema: c.Schema, Name: name}); t != nil {
			return true
		}
		for short := c.Name; strings.HasPrefix(short, "_"); {
			short = short[1:]
			if r := s.Relation(c.Schema, short); r != nil {
				if k := classOf(r); k.Kind != 'S' && k.rowArrayName(s) == name {
					return true
				}
			}
		}
		return false
	}
	name := c.Name
	for {
		if name = "_" + name; len(name) > maxNameBytes {
			name = strings.ToValidUTF8(name[:maxNameBytes], "")
		}
		if c.virtual != nil || !taken(name) || strings.Trim(name, "_") == "" && len(name) == maxNameBytes {
			return name
		}
	}
}

// classOfRowType finds the class whose row type has this OID, or whose arrays' type; nil if there
// is none.
func classOfRowType(s *catalog.Snapshot, id uint32) (c *Class, isArray bool) {
	if id == 0 {
		return nil, false
	}
	if owner, part, ok := ownerOf(id); ok {
		if part != partRowType && part != partRowArray {
			return nil, false
		}
		if c = classByOID(s, owner); c == nil {
			return nil, false
		}
		row, array := c.rowTypes()
		if id != row && id != array {
			return nil, false
		}
		return c, id == array
	}
	if r := relationOfType[id]; r != nil {
		return virtualClass(r), id == r.rowArray
	}
	if id&partBit == 0 {
		return nil, false
	}
	for _, r := range s.Relations() { // whose OID is too large for its parts to tell it
		k := classOf(r)
		if row, array := k.rowTypes(); id == row || id == array {
			return k, id == array
		}
	}
	return nil, false
}

// classOfTypeName is classOfRowType by the type's name.
func classOfTypeName(s *catalog.Snapshot, n catalog.Name) (c *Class, isArray bool) {
	for of := n; ; of.Name = of.Name[1:] {
		if r := s.Lookup(of); r != nil {
			c := classByOID(s, r.RelID())
			if row, _ := c.rowTypes(); row != 0 && (of.Name == n.Name || c.rowArrayName(s) == n.Name) {
				return c, of.Name != n.Name
			}
		}
		if !strings.HasPrefix(of.Name, "_") {
			return nil, false
		}
	}
}

// shownRowType is the name of the class's row type, or of that of arrays, as a regtype prints it.
func (c *Class) shownRowType(s *catalog.Snapshot, path []string, array bool) string {
	if array {
		return c.shown(s, path) + "[]"
	}
	return c.shown(s, path)
}

// pgTypeRows gives the row types.
func pgTypeRows(q *Query) error {
	emit := func(c *Class) error {
		row, array := c.rowTypes()
		if row == 0 {
			return nil
		}
		owner, _ := c.Ownership()
		schema := oid(SchemaOID(q.Snap, c.Schema))
		if q.isOID("oid", row) && q.IsText("typname", c.Name) {
			err := q.Row(oid(row), text(c.Name), schema, oid(owner), num(-1), yes(false), char('c'),
				char('C'), yes(false), yes(true), char(','), oid(c.OID), oid(0), oid(0), oid(array),
				oid(recordIn), oid(recordOut), oid(recordReceive), oid(recordSend), oid(0), oid(0), oid(0), char('d'),
				char('x'), yes(false), oid(0), num(-1), num(0), oid(0), null, null, null)
			if err != nil {
				return err
			}
		}
		if array == 0 || !q.isOID("oid", array) {
			return nil
		}
		name := c.rowArrayName(q.Snap)
		if !q.IsText("typname", name) {
			return nil
		}
		a := typeByOID()[recordArray]
		return q.Row(oid(array), text(name), schema, oid(owner), num(-1), yes(false), char('b'),
			char('A'), yes(false), yes(true), char(','), oid(0), oid(a.subscript), oid(row), oid(0),
			oid(a.input), oid(a.output), oid(a.receive), oid(a.send), oid(0), oid(0), oid(a.analyze), char('d'),
			char('x'), yes(false), oid(0), num(-1), num(0), oid(0), null, null, null)
	}
	if id, ok := q.wantOID("oid"); ok {
		if c, _ := classOfRowType(q.Snap, id); c != nil {
			return emit(c)
		}
		return nil
	}
	name, ok := q.wantText("typname")
	if !ok || len(name) == maxNameBytes {
		return eachClass(q.Snap, nil, nil, emit)
	}
	// A row type has the name of its class; that of arrays has underscores before it.
	for {
		if err := eachClass(q.Snap, nil, &name, emit); err != nil {
			return err
		}
		if !strings.HasPrefix(name, "_") {
			return nil
		}
		name = name[1:]
	}
}

// recordArray is the type of arrays of any rows, as the others are.
const recordArray = 2287
