package live

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// column finds a column to change; the pointer is into a.t.
func (a *alteration) column(name string, pos int) (*catalog.Column, error) {
	if err := a.t.RefuseHidden("alter", name, pos); err != nil {
		return nil, err
	}
	if c := a.t.ColumnByName(name); c != nil {
		return c, nil
	}
	return nil, catalog.UndefinedColumn(a.t, name).At(pos)
}

func (a *alteration) addColumn(act *AddColumn) error {
	def := &act.Column
	if a.t.VisibleColumn(def.Name) != nil {
		if act.IfNotExists {
			a.ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists, skipping`, def.Name, a.t.Name))
			return nil
		}
		return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists`, def.Name, a.t.Name).At(def.Pos)
	}
	if len(a.t.Columns) >= catalog.MaxTableColumns {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", catalog.MaxTableColumns).At(def.Pos)
	}
	if err := a.refuseAttached(def.Name, def.Pos); err != nil {
		return err
	}
	c, err := a.t.NewColumn(def, -1, nil)
	if err != nil {
		return err
	}
	kept := false // rows of before have the default
	if def.Settled && (def.Default.Given() || def.Type.Domain() != nil) && def.Fault == nil {
		if kept, err = a.settle(&c, def); err != nil {
			return err
		}
	}
	switch {
	case def.Fault != nil:
		a.needEmpty = def.Fault
	case kept && c.NotNull && def.Missing.Null:
		a.needEmpty = nullsInColumn(a.t, c.Name).At(def.Pos)
	case kept:
	case a.written && def.WritesRows() && c.Generated == "":
	case c.Generated != "":
		if act.Table != a.old.ID || c.ID != a.old.NextColumnID {
			return sqlerr.Unsupported("adding a generated column beside other columns is not supported", "Write an ALTER TABLE of its own for it.").At(def.Pos)
		}
		if a.written {
			break
		}
		a.needEmpty = sqlerr.New(sqlerr.FeatureNotSupported, `cannot add generated column "%s" to table "%s", which has rows`, c.Name, a.t.Name).
			WithHint("Create a table with the column, and fill it with INSERT INTO ... SELECT; or add a plain column and compute it with UPDATE.").
			WithColumn(a.t.Name, c.Name).At(def.Pos)
	case def.Default.Given() || def.Identity != 0:
		a.needEmpty = sqlerr.New(sqlerr.FeatureNotSupported, `cannot add column "%s" with a default to table "%s", which has rows`, c.Name, a.t.Name).
			WithHint("Add the column without a default, give the rows their value with UPDATE, then use ALTER TABLE ... ALTER COLUMN ... SET DEFAULT.").
			WithColumn(a.t.Name, c.Name).At(def.Pos)
	case c.NotNull:
		a.needEmpty = nullsInColumn(a.t, c.Name).At(def.Pos)
	}
	switch {
	case act.drawn != 0:
		err = takeSequence(a.ch, a.t, &c, act.drawn)
	case def.Identity != 0:
		err = ownSequence(a.ch, a.t, &c, def, catalog.StatePublic)
	default:
		err = a.ch.SetDefault(&c, &def.Default)
	}
	if err != nil {
		return err
	}
	a.setColumns(slices.Insert(a.t.Columns, len(a.t.Visible()), c))
	a.t.NameHiddenKey()
	return nil
}

// settle gives the rows that are there the value of a new column's DEFAULT without writing
// them: false where they would have to be.
func (a *alteration) settle(c *catalog.Column, def *catalog.ColumnDef) (bool, error) {
	if def.Missing.Null {
		return true, nil
	}
	b, ok, err := rowcodec.MissingValue(&c.Store, def.Missing)
	if err != nil {
		return false, catalog.OfColumn(err, a.t.Name, def)
	}
	if ok {
		c.Missing = b
	}
	return ok, nil
}

func nullsInColumn(t *catalog.Table, column string) *sqlerr.Error {
	return sqlerr.New(sqlerr.NotNullViolation, `column "%s" of relation "%s" contains null values`, column, t.Name).WithColumn(t.Name, column).InSchema(t.Schema)
}

