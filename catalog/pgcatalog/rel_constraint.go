package pgcatalog

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	Source("pg_catalog.pg_index", pgIndex, "indexrelid", "indrelid")
	Source("pg_catalog.pg_constraint", pgConstraint, "oid", "conindid", "conrelid")
	Source("pg_catalog.pg_sequence", pgSequence)
}

// tables visits the tables whose OID one column may have and whose name another may; "" is
// none.
func (q *Query) tables(oidColumn, nameColumn string, visit func(t *catalog.Table) error) error {
	if id, ok := q.wantOID(oidColumn); ok {
		if t := q.Snap.TableByID(id); t != nil {
			return visit(t)
		}
		return nil
	}
	return q.relationsOf(nameColumn, func(r catalog.Relation) error {
		if t, ok := r.(*catalog.Table); ok && q.IsText(nameColumn, t.Name) {
			return visit(t)
		}
		return nil
	})
}

// relationsOf visits the relations of users that have the name, or an index of the name, that
// a column must have; "" is none.
func (q *Query) relationsOf(nameColumn string, visit func(r catalog.Relation) error) error {
	list := q.Snap.Relations()
	if name, ok := q.wantText(nameColumn); ok {
		list = q.Snap.Named(name)
	}
	for _, r := range list {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func pgIndex(q *Query) error {
	visit := func(t *catalog.Table) error {
		for _, x := range IndexesOf(t) {
			if !q.isOID("indexrelid", x.oid) {
				continue
			}
			var keys, options []int16
			var collations, classes []uint32
			exprs, pred, valid, notDistinct := null, null, true, false
			for i := range x.columns {
				c := &x.columns[i]
				keys = append(keys, int16(c.id))
				if c.part != nil {
					exprs = text(indexTree(x.oid, "EXPRS"))
				}
				if i >= x.keys {
					continue
				}
				option := int16(0)
				if c.desc {
					option |= optionDesc
				}
				if c.nullsFirst {
					option |= optionNullsFirst
				}
				options = append(options, option)
				collations = append(collations, storageOf(c.typ).collation)
				classes = append(classes, c.opclassOID())
			}
			if x.def != nil {
				valid, notDistinct = x.def.Readable(), x.def.NullsNotDistinct
				if x.def.Where != "" {
					pred = text(indexTree(x.oid, "PRED"))
				}
			}
			err := q.Row(oid(x.oid), oid(t.ID), num(len(x.columns)), num(x.keys), yes(x.unique), yes(notDistinct), yes(x.primary), yes(false),
				yes(true), yes(false), yes(valid), yes(false), yes(true), yes(true), yes(false),
				vector(types.Int2vector, keys), vector(types.Oidvector, collations), vector(types.Oidvector, classes),
				vector(types.Int2vector, options), exprs, pred)
			if err != nil {
				return err
			}
		}
		return nil
	}
	if id, ok := q.wantOID("indexrelid"); ok {
		if c := classByOID(q.Snap, id); c != nil && c.Index != nil {
			return visit(c.Index.Table)
		}
		return nil
	}
	return q.tables("indrelid", "", visit)
}

// Bits of pg_index.indoption.
const (
	optionDesc       = 1
	optionNullsFirst = 2
)

// opclassOID is the operator class that orders the column.
func (c *indexColumn) opclassOID() uint32 {
	for i := range opclassFacts() {
		if f := &opclassFacts()[i]; c.opclass != "" && f.name == c.opclass {
			return f.oid
		}
	}
	return defaultOpclass(c.typ)
}

// defaultOpclass gives the operator class that keys of a type are ordered by.
func defaultOpclass(t types.T) uint32 {
	in := t.Base()
	switch {
	case in.Kind == types.Varchar:
		in = types.Of(types.Text)
	case in.Kind == types.Array && !in.IsVector():
		in = types.ArrayOf(types.Of(types.Unknown))
	}
	input := in.OID()
	if in.Kind == types.Enum {
		input = anyEnumType
	}
	for i := range opclassFacts() {
		if c := &opclassFacts()[i]; c.input == input && c.isDefault {
			return c.oid
		}
	}
	return 0
}

// Constraint is one of a table's.
type Constraint struct {
	oid    uint32
	Name   string
	Kind   byte // contype
	table  *catalog.Table
	index  *Index
	Check  *catalog.Check
	Key    *catalog.ForeignKey
	column []int16
}

func ConstraintsOf(t *catalog.Table) []*Constraint {
	var list []*Constraint
	for _, x := range IndexesOf(t) {
		if x.Constraint == 0 {
			continue
		}
		c := &Constraint{oid: x.Constraint, Name: x.Name, Kind: 'p', table: t, index: x}
		if !x.primary {
			c.Kind = 'u'
		}
		for i := range x.columns[:x.keys] {
			c.column = append(c.column, int16(x.columns[i].id))
		}
		list = append(list, c)
	}
	for i := range t.Checks {
		k := &t.Checks[i]
		c := &Constraint{oid: partOID(t.ID, partCheck+i), Name: k.Name, Kind: 'c', table: t, Check: k}
		for _, id := range k.Columns {
			c.column = append(c.column, int16(id))
		}
		list = append(list, c)
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		list = append(list, &Constraint{oid: partOID(t.ID, partForeignKey+i), Name: k.Name, Kind: 'f', table: t, Key: k, column: numbers(k.Columns)})
	}
	return list
}

// comment is what COMMENT ON CONSTRAINT has said.
func (c *Constraint) comment() string {
	switch {
	case c.Check != nil:
		return c.Check.Comment
	case c.Key != nil:
		return c.Key.Comment
	}
	return c.index.ofConstraint
}

// ColumnIDs are those of the table that the constraint is about.
func (c *Constraint) ColumnIDs() []int {
	ids := make([]int, len(c.column))
	for i, id := range c.column {
		ids[i] = int(id)
	}
	return ids
}

func numbers(ids []int) []int16 {
	out := make([]int16, len(ids))
	for i, id := range ids {
		out[i] = int16(id)
	}
	return out
}

func constraintByOID(s *catalog.Snapshot, oid uint32) *Constraint {
	var found *Constraint
	findPart(s, oid, func(t *catalog.Table) bool {
		for _, c := range ConstraintsOf(t) {
			if c.oid == oid {
				found = c
				return true
			}
		}
		return false
	})
	return found
}

func pgConstraint(q *Query) error {
	visit := func(t *catalog.Table) error {
		for _, c := range ConstraintsOf(t) {
			if !q.isOID("oid", c.oid) || !q.IsText("conname", c.Name) {
				continue
			}
			var index uint32
			keys, bin := array(types.Int2, num[int16], c.column), null
			noInherit := false
			deferrable, deferred, valid := false, false, true
			var references uint32
			onUpdate, onDelete, match := byte(' '), byte(' '), byte(' ')
			named, set := null, null
			switch {
			case c.Key != nil:
				k := c.Key
				noInherit, valid = true, false // it is not enforced
				deferrable, deferred, references = k.Deferrable, k.Deferred, k.Table
				onUpdate, onDelete, match = k.OnUpdate, k.OnDelete, 's'
				if k.Full {
					match = 'f'
				}
				named = array(types.Int2, num[int16], numbers(k.References))
				if len(k.SetColumns) > 0 {
					set = array(types.Int2, num[int16], numbers(k.SetColumns))
				}
				if x := ReferencedIndex(q.Snap, k); x != nil {
					index = x.oid
				}
			case c.index != nil:
				index, noInherit = c.index.oid, true
			default:
				bin, valid = text(checkTree(t.ID, c.Name)), !c.Check.NotValid
				if len(c.column) == 0 {
					keys = null
				}
			}
			err := q.Row(oid(c.oid), text(c.Name), oid(SchemaOID(q.Snap, t.Schema)), char(c.Kind), yes(deferrable), yes(deferred), yes(valid),
				oid(t.ID), oid(0), oid(index), oid(0), oid(references), char(onUpdate), char(onDelete), char(match), yes(true), num(0), yes(noInherit),
				keys, named, null, null, null, set, null, bin)
			if err != nil {
				return err
			}
		}
		return nil
	}
	if id, ok := q.wantOID("oid"); ok {
		if c := constraintByOID(q.Snap, id); c != nil {
			return visit(c.table)
		}
		return domainConstraints(q)
	}
	if id, ok := q.wantOID("conindid"); ok && id != 0 {
		if c := classByOID(q.Snap, id); c != nil && c.Index != nil {
			return visit(c.Index.Table)
		}
		return nil
	}
	if err := q.tables("conrelid", "", visit); err != nil {
		return err
	}
	return domainConstraints(q)
}

// ReferencedIndex gives the index over the columns that a foreign key names; nil where the
// catalogs show none.
func ReferencedIndex(s *catalog.Snapshot, k *catalog.ForeignKey) *Index {
	t := s.TableByID(k.Table)
	if t == nil {
		return nil
	}
	for _, x := range IndexesOf(t) {
		all := x.keys == len(k.References) && (x.def == nil || x.def.Where == "")
		for _, c := range x.columns[:x.keys] {
			all = all && slices.Contains(k.References, c.id)
		}
		if x.unique && all {
			return x
		}
	}
	return nil
}

func pgSequence(q *Query) error {
	for _, s := range q.Snap.Sequences() {
		if !q.isOID("seqrelid", s.ID) {
			continue
		}
		err := q.Row(oid(s.ID), oid(types.Of(s.Type).OID()), num(s.Start), num(s.Increment), num(s.Max), num(s.Min), num(s.Cache), yes(s.Cycle))
		if err != nil {
			return err
		}
	}
	return nil
}

// A pg_node_tree of these relations says where its expression is, for pg_get_expr.
//
//	{DEFAULT 16385 2}         of a table's column, by number
//	{CHECK 16385 positive}    of a table, by name
//	{INDEX 16390 PRED}        of an index: PRED or EXPRS
//	{DEFAULT 16400}           of a domain
//	{CHECK 16400 positive}    of a domain, by name

func defaultTree(table uint32, column int) string {
	return fmt.Sprintf("{DEFAULT %d %d}", table, column)
}
func checkTree(table uint32, name string) string { return fmt.Sprintf("{CHECK %d %s}", table, name) }

func indexTree(index uint32, what string) string { return fmt.Sprintf("{INDEX %d %s}", index, what) }

// DefaultText prints the default of a table's column, or what it is generated by.
func (q *Query) DefaultText(table uint32, column int) string {
	return treeText(q.Snap, q.Snap.In(q.SearchPath()), defaultTree(table, column))
}

// CheckText prints the condition of a table's CHECK constraint.
func (q *Query) CheckText(table uint32, name string) string {
	return treeText(q.Snap, q.Snap.In(q.SearchPath()), checkTree(table, name))
}
