package live

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// AlterHooks are what ALTER TABLE needs and the catalog cannot do.
type AlterHooks struct {
	// ValidateCheck reads the rows of t, the table as the statement leaves it,
	// and answers 23514 where one violates the condition. Without it ADD CONSTRAINT … CHECK is taken on an empty
	// table only.
	ValidateCheck func(ctx context.Context, t *catalog.Table, check catalog.Check) error
}

// alteration is one ALTER TABLE in the making: the descriptor as it becomes,
// and what must hold of the rows for it.
type alteration struct {
	ch        *change
	old, t    *catalog.Table
	needEmpty error           // what to say where there are rows; nil: rows do not matter
	noNulls   []int           // IDs of columns that must not hold NULL
	checks    []catalog.Check // conditions that must hold
	values    []string
	makeWhole bool // the rows: see Catalog.makeWhole
	// gone are the storage tables of indexes that the statement drops.
	gone []string
}

// AlterTable applies actions to one table, all or none.
//
// Rows are tested, and families added, before the descriptor changes; what
// makes the store forget sooner is done after it. So whatever fails, every row
// a statement may see is there.
//
// On a store that several servers share, writes to the table are frozen on all
// of them meanwhile (see versions.Keeper.Freeze), so that the tests hold for every row. On a store
// that one process has to itself they wait in memory (see hold). A transaction that
// holds rows of a table whose constraints grew fails at COMMIT (see Enter).
func (c *Catalog) AlterTable(ctx context.Context, name catalog.Name, ifExists bool, actions []AlterAction, hooks AlterHooks) (catalog.Notices, error) {
	var notices catalog.Notices
	err := c.WithLease(ctx, func(h *versions.Held) error {
		for {
			ns, err := c.alterOnce(ctx, h, name, ifExists, actions, hooks)
			if errors.Is(err, versions.ErrMoved) {
				continue
			}
			notices = ns
			return err
		}
	})
	return notices, err
}

func (c *Catalog) alterOnce(ctx context.Context, h *versions.Held, name catalog.Name, ifExists bool, actions []AlterAction, hooks AlterHooks) (catalog.Notices, error) {
	s, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	dry, err := newChange(ctx, c.over(s)).alter(name, ifExists, actions)
	if err != nil || dry.t == nil {
		return dry.ch.notices, err
	}
	if !c.Shared() && (dry.makeWhole || tightens(actions) || len(dry.gone) > 0) && dry.ch.unlessEmpty() == nil {
		stop := h.Keep(ctx)
		release, err := c.Gate.Hold(ctx, dry.old.ID)
		stop()
		if err != nil {
			return nil, err
		}
		defer release()
		return c.alterTested(ctx, h, name, ifExists, actions, hooks, dry)
	}
	if !c.Shared() || !needsFreeze(actions) && len(dry.gone) == 0 || dry.ch.unlessEmpty() != nil {
		return c.alterTested(ctx, h, name, ifExists, actions, hooks, dry)
	}
	done := false
	defer func() {
		if !done {
			c.Thaw(ctx, dry.old.ID)
		}
	}()
	if err := c.Freeze(ctx, h, dry.old.ID); err != nil {
		return nil, err
	}
	frozen, err := newChange(ctx, c.over(c.Snapshot())).alter(name, ifExists, actions)
	if err != nil {
		return nil, err
	}
	if frozen.t == nil || frozen.old.ID != dry.old.ID || !frozen.old.Frozen {
		return nil, versions.ErrMoved
	}
	notices, err := c.alterTested(ctx, h, name, ifExists, actions, hooks, frozen)
	done = err == nil
	return notices, err
}

