package live

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func (a *alteration) renameColumn(act *RenameColumn) error {
	if err := a.t.RefuseHidden("rename", act.From, act.Pos); err != nil {
		return err
	}
	c := a.t.ColumnByName(act.From)
	if c == nil {
		return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, act.From).At(act.Pos)
	}
	if err := catalog.CheckIdentifier("column", act.To, act.Pos); err != nil {
		return err
	}
	if slices.Contains(catalog.SystemColumns, act.To) {
		return sqlerr.New(sqlerr.DuplicateColumn, `column name "%s" conflicts with a system column name`, act.To).At(act.Pos)
	}
	if a.t.VisibleColumn(act.To) != nil {
		return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists`, act.To, a.t.Name).At(act.Pos)
	}
	if err := a.ch.RefuseFixed(a.t, c.ID, c.Name, act.Pos); err != nil {
		return err
	}
	for _, k := range a.t.Checks {
		if k.Text != "" && (len(k.Columns) == 0 || slices.Contains(k.Columns, c.ID)) {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot rename column "%s" because constraint "%s" names it`, c.Name, k.Name).
				WithHint("Drop the constraint, rename the column, and add the constraint again.").At(act.Pos)
		}
	}
	salt := slices.Clone(a.t.Options.SaltColumns)
	for i := range salt {
		if salt[i] == c.Name {
			salt[i] = act.To
		}
	}
	a.t.Options.SaltColumns = salt
	a.t.RenameInEpochs(c.Name, act.To)
	defer a.t.NameHiddenKey()
	c.Name = act.To // the qualifier stays: it is not the name any more with COLUMN_ENCODED_BYTES = 0
	return nil
}

func (a *alteration) renameTable(act *RenameTable) error {
	if err := catalog.CheckIdentifier("table", act.To, act.Pos); err != nil {
		return err
	}
	if err := a.ch.MayCreateIn(a.t.Schema); err != nil {
		return err
	}
	if a.ch.NameTaken(a.t.Schema, act.To) {
		return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, act.To).At(act.Pos)
	}
	a.t.Name = act.To
	return nil
}

// setSchema moves the table and the sequences its columns own.
func (a *alteration) setSchema(act *SetSchema) error {
	names := []string{a.t.Name, a.t.PrimaryKeyName}
	for _, ix := range a.t.Indexes {
		names = append(names, ix.Name)
	}
	if moves, err := mayMove(a.ch, a.old, act.Schema, act.Pos, names...); !moves || err != nil {
		return err
	}
	for _, owned := range a.ch.OwnedSequences(a.t.ID) {
		o, ok := a.ch.Get(owned.ID)
		if !ok {
			continue
		}
		q := *o.Desc.(*catalog.Sequence)
		if err := nameFree(a.ch, act.Schema, q.Name, act.Pos); err != nil {
			return err
		}
		q.Schema = act.Schema
		if err := a.ch.RefuseTexts("move", &q); err != nil {
			return catalog.Positioned(err, act.Pos)
		}
		a.ch.Set(&q, o.State)
	}
	a.t.Schema = act.Schema
	return nil
}

func (a *alteration) dropConstraint(act *DropConstraint) error {
	if act.Name == a.t.PrimaryKeyName {
		return sqlerr.New(sqlerr.FeatureNotSupported, `cannot drop constraint "%s": rows are stored by their primary key`, act.Name).
			WithHint("Create a table with the key you want and fill it with UPSERT INTO ... SELECT.").At(act.Pos)
	}
	i := slices.IndexFunc(a.t.Checks, func(c catalog.Check) bool { return c.Name == act.Name })
	f := slices.IndexFunc(a.t.ForeignKeys, func(k catalog.ForeignKey) bool { return k.Name == act.Name })
	unique := a.t.UniqueConstraint(act.Name)
	switch {
	case f >= 0:
		a.t.ForeignKeys = slices.Concat(a.t.ForeignKeys[:f], a.t.ForeignKeys[f+1:])
	case unique != nil:
		id := unique.ID
		if err := a.dropNeeding(unique, a.ch.CalledOn(act.Name, a.t), act.Cascade); err != nil {
			return err
		}
		a.dropIndexes(func(ix *catalog.Index) bool { return ix.ID == id })
	case i >= 0:
		a.t.Checks = slices.Concat(a.t.Checks[:i], a.t.Checks[i+1:])
	case act.IfExists:
		a.ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `constraint "%s" of relation "%s" does not exist, skipping`, act.Name, a.t.Name))
	default:
		return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" of relation "%s" does not exist`, act.Name, a.t.Name).At(act.Pos)
	}
	return nil
}

