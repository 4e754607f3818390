package live

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/transact"
)

// AttachTable makes a table of a storage table that others made: Apache Phoenix, or a
// program that writes as it does. Nothing is written but the descriptor. 42P01 where
// there is no such storage table, 42704 where it lacks a column family, 42P07 where
// another table has it; with ifNotExists an existing relation of the name is a NOTICE.
func (c *Catalog) AttachTable(ctx context.Context, def *catalog.AttachDef, ifNotExists bool) (*catalog.Table, catalog.Notices, error) {
	if err := c.mayAttach(ctx); err != nil {
		return nil, nil, err
	}
	built, notices, err := buildAttached(def)
	if err != nil {
		return nil, nil, err
	}
	if err := c.checkPhysical(ctx, built, def.Pos); err != nil {
		return nil, nil, err
	}
	if err := c.tryFormat(ctx, built, def.Pos); err != nil {
		return nil, nil, err
	}
	var id uint32
	s, ns, err := c.Change(ctx, func(ch *change.Change) error {
		if err := mayAttach(ch.Snapshot, ch.By); err != nil { // since the storage table was looked at
			return err
		}
		t := built.Clone()
		schema, err := ch.CreationSchema(def.Name)
		if err != nil {
			return err
		}
		if ch.NameTaken(schema, t.Name) {
			if ifNotExists {
				ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, t.Name))
				return change.ErrNothing
			}
			return catalog.DuplicateRelation(def.Name)
		}
		for _, o := range ch.Objects() {
			other, ok := o.Desc.(*catalog.Table)
			for i := 0; ok && i < other.NumIndexes(); i++ {
				if other.Index(i).Physical != t.Physical && (i > 0 || !other.StoredIn(t.Physical)) {
					continue
				}
				return sqlerr.New(sqlerr.DuplicateTable, `storage table "%s" belongs to table "%s" already`, t.Physical, other.Name).
					WithHint("DETACH TABLE %s first.", catalog.QualifiedName(other.Schema, other.Name)).At(def.Pos)
			}
		}
		if t.ID, err = ch.NewID(); err != nil {
			return err
		}
		id, t.Schema = t.ID, schema
		if err := nameNewKey(ch, t, &def.TableDef); err != nil {
			return err
		}
		for i := range def.Columns {
			if err := ch.SetDefault(&t.Columns[i], &def.Columns[i].Default); err != nil {
				return catalog.Positioned(err, def.Columns[i].Pos)
			}
		}
		if err := t.Finish(); err != nil {
			return err
		}
		ch.Set(t, catalog.StatePublic)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if id == 0 {
		return nil, ns, nil
	}
	return s.TableByID(id), append(notices, ns...), nil
}

// mayAttach is asked before anything of a storage table is looked at: no rights are kept of what
// others have made. 42501.
func (c *Catalog) mayAttach(ctx context.Context) error {
	return mayAttach(c.Seen(), catalog.ActorOf(ctx).By)
}

func mayAttach(s *catalog.Snapshot, by uint32) error {
	if !s.IsSuperuser(by) {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be superuser to attach tables")
	}
	return nil
}

// buildAttached is buildTable for a table of Phoenix: qualifiers may be given, values
// may be missing, and key columns may be NULL where their bytes can say so.
func buildAttached(def *catalog.AttachDef) (*catalog.Table, catalog.Notices, error) {
	d := def.TableDef
	d.Options = slices.DeleteFunc(slices.Clone(d.Options), func(o catalog.OptionDef) bool {
		return o.Namespace == "" && strings.EqualFold(o.Name, "STORE_NULLS") // a NULL is read in either form
	})
	for _, o := range d.Options {
		if strings.EqualFold(o.Name, "TTL") {
			return nil, nil, sqlerr.Unsupported("TTL cannot be given to ATTACH TABLE",
				"Attach the table without it, then use ALTER TABLE … SET (ttl = …), which makes the cells of each row expire together.").At(o.Pos)
		}
	}
	if len(d.PrimaryKey) == 0 {
		return nil, nil, catalog.NoPrimaryKey(d.Name.Name).At(d.Name.Pos)
	}
	t, notices, err := catalog.BuildTableAs(&d, true)
	if err != nil {
		return nil, nil, err
	}
	t.Physical = def.Physical
	if def.KeyFormat != nil {
		return t, notices, nil
	}
	for i := range d.Columns {
		c, cd := &t.Columns[i], &d.Columns[i]
		if c.KeyPos >= 0 || cd.Missing.Null || !cd.Default.Given() {
			continue
		}
		if c.Missing, err = rowcodec.AppendValue([]byte{}, &c.Store, cd.Missing); err != nil {
			return nil, nil, catalog.OfColumn(err, t.Name, cd)
		}
		if len(c.Missing) == 0 {
			c.Missing = nil // an empty default is NULL
		}
	}
	return t, notices, t.Finish()
}