// alterTested holds the rows against dry, which is what the alteration comes
// to on the present descriptor, and commits it if that one is still present.
func (c *Catalog) alterTested(ctx context.Context, h *versions.Held, name catalog.Name, ifExists bool, actions []AlterAction, hooks AlterHooks, dry *alteration) (catalog.Notices, error) {
	old := dry.old
	if old.Rewrite != nil && !specHolds(old.StorageSpec(nil), dry.t.StorageSpec(nil)) {
		return nil, beingRewritten(old, "ALTER TABLE") // the copy's storage is as the table's was
	}
	stop := h.Keep(ctx)
	err := c.testRows(ctx, dry, hooks)
	stop()
	if err != nil {
		return nil, err
	}
	wide := widest(old, dry.t).StorageSpec(nil)
	if !specHolds(old.StorageSpec(nil), wide) {
		if err := c.alterPhysical(ctx, h, wide); err != nil {
			return nil, catalog.FromStorage(err, "altering the table's storage")
		}
	}
	var done *alteration
	_, notices, err := c.change(ctx, func(ch *change) error {
		a, err := ch.alter(name, ifExists, actions)
		if err != nil {
			return err
		}
		if a.t == nil || a.old.ID != old.ID || a.old.Version != old.Version {
			return versions.ErrMoved
		}
		done = a
		a.expire(c.Options.Now().UnixMicro())
		if old.Frozen || a.makeWhole || tightens(actions) || len(a.gone) > 0 {
			a.t.Frozen, a.t.WriteVersion = false, a.t.Version
		}
		return ch.unlessEmpty()
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	c.DeleteRows(ctx, done.values)
	for _, name := range done.gone {
		if err := h.DropStorage(ctx, name); err != nil {
			c.Options.Logger.Warn("catalog: the storage of a dropped index is removed when the catalog is next opened", "table", done.t.Name, "err", err)
		}
	}
	if narrow := done.t.StorageSpec(nil); !specHolds(wide, narrow) {
		if err := c.alterPhysical(ctx, h, narrow); err != nil {
			c.Options.Logger.Warn("catalog: the store keeps cells longer than the table's options say, until the catalog is next opened", "table", done.t.Name, "err", err)
		}
	}
	return notices, nil
}

// widest gives the new descriptor with the longer TTL and the larger number of
// versions of the two, and the families of both.
func widest(old, t *catalog.Table) *catalog.Table {
	w := *t
	w.Options.Versions = max(old.Options.Versions, t.Options.Versions)
	if old.Options.TTL == 0 || t.Options.TTL != 0 && old.Options.TTL > t.Options.TTL {
		w.Options.TTL = old.Options.TTL
	}
	return &w
}

// alter works the actions out. Where IF EXISTS finds nothing, t is nil.
func (ch *change) alter(name catalog.Name, ifExists bool, actions []AlterAction) (*alteration, error) {
	a := &alteration{ch: ch}
	r, err := ch.find(name, "table", ifExists)
	if err != nil || r == nil {
		return a, err
	}
	a.old = r.(*catalog.Table)
	a.t = a.old.Clone()
	for _, act := range actions {
		if err := a.apply(act); err != nil {
			return a, err
		}
		if err := a.t.Finish(); err != nil {
			return a, err
		}
	}
	a.setTTL(slices.ContainsFunc(actions, func(act AlterAction) bool {
		set, ok := act.(SetOptions)
		return ok && slices.ContainsFunc(set.Options, func(d catalog.OptionDef) bool { return strings.EqualFold(d.Name, "TTL") })
	}))
	if a.t.Options.TTL > 0 && len(a.t.Indexes) > 0 {
		return a, sqlerr.Unsupported(`a TTL on table "`+a.t.Name+`", which has indexes, is not supported`,
			"Drop the indexes, or delete old rows by a statement.")
	}
	if len(actions) > 0 {
		ch.set(a.t, catalog.StatePublic)
	}
	return a, nil
}

func (a *alteration) apply(act AlterAction) error {
	switch act := act.(type) {
	case AddColumn:
		return a.addColumn(&act)
	case DropColumn:
		return a.dropColumn(&act)
	case RenameColumn:
		return a.renameColumn(&act)
	case RenameTable:
		return a.renameTable(&act)
	case SetSchema:
		return a.setSchema(&act)
	case SetDefault:
		return a.setDefault(&act)
	case SetNotNull:
		return a.setNotNull(&act)
	case DropNotNull:
		return a.dropNotNull(&act)
	case AlterType:
		return a.alterType(&act)
	case SetOptions:
		return a.setOptions(act.Options)
	case ResetOptions:
		return a.resetOptions(act.Names)
	case AddCheck:
		if act.Table != 0 && act.Table != a.old.ID {
			return sqlerr.New(sqlerr.UndefinedTable, `table "%s" was replaced by another at the same time`, a.t.Name).At(act.Pos)
		}
		if err := a.t.AddChecks([]catalog.Check{act.Check}, act.Pos); err != nil {
			return err
		}
		a.checks = append(a.checks, a.t.Checks[len(a.t.Checks)-1])
		return nil
	case AddForeignKey:
		return a.ch.addForeignKeys(a.t, []catalog.ForeignKeyDef{act.Def})
	case AddPrimaryKey:
		return a.addPrimaryKey(&act)
	case DropConstraint:
		return a.dropConstraint(&act)
	case RenameConstraint:
		return a.renameConstraint(&act)
	case AddIdentity:
		return a.addIdentity(&act)
	case DropIdentity:
		return a.dropIdentity(&act)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "this action of ALTER TABLE is not supported")
}

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
			a.ch.notices.Add(skipping(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists, skipping`, def.Name, a.t.Name))
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
	if def.Default.Given() && def.Settled {
		if kept, err = a.settle(&c, def); err != nil {
			return err
		}
	}
	switch {
	case kept && c.NotNull && def.Missing.Null:
		a.needEmpty = nullsInColumn(a.t, c.Name).At(def.Pos)
	case kept:
	case def.Default.Given() || def.Identity != 0:
		a.needEmpty = sqlerr.New(sqlerr.FeatureNotSupported, `cannot add column "%s" with a default to table "%s", which has rows`, c.Name, a.t.Name).
			WithHint("Add the column without a default, give the rows their value with UPDATE, then use ALTER TABLE ... ALTER COLUMN ... SET DEFAULT.").
			WithColumn(a.t.Name, c.Name).At(def.Pos)
	case c.NotNull:
		a.needEmpty = nullsInColumn(a.t, c.Name).At(def.Pos)
	}
	if def.Identity != 0 {
		err = a.ch.ownSequence(a.t, &c, def, catalog.StatePublic)
	} else {
		err = a.ch.setDefault(&c, &def.Default)
	}
	if err != nil {
		return err
	}
	a.setColumns(slices.Insert(slices.Clone(a.t.Columns), len(a.t.Visible()), c))
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
	return sqlerr.New(sqlerr.NotNullViolation, `column "%s" of relation "%s" contains null values`, column, t.Name).WithColumn(t.Name, column)
}

func (a *alteration) dropColumn(act *DropColumn) error {
	if err := a.t.RefuseHidden("drop", act.Name, act.Pos); err != nil {
		return err
	}
	c := a.t.ColumnByName(act.Name)
	if c == nil && act.IfExists {
		a.ch.notices.Add(skipping(sqlerr.SuccessfulCompletion, `column "%s" of relation "%s" does not exist, skipping`, act.Name, a.t.Name))
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
	if err := a.ch.dropUsers(c.ID, "column "+c.Name+" of table "+a.t.Name, a.t, act.Cascade); err != nil {
		return err
	}
	what := "column " + c.Name + " of table " + a.t.Name
	if err := a.ch.dropReferencing(a.t, needsColumn(c.ID), what, what, act.Cascade); err != nil {
		return err
	}
	a.t.ForeignKeys = slices.DeleteFunc(slices.Clone(a.t.ForeignKeys), func(k catalog.ForeignKey) bool {
		return containsInt(k.Columns, c.ID) || k.Table == a.t.ID && containsInt(k.References, c.ID)
	})
	a.dropIndexesOf(c.ID)
	checks := a.t.Checks
	a.t.Checks = nil
	for _, k := range checks {
		if len(k.Columns) == 0 {
			return catalog.DependentsExist("column "+c.Name+" of table "+a.t.Name, "constraint "+k.Name+" on table "+a.t.Name+" may depend on it")
		}
		if !containsInt(k.Columns, c.ID) {
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
	if o, ok := a.ch.get(id); ok {
		var details []string
		for _, r := range a.ch.drawnBy(id) {
			if r.table.ID == a.old.ID && r.column.ID == c.ID {
				continue
			}
			details = append(details, r.String()+" depends on sequence "+o.Desc.(*catalog.Sequence).Name)
		}
		if len(details) > 0 {
			e := catalog.DependentsExist("column "+c.Name+" of table "+a.t.Name, strings.Join(details, "\n"))
			if cascade {
				return sqlerr.New(sqlerr.FeatureNotSupported, "%s", sqlerr.As(e).Message).WithDetail("%s", strings.Join(details, "\n")).
					WithHint("Drop those defaults first.")
			}
			return e
		}
		if err := a.ch.dropDependents(o.Desc.(catalog.Relation), cascade); err != nil {
			return err
		}
		a.ch.remove(id)
		a.values = append(a.values, string(versions.SeqKey(id)))
	}
	return nil
}

func containsInt(list []int, n int) bool {
	for _, e := range list {
		if e == n {
			return true
		}
	}
	return false
}

func (a *alteration) setDefault(act *SetDefault) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if c.Identity != 0 {
		e := sqlerr.New(sqlerr.SyntaxError, `column "%s" of relation "%s" is an identity column`, c.Name, a.t.Name).At(act.Pos)
		if !act.Default.Given() {
			_ = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return e
	}
	return catalog.Positioned(a.ch.setDefault(c, &act.Default), act.Pos)
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

func (a *alteration) addIdentity(act *AddIdentity) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	def := &catalog.ColumnDef{Name: c.Name, Type: c.Type, Identity: act.Identity, Sequence: act.Sequence, Pos: act.Pos}
	switch {
	case !c.NotNull:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" must be declared NOT NULL before identity can be added`, c.Name, a.t.Name).At(act.Pos)
	case c.Identity != 0:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is already an identity column`, c.Name, a.t.Name).At(act.Pos)
	case c.HasDefault():
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" already has a default value`, c.Name, a.t.Name).At(act.Pos)
	}
	if err := catalog.CheckIdentityColumn(def); err != nil {
		return err
	}
	c.Identity = act.Identity
	return a.ch.ownSequence(a.t, c, def, catalog.StatePublic)
}

func (a *alteration) dropIdentity(act *DropIdentity) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if c.Identity == 0 {
		if act.IfExists {
			a.ch.notices.Add(skipping(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is not an identity column, skipping`, c.Name, a.t.Name))
			return nil
		}
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `column "%s" of relation "%s" is not an identity column`, c.Name, a.t.Name).At(act.Pos)
	}
	seq := c.Sequence
	c.Identity, c.Sequence = 0, 0
	return a.dropOwned(seq, c, false)
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
	for _, v := range a.ch.Dependents(a.old.ID) {
		if used, _ := v.UsesColumn(a.old.ID, c.ID); used {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
				WithDetail(`rule _RETURN on view %s depends on column "%s"`, v.Name, c.Name).At(pos)
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