func (a *alteration) dropColumn(act *DropColumn) error {
	if err := a.t.RefuseHidden("drop", act.Name, act.Pos); err != nil {
		return err
	}
	c := a.t.ColumnByName(act.Name)
	if c == nil && act.IfExists {
		a.ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `column "%s" of relation "%s" does not exist, skipping`, act.Name, a.t.Name))
		return nil
	}
	if c == nil {
		return catalog.UndefinedColumn(a.t, act.Name).At(act.Pos)
	}
	if c.KeyPos >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, `cannot drop column "%s" of table "%s": it is part of the primary key`, c.Name, a.t.Name).
			WithHint("Rows are stored by their key: create a table with the key you want and fill it with UPSERT INTO ... SELECT.").
			WithColumn(a.t.Name, c.Name).At(act.Pos)
	}
	what := a.ch.CalledIn("column "+c.Name, a.t)
	a.ch.DropUsers(c.ID, what, a.t, act.Cascade)
	if err := a.dropComputed(c, act); err != nil {
		return err
	}
	if err := dropReferencing(a.ch, a.t, needsColumn(c.ID), what, what, act.Cascade); err != nil {
		return err
	}
	if err := a.ch.Blocked(); err != nil {
		return err
	}
	a.t.ForeignKeys = slices.DeleteFunc(slices.Clone(a.t.ForeignKeys), func(k catalog.ForeignKey) bool {
		return slices.Contains(k.Columns, c.ID) || k.Table == a.t.ID && slices.Contains(k.References, c.ID)
	})
	a.dropIndexesOf(c.ID)
	checks := a.t.Checks
	a.t.Checks = nil
	for _, k := range checks {
		if len(k.Columns) == 0 {
			return catalog.DependentsExist(what, "it", []string{a.ch.CalledOn(k.Name, a.t) + " may depend on it"})
		}
		if !slices.Contains(k.Columns, c.ID) {
			a.t.Checks = append(a.t.Checks, k)
		}
	}
	for _, q := range a.ch.OwnedSequences(a.old.ID) {
		if q.OwnerColumn != c.ID {
			continue
		}
		if err := a.dropOwned(q.ID, c, act.Cascade); err != nil {
			return err
		}
	}
	a.t.Dropped = append(a.t.Dropped[:len(a.t.Dropped):len(a.t.Dropped)],
		catalog.DroppedColumn{ID: c.ID, Family: c.Family, Qualifier: c.Qualifier, Number: c.Number})
	kept := make([]catalog.Column, 0, len(a.t.Columns)-1)
	for i := range a.t.Columns {
		if a.t.Columns[i].ID != c.ID {
			kept = append(kept, a.t.Columns[i])
		}
	}
	a.setColumns(kept)
	a.t.NameHiddenKey()
	return nil
}

// dropComputed drops the columns that are computed of c, which is dropped: 2BP01 without CASCADE.
func (a *alteration) dropComputed(c *catalog.Column, act *DropColumn) error {
	for _, d := range a.computedOf(c.ID) {
		what := a.ch.CalledIn("column "+d, a.t)
		if !act.Cascade {
			of := a.ch.CalledIn("column "+act.Name, a.t)
			a.ch.Block(of, what, of)
			continue
		}
		a.ch.Cascaded = append(a.ch.Cascaded, what)
		if err := a.dropColumn(&DropColumn{Name: d, Cascade: true, Pos: act.Pos}); err != nil {
			return err
		}
	}
	return nil
}

// computedOf lists the generated columns that are computed of a column.
func (a *alteration) computedOf(id int) (names []string) {
	for i := range a.t.Columns {
		if slices.Contains(a.t.Columns[i].GeneratedFrom, id) {
			names = append(names, a.t.Columns[i].Name)
		}
	}
	return names
}

// dropIndexesOf drops the indexes that would mean nothing without a column.
func (a *alteration) dropIndexesOf(id int) {
	a.dropIndexes(func(ix *catalog.Index) bool { return ix.Uses(id) })
}

func (a *alteration) dropIndexes(which func(*catalog.Index) bool) {
	var kept []catalog.Index
	for i := range a.t.Indexes {
		if ix := &a.t.Indexes[i]; which(ix) {
			a.gone = append(a.gone, ix.Physical)
		} else {
			kept = append(kept, *ix)
		}
	}
	a.t.Indexes = kept
}

// setColumns replaces the columns and finds the key's again.
func (a *alteration) setColumns(cols []catalog.Column) {
	a.t.Columns = cols
	a.t.PrimaryKey = make([]int, len(a.t.PrimaryKey))
	for i := range cols {
		if p := cols[i].KeyPos; p >= 0 {
			a.t.PrimaryKey[p] = i
		}
	}
}

// dropOwned removes a sequence that column c owns. Its own default goes with the
// column; those of others need cascade.
func (a *alteration) dropOwned(id uint32, c *catalog.Column, cascade bool) error {
	if o, ok := a.ch.Get(id); ok {
		var details []string
		for _, r := range a.ch.DrawnBy(id) {
			if r.Table.ID == a.old.ID && r.Column.ID == c.ID {
				continue
			}
			details = append(details, a.ch.DefaultOf(r)+" depends on "+a.ch.Called(o.Desc.(*catalog.Sequence)))
		}
		if len(details) > 0 {
			e := catalog.DependentsExist(a.ch.CalledIn("column "+c.Name, a.t), "it", details)
			if cascade {
				return sqlerr.New(sqlerr.FeatureNotSupported, "%s", sqlerr.As(e).Message).WithDetail("%s", strings.Join(details, "\n")).
					WithHint("Drop those defaults first.")
			}
			return e
		}
		a.ch.DropDependents(o.Desc.(catalog.Relation), cascade)
		a.ch.Remove(id)
		a.values = append(a.values, string(versions.SeqKey(id)))
	}
	return nil
}

