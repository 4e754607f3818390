package live

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// CreateSchema makes a schema. It is owner's, or where that is 0 of who makes it.
func (c *Catalog) CreateSchema(ctx context.Context, name string, owner uint32, ifNotExists bool) (catalog.Notices, error) {
	if err := checkSchemaName(name); err != nil {
		return nil, err
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		if err := ch.MayCreateSchema(owner); err != nil {
			return err
		}
		if ch.Schema(name) != nil {
			if ifNotExists {
				ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateSchema, `schema "%s" already exists, skipping`, name))
				return change.ErrNothing
			}
			return sqlerr.New(sqlerr.DuplicateSchema, `schema "%s" already exists`, name)
		}
		id, err := ch.NewID()
		if err != nil {
			return err
		}
		ch.Set(&catalog.Schema{ID: id, Name: name, Owned: catalog.Owned{Owner: owner}}, catalog.StatePublic)
		return nil
	})
	return notices, err
}

func checkSchemaName(name string) error {
	if err := catalog.CheckIdentifier("schema", name, 0); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(name, "pg_"):
		return sqlerr.New(sqlerr.ReservedName, `unacceptable schema name "%s"`, name).
			WithDetail(`The prefix "pg_" is reserved for system schemas.`)
	case catalog.IsSystemSchema(name):
		return sqlerr.New(sqlerr.DuplicateSchema, `schema "%s" already exists`, name)
	}
	return nil
}

// DropSchema removes schemas; with cascade all that is in them too.
func (c *Catalog) DropSchema(ctx context.Context, names []string, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropWithTypes(ctx, func(ch *change.Change) ([]string, error) {
		ch.Several = len(names) > 1
		var list []leavingSchema
		for _, name := range names {
			l, err := findLeaving(ch, name, ifExists)
			if err != nil {
				return nil, err
			}
			if l.schema != nil {
				list = append(list, l)
			}
		}
		return dropSchemas(ch, list, cascade)
	})
}

// leavingSchema is a schema that is dropped, with what is in it and is not dropped by itself.
type leavingSchema struct {
	schema *catalog.Schema
	inside []catalog.Relation
}

// findLeaving finds a schema to drop; none where there is none and ifExists.
func findLeaving(ch *change.Change, name string, ifExists bool) (l leavingSchema, err error) {
	sc := ch.Schema(name)
	if catalog.IsSystemSchema(name) {
		return l, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop schema %s because it is required by the database system", name)
	}
	if _, alive := ch.Get(schemaID(sc)); sc == nil || !alive {
		if ifExists {
			ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `schema "%s" does not exist, skipping`, name))
			return l, nil
		}
		return l, catalog.UndefinedSchema(name)
	}
	if !ch.Owns(&sc.Owned) {
		return l, catalog.NotOwner("schema", name)
	}
	l.schema = sc
	for _, r := range ch.Members() {
		if o, ok := ch.Get(r.RelID()); r.RelSchema() != name || !ok || o.State != catalog.StatePublic || ch.Going[r.RelID()] {
			continue
		}
		if q, ok := r.(*catalog.Sequence); ok && q.OwnerTable != 0 {
			continue // goes with its table
		}
		l.inside = append(l.inside, r)
	}
	slices.SortFunc(l.inside, func(a, b catalog.Relation) int { return cmp.Compare(a.RelID(), b.RelID()) }) // as they came
	return l, nil
}