// ReadAttached shows the rows of a storage table as those of def's columns, without
// making a table of it. Values are valid until visit returns.
func (c *Catalog) ReadAttached(ctx context.Context, def *catalog.AttachDef, visit func(row []types.Datum) error) error {
	if err := c.mayAttach(ctx); err != nil {
		return err
	}
	t, _, err := buildAttached(def)
	if err != nil {
		return err
	}
	if err := c.checkPhysical(ctx, t, def.Pos); err != nil {
		return err
	}
	var keys, cells, at []int // at: of a value, its column
	for i := range t.Columns {
		if c := &t.Columns[i]; c.KeyPos >= 0 {
			keys, at = append(keys, c.KeyPos), append(at, i)
		}
	}
	for i := range t.Columns {
		if t.Columns[i].KeyPos < 0 {
			cells, at = append(cells, len(cells)), append(at, i)
		}
	}
	dec := rowcodec.NewRowDecoder(t.Codec(), keys, cells)
	out := make([]*vec.Vec, len(at))
	for k, i := range at {
		out[k] = vec.New(t.Columns[i].Type)
	}
	row := make([]types.Datum, len(at))
	return c.EachBatch(ctx, t, &storage.ScanRequest{Spans: t.Codec().Key.TableSpans()}, func(b *storage.RowBatch) error {
		if err := dec.DecodeBatch(b, 0, b.Len(), out); err != nil {
			return err
		}
		for i := range b.Len() {
			for k, v := range out {
				row[at[k]] = v.Datum(i)
			}
			if err := visit(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkPhysical looks for the storage table and its column families.
func (c *Catalog) checkPhysical(ctx context.Context, t *catalog.Table, pos int) error {
	specs, err := c.Store.Admin().Tables(ctx)
	if err != nil {
		return catalog.FromStorage(err, "looking for the storage table")
	}
	i := slices.IndexFunc(specs, func(s storage.TableSpec) bool { return s.Name == t.Physical })
	if i < 0 || t.Physical == versions.SystemTable || transact.Is(t.Physical) || t.Physical == transact.RecordTable {
		return sqlerr.New(sqlerr.UndefinedTable, `storage table "%s" does not exist`, t.Physical).
			WithHint("Name the table as the store lists it; names are case-sensitive.").At(pos)
	}
	for _, f := range t.Families() {
		if !slices.ContainsFunc(specs[i].Families, func(s storage.FamilySpec) bool { return s.Name == f }) {
			var names []string
			for _, s := range specs[i].Families {
				names = append(names, s.Name)
			}
			return sqlerr.New(sqlerr.UndefinedObject, `storage table "%s" has no column family "%s"`, t.Physical, f).
				WithDetail("Its families are %s.", strings.Join(names, ", ")).
				WithHint("Families not in double quotes are taken in capitals, as Phoenix takes them; that of columns which name none is DEFAULT_COLUMN_FAMILY, '0' if not given.").At(pos)
		}
	}
	return nil
}

// DetachTable forgets attached tables, all or none; their rows stay where they are.
// 0A000 for a table that was not attached.
func (c *Catalog) DetachTable(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		for _, n := range names {
			r, err := ch.FindAs("table", n, "table", ifExists, ch.MustOwn)
			if err != nil {
				return err
			}
			if r == nil {
				continue
			}
			t := r.(*catalog.Table)
			if !t.Adopted {
				return sqlerr.Unsupported(`table "`+t.Name+`" was not attached`, "DROP TABLE removes it with its rows.").At(n.Pos)
			}
			if len(t.Indexes) > 0 {
				return sqlerr.New(sqlerr.DependentObjectsStillExist, `cannot detach table "%s" because it has indexes`, t.Name).
					WithHint("DROP INDEX them first: they are stored apart from the table.").At(n.Pos)
			}
			ch.DropDependents(t, cascade)
			ch.Remove(t.ID)
		}
		return ch.UnlessEmpty()
	})
	return notices, err
}

// refuseAttached refuses an ALTER TABLE that numbers columns in a table where Phoenix
// may have numbered others.
func (a *alteration) refuseAttached(column string, pos int) error {
	if !a.t.Adopted {
		return nil
	}
	return sqlerr.Unsupported(`cannot add column "`+column+`" to table "`+a.t.Name+`", which is attached`,
		"Add it where the table was made, or DETACH TABLE and ATTACH TABLE with the column and its ENCODED_QUALIFIER: the rows stay.").At(pos)
}