func (a *alteration) setDefault(act *SetDefault) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if c.Generated != "" {
		e := sqlerr.New(sqlerr.SyntaxError, `column "%s" of relation "%s" is a generated column`, c.Name, a.t.Name).At(act.Pos)
		if act.Bind == nil && !act.Default.Given() {
			_ = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
		}
		return e
	}
	if c.Identity != 0 {
		e := sqlerr.New(sqlerr.SyntaxError, `column "%s" of relation "%s" is an identity column`, c.Name, a.t.Name).At(act.Pos)
		if act.Bind == nil && !act.Default.Given() {
			_ = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return e
	}
	if act.Bind != nil {
		if act.Default, err = act.Bind(c); err != nil {
			return err
		}
	}
	return catalog.Positioned(a.ch.SetDefault(c, &act.Default), act.Pos)
}

func (a *alteration) setNotNull(act *SetNotNull) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if !c.NotNull && a.old.ColumnByID(c.ID) != nil {
		a.noNulls = append(a.noNulls, c.ID)
	}
	c.NotNull = true
	return nil
}

func (a *alteration) dropNotNull(act *DropNotNull) error {
	c, err := a.column(act.Column, act.Pos)
	switch {
	case err != nil:
		return err
	case c.KeyPos >= 0:
		return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" is in a primary key`, c.Name).At(act.Pos)
	case c.Identity != 0:
		return sqlerr.New(sqlerr.SyntaxError, `column "%s" of relation "%s" is an identity column`, c.Name, a.t.Name).At(act.Pos)
	}
	c.NotNull = false
	return nil
}

// dropExpression makes a generated column a plain one.
func (a *alteration) dropExpression(act *DropExpression) error {
	c, err := a.column(act.Column, act.Pos)
	switch {
	case err != nil:
		return err
	case c.Generated != "":
		c.Generated, c.GeneratedFrom = "", nil
		return nil
	case act.IfExists:
		a.ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `column "%s" of relation "%s" is not a stored generated column, skipping`, c.Name, a.t.Name))
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is not a stored generated column`, c.Name, a.t.Name).At(act.Pos)
}

func (a *alteration) alterType(act *AlterType) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if act.Type == c.Type && (act.Store.Type == rowcodec.Invalid || act.Store.Type == c.Store.Type) {
		return nil
	}
	if act.Rewrites(a.old) {
		return sqlerr.Unsupported(`changing the type of column "`+c.Name+`", which writes all rows anew, is not supported beside other actions`,
			"Write an ALTER TABLE for changes of types alone.").WithColumn(a.t.Name, c.Name).At(act.Pos)
	}
	if err := a.typeIsFree(c, act.Pos); err != nil {
		return err
	}
	c.Type, c.Store.SQL = act.Type, act.Type
	return nil
}

// typeIsFree says that nothing but the rows has the type of a column.
func (a *alteration) typeIsFree(c *catalog.Column, pos int) error {
	if names := a.computedOf(c.ID); len(names) > 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a generated column").
			WithDetail(`Column "%s" is used by generated column "%s".`, c.Name, names[0])
	}
	if c.Generated != "" {
		return sqlerr.Unsupported(`changing the type of generated column "`+c.Name+`" is not supported`, "Drop the column, and add it with the other type.").
			WithColumn(a.t.Name, c.Name).At(pos)
	}
	for _, v := range a.ch.Dependents(a.old.ID) {
		if used, _ := v.UsesColumn(a.old.ID, c.ID); used {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
				WithDetail(`rule _RETURN on %s depends on column "%s"`, a.ch.Called(v), c.Name)
		}
	}
	for i := range a.t.Indexes {
		ix := &a.t.Indexes[i]
		if slices.Contains(ix.WhereColumns, c.ID) || slices.ContainsFunc(ix.Parts, func(p catalog.IndexPart) bool { return slices.Contains(p.Columns, c.ID) }) {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot change the type of column "%s" because an expression of index "%s" names it`, c.Name, ix.Name).
				WithHint("Drop the index, alter the column, and create the index again.").WithColumn(a.t.Name, c.Name).At(pos)
		}
	}
	return nil
}