func (a *alteration) validateConstraint(act *ValidateConstraint) error {
	i := slices.IndexFunc(a.t.Checks, func(c catalog.Check) bool { return c.Name == act.Name })
	switch {
	case i >= 0 && a.t.Checks[i].NotValid:
		a.t.Checks = slices.Clone(a.t.Checks)
		a.t.Checks[i].NotValid = false
		a.checks = append(a.checks, a.t.Checks[i])
		return nil
	case i >= 0:
		return nil
	case slices.ContainsFunc(a.t.ForeignKeys, func(k catalog.ForeignKey) bool { return k.Name == act.Name }):
		return sqlerr.Unsupported(`validating foreign key "`+act.Name+`" is not supported: it is not enforced`,
			"Look for rows without their counterpart by a query: WHERE NOT EXISTS (…).").At(act.Pos)
	case act.Name == a.t.PrimaryKeyName || a.t.UniqueConstraint(act.Name) != nil:
		return sqlerr.New(sqlerr.WrongObjectType, `constraint "%s" of relation "%s" is not a foreign key or check constraint`, act.Name, a.t.Name)
	}
	return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" of relation "%s" does not exist`, act.Name, a.t.Name).At(act.Pos)
}

// ofNone says that there is no such thing.
func (a *alteration) ofNone(act *OfNone) error {
	of := "relation"
	if act.What == "trigger" {
		of = "table" // as PostgreSQL says it
	}
	return sqlerr.New(sqlerr.UndefinedObject, `%s "%s" for %s "%s" does not exist`, act.What, act.Name, of, a.t.Name)
}

// dropNeeding removes the foreign keys that need a unique index, or says which they are. what
// is the thing that is dropped: the index or its constraint.
func (a *alteration) dropNeeding(ix *catalog.Index, what string, cascade bool) error {
	on := a.ch.CalledIndex(a.t, ix)
	need := needsIndex(a.t, ix)
	if err := dropReferencing(a.ch, a.t, need, what, on, cascade); err != nil {
		return err
	}
	var own []string
	a.t.ForeignKeys = slices.DeleteFunc(slices.Clone(a.t.ForeignKeys), func(k catalog.ForeignKey) bool {
		if !need(&k) {
			return false
		}
		own = append(own, a.ch.CalledOn(k.Name, a.t))
		return true
	})
	for _, k := range own {
		if !cascade {
			a.ch.Block(what, k, on)
			continue
		}
		a.ch.Cascaded = append(a.ch.Cascaded, k)
	}
	return nil
}

func (a *alteration) renameConstraint(act *RenameConstraint) error {
	if err := catalog.CheckIdentifier("constraint", act.To, act.Pos); err != nil {
		return err
	}
	if !a.t.HasConstraint(act.From) {
		return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, act.From, a.t.Name).At(act.Pos)
	}
	if a.t.HasConstraint(act.To) {
		return sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, act.To, a.t.Name).At(act.Pos)
	}
	ix := a.t.UniqueConstraint(act.From)
	if (ix != nil || a.t.PrimaryKeyName == act.From) && a.ch.NameTaken(a.t.Schema, act.To) {
		return catalog.DuplicateIndex(act.To)
	}
	if a.t.PrimaryKeyName == act.From {
		a.t.PrimaryKeyName = act.To
		return nil
	}
	if ix != nil {
		return renameIndex(a.t, ix.ID, act.To)
	}
	a.t.ForeignKeys = slices.Clone(a.t.ForeignKeys)
	for i := range a.t.ForeignKeys {
		if a.t.ForeignKeys[i].Name == act.From {
			a.t.ForeignKeys[i].Name = act.To
		}
	}
	a.t.Checks = slices.Clone(a.t.Checks)
	for i := range a.t.Checks {
		if a.t.Checks[i].Name == act.From {
			a.t.Checks[i].Name = act.To
		}
	}
	return nil
}

// widens says that every stored value of one type is, with the same bytes, a
// value of the other.
func widens(from, to types.T) bool {
	switch {
	case from.Kind == types.Varchar || from.Kind == types.Text:
		if to.Kind != types.Varchar && to.Kind != types.Text {
			return false
		}
		was, wasBound := from.Length()
		is, isBound := to.Length()
		return !isBound || wasBound && is >= was
	case from.Kind == types.Numeric && to.Kind == types.Numeric:
		p, s, bound := from.Precision()
		np, ns, isBound := to.Precision()
		if !isBound {
			return true
		}
		return bound && ns >= s && np-ns >= p-s
	case from.Kind == types.Time && to.Kind == types.Time && rowcodec.TimeStorage(from) != rowcodec.TimeStorage(to):
		return false
	case from.Kind == to.Kind && (from.Kind == types.Timestamp || from.Kind == types.Timestamptz || from.Kind == types.Time):
		was, is := from.Typmod(), to.Typmod()
		return is < 0 || was >= 0 && is >= was
	}
	return false
}