// dropSchemas removes schemas. Without cascade what is in them blocks the change, and what needs that.
func dropSchemas(ch *change.Change, list []leavingSchema, cascade bool) (values []string, err error) {
	if ch.Going == nil {
		ch.Going = map[uint32]bool{}
	}
	for _, l := range list {
		for _, r := range l.inside {
			if !cascade {
				ch.Block("schema "+l.schema.Name, ch.Called(r), "schema "+l.schema.Name)
			}
			ch.Going[r.RelID()] = true
		}
	}
	for _, l := range list {
		for _, r := range l.inside {
			o, ok := ch.Get(r.RelID())
			if !ok || o.State != catalog.StatePublic {
				continue // an earlier one took it along
			}
			if cascade {
				ch.Cascaded = append(ch.Cascaded, ch.Called(r))
			}
			v, err := dropMember(ch, o.Desc, cascade)
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		ch.Remove(l.schema.ID)
	}
	return values, nil
}

func schemaID(s *catalog.Schema) uint32 {
	if s == nil {
		return 0
	}
	return s.ID
}

// RenameSchema is ALTER SCHEMA … RENAME TO.
func (c *Catalog) RenameSchema(ctx context.Context, from, to string) error {
	if err := checkSchemaName(to); err != nil {
		return err
	}
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		sc := ch.Schema(from)
		switch {
		case sc == nil:
			return catalog.UndefinedSchema(from)
		case !ch.Owns(&sc.Owned):
			return catalog.NotOwner("schema", from)
		case ch.Schema(to) != nil:
			return sqlerr.New(sqlerr.DuplicateSchema, `schema "%s" already exists`, to)
		}
		if err := refuseTextsIn(ch, from); err != nil {
			return err
		}
		if err := ch.MayCreateInDatabase(); err != nil {
			return err
		}
		cp := *sc
		cp.Name = to
		ch.Set(&cp, catalog.StatePublic)
		for id, o := range ch.Objects() {
			if r, ok := o.Desc.(catalog.Relation); ok && r.RelSchema() == from {
				if err := move(ch, id, o, to); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

// MoveRelation is ALTER VIEW and ALTER SEQUENCE … SET SCHEMA.
func (c *Catalog) MoveRelation(ctx context.Context, kind string, name catalog.Name, ifExists bool, schema string, pos int) (catalog.Notices, error) {
	return c.changeRelation(ctx, kind, name, ifExists, func(ch *change.Change, r catalog.Relation) error {
		if q, ok := r.(*catalog.Sequence); ok {
			if o, ok := ch.Get(q.OwnerTable); ok && q.OwnerTable != 0 {
				return sqlerr.New(sqlerr.FeatureNotSupported, "cannot move an owned sequence into another schema").
					WithDetail(`Sequence "%s" is linked to table "%s".`, q.Name, o.Desc.(*catalog.Table).Name).At(name.Pos)
			}
			if err := ch.RefuseTexts("move", q); err != nil {
				return catalog.Positioned(err, name.Pos)
			}
		}
		moves, err := mayMove(ch, r, schema, pos, r.RelName())
		if err != nil {
			return err
		}
		if !moves {
			return change.ErrNothing
		}
		return move(ch, r.RelID(), catalog.Object{Desc: r, State: catalog.StatePublic}, schema)
	})
}

// mayMove refuses a schema that r and what it brings along, by their names, cannot move
// into; false says that r is there.
func mayMove(ch *change.Change, r catalog.Relation, schema string, pos int, names ...string) (moves bool, err error) {
	if err := catalog.CheckNotSystem(schema, catalog.Name{Schema: schema, Name: r.RelName(), Pos: pos}); err != nil {
		return false, err
	}
	if ch.Schema(schema) == nil {
		return false, catalog.UndefinedSchema(schema).At(pos)
	}
	if schema == r.RelSchema() {
		return false, nil
	}
	if err := ch.MayCreateIn(schema); err != nil {
		return false, err
	}
	for _, name := range names {
		if err := nameFree(ch, schema, name, pos); err != nil {
			return false, err
		}
	}
	return true, nil
}

// nameFree refuses to move a relation to where another has its name.
func nameFree(ch *change.Change, schema, name string, pos int) error {
	if !ch.NameTaken(schema, name) {
		return nil
	}
	return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists in schema "%s"`, name, schema).At(pos)
}

// move puts a relation into another schema.
func move(ch *change.Change, id uint32, o catalog.Object, schema string) error {
	if newer, ok := ch.Get(id); ok {
		o = newer
	}
	switch d := o.Desc.(type) {
	case *catalog.Table:
		cp := d.Clone()
		cp.Schema = schema
		if err := cp.Finish(); err != nil {
			return err
		}
		ch.Set(cp, o.State)
	case *catalog.View:
		cp := *d
		cp.Schema = schema
		ch.Set(&cp, o.State)
	case *catalog.Sequence:
		cp := *d
		cp.Schema = schema
		ch.Set(&cp, o.State)
	case *catalog.Type:
		cp := *d
		cp.Schema = schema
		ch.Set(&cp, o.State)
	}
	return nil
}

// refuseTextsIn refuses to rename a schema with a sequence that a default kept as text
// names.
func refuseTextsIn(ch *change.Change, schema string) error {
	for _, r := range ch.Relations() {
		q, ok := r.(*catalog.Sequence)
		if !ok || q.Schema != schema {
			continue
		}
		if err := ch.RefuseTexts("move", q); err != nil {
			return err
		}
	}
	return nil
}
