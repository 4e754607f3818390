package live

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// addForeignKeys adds constraints to t, under the names PostgreSQL would choose where they
// have none.
func addForeignKeys(ch *change.Change, t *catalog.Table, defs []catalog.ForeignKeyDef) error {
	t.ForeignKeys = slices.Clone(t.ForeignKeys)
	loud := 0
	for i := range defs {
		k, err := foreignKey(ch, t, &defs[i])
		if err != nil {
			return catalog.Positioned(err, defs[i].Pos)
		}
		t.ForeignKeys = append(t.ForeignKeys, k)
		if !defs[i].Quiet {
			loud++
		}
	}
	if loud > 0 {
		ch.Notices.Add(sqlerr.Notice(sqlerr.Warning, `foreign keys of table "%s" are kept but not enforced`, t.Name).
			WithHint("Check the other table in the program; write NOT ENFORCED to say that this is meant."))
	}
	return nil
}

// mayReference refuses a foreign key over columns that may not be referenced; those of the
// primary key where none are named.
func mayReference(ch *change.Change, t *catalog.Table, names []string) error {
	if rights, _ := ch.RelationRights(ch.By, t); rights&acl.References != 0 {
		return nil
	}
	if names == nil {
		for _, c := range t.PrimaryKey {
			names = append(names, t.Columns[c].Name)
		}
	}
	for _, name := range names {
		c := t.ColumnByName(name)
		if c == nil {
			return nil // which is told as that
		}
		if rights, _ := ch.ColumnRights(ch.By, t, c.ID); rights&acl.References == 0 {
			return catalog.Denied("table", t.Name)
		}
	}
	return nil
}

func foreignKey(ch *change.Change, t *catalog.Table, def *catalog.ForeignKeyDef) (catalog.ForeignKey, error) {
	k := def.ForeignKey
	ref := t
	if r := ch.Lookup(def.Table); r == nil || r.RelID() != t.ID {
		if self := def.Table; r != nil || self.Name != t.Name || self.Schema != "" && self.Schema != t.Schema {
			var err error
			if ref, err = ch.FindQueried(def.Table); err != nil {
				if sqlerr.CodeOf(err) == sqlerr.WrongObjectType {
					err = sqlerr.New(sqlerr.WrongObjectType, `referenced relation "%s" is not a table`, def.Table.Name)
				}
				return k, err
			}
		}
	}
	if ref != t {
		if err := mayReference(ch, ref, def.References); err != nil {
			return k, err
		}
	}
	var err error
	if k.Columns, err = columnIDs(t, def.Columns); err != nil {
		return k, err
	}
	if k.SetColumns, err = columnIDs(t, def.SetColumns); err != nil {
		return k, err
	}
	for i, id := range k.SetColumns {
		if !slices.Contains(k.Columns, id) {
			return k, sqlerr.New(sqlerr.InvalidColumnReference, `column "%s" referenced in ON DELETE SET action must be part of foreign key`, def.SetColumns[i])
		}
	}
	switch {
	case def.References != nil:
		if k.References, err = columnIDs(ref, def.References); err != nil {
			return k, err
		}
	case ref.HiddenKey() != nil:
		return k, sqlerr.New(sqlerr.UndefinedObject, `there is no primary key for referenced table "%s"`, ref.Name)
	default:
		for _, c := range ref.PrimaryKey {
			k.References = append(k.References, ref.Columns[c].ID)
		}
	}
	if len(k.Columns) != len(k.References) {
		return k, sqlerr.New(sqlerr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	if !uniqueOver(ref, k.References) {
		return k, sqlerr.New(sqlerr.InvalidForeignKey, `there is no unique constraint matching given keys for referenced table "%s"`, ref.Name)
	}
	if k.Name == "" {
		names := make([]string, len(k.Columns))
		for i, id := range k.Columns {
			names[i] = t.ColumnByID(id).Name
		}
		made := catalog.MakeObjectName(t.Name, strings.Join(names, "_"), "fkey")
		k.Name = catalog.UniqueName(func(n int) string { return catalog.Numbered(made, n) }, t.HasConstraint)
	} else if t.HasConstraint(k.Name) {
		return k, sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, k.Name, t.Name)
	}
	if err := catalog.CheckIdentifier("constraint", k.Name, 0); err != nil {
		return k, err
	}
	for i := range k.Columns {
		a, b := t.ColumnByID(k.Columns[i]), ref.ColumnByID(k.References[i])
		if !comparable(a.Type, b.Type) {
			return k, sqlerr.New(sqlerr.DatatypeMismatch, `foreign key constraint "%s" cannot be implemented`, k.Name).
				WithDetail(`Key columns "%s" and "%s" are of incompatible types: %s and %s.`, a.Name, b.Name, a.Type.Base(), b.Type.Base())
		}
	}
	k.Table = ref.ID
	return k, nil
}

// referencingOf lists the constraints of other tables, which are not dropped as well, that
// name a table and need what is dropped of it; need nil is all of it.
func referencingOf(ch *change.Change, t *catalog.Table, need func(*catalog.ForeignKey) bool) []referencing {
	var list []referencing
	for _, r := range ch.Relations() {
		o, ok := ch.Get(r.RelID())
		other, table := o.Desc.(*catalog.Table)
		if !ok || !table || o.State != catalog.StatePublic || other.ID == t.ID || ch.Going[other.ID] {
			continue
		}
		for i := range other.ForeignKeys {
			k := &other.ForeignKeys[i]
			if k.Table == t.ID && (need == nil || need(k)) {
				list = append(list, referencing{other, k.Name})
			}
		}
	}
	return list
}

// needsColumn is for referencingOf.
func needsColumn(id int) func(*catalog.ForeignKey) bool {
	return func(k *catalog.ForeignKey) bool { return slices.Contains(k.References, id) }
}

// needsIndex says of a constraint that names t that no other index than ix has its columns
// unique.
func needsIndex(t *catalog.Table, ix *catalog.Index) func(*catalog.ForeignKey) bool {
	without := *t
	without.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(x catalog.Index) bool { return x.ID == ix.ID })
	return func(k *catalog.ForeignKey) bool { return k.Table == t.ID && !uniqueOver(&without, k.References) }
}

// dropReferencing removes the constraints of other tables that need what is dropped; without
// cascade they block the change. what is the thing that is dropped, on the one that they depend on.
func dropReferencing(ch *change.Change, t *catalog.Table, need func(*catalog.ForeignKey) bool, what, on string, cascade bool) error {
	for _, r := range referencingOf(ch, t, need) {
		if !cascade {
			ch.Block(what, ch.CalledOn(r.key, r.table), on)
			continue
		}
		ch.Cascaded = append(ch.Cascaded, ch.CalledOn(r.key, r.table))
		o, _ := ch.Get(r.table.ID)
		other := o.Desc.(*catalog.Table).Clone()
		other.ForeignKeys = slices.DeleteFunc(slices.Clone(other.ForeignKeys), func(k catalog.ForeignKey) bool { return k.Name == r.key })
		if err := other.Finish(); err != nil {
			return err
		}
		ch.Set(other, catalog.StatePublic)
	}
	return nil
}

// comparable says that values of two types may be equal.
func comparable(a, b types.T) bool {
	class := func(t types.T) types.Kind {
		switch t.Kind {
		case types.Int2, types.Int4, types.Int8, types.Float4, types.Float8:
			return types.Numeric
		case types.Varchar, types.Bpchar:
			return types.Text
		case types.Date, types.Timestamptz:
			return types.Timestamp
		}
		return t.Kind
	}
	return class(a) == class(b) && a.Elem == b.Elem
}

func columnIDs(t *catalog.Table, names []string) ([]int, error) {
	var ids []int
	for _, n := range names {
		c := t.VisibleColumn(n)
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" referenced in foreign key constraint does not exist`, n)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// uniqueOver says that no two rows have the same values of the columns, by the primary key
// or a UNIQUE index.
func uniqueOver(t *catalog.Table, ids []int) bool {
	same := func(own []int) bool {
		a, b := slices.Clone(own), slices.Clone(ids)
		slices.Sort(a)
		slices.Sort(b)
		return slices.Equal(a, b)
	}
	var key []int
	for _, c := range t.PrimaryKey {
		key = append(key, t.Columns[c].ID)
	}
	if t.HiddenKey() == nil && same(key) {
		return true
	}
	return slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool {
		var own []int
		for _, p := range ix.Parts {
			own = append(own, p.Column) // 0, which no column has, for an expression
		}
		return ix.Unique && ix.Where == "" && ix.Readable() && same(own)
	})
}

// referencing is a constraint of another table that names one.
type referencing struct {
	table *catalog.Table
	key   string
}
