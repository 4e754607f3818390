package ddl

import (
	"cmp"
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// element is a statement of CREATE SCHEMA.
type element struct {
	do   tree.Utility
	turn int // in which they are done, as in PostgreSQL
}

// elementsOf gives the statements of CREATE SCHEMA in the order in which they are done, each
// about the schema.
func elementsOf(u *tree.CreateSchema, schema string) ([]element, error) {
	list := make([]element, len(u.Elements))
	for i, st := range u.Elements {
		e := &list[i]
		var name *tree.Name
		temporary := false
		switch v := st.Utility.(type) {
		case *tree.CreateSequence:
			cp := *v
			e.do, e.turn, name, temporary = &cp, 0, &cp.Name, v.Temp
		case *tree.CreateTable:
			cp := *v
			e.do, e.turn, name, temporary = &cp, 1, &cp.Name, v.Temp
		case *tree.CreateView:
			cp := *v
			e.do, e.turn, name, temporary = &cp, 2, &cp.Name, v.Temp
		case *tree.CreateIndex:
			cp := *v
			e.do, e.turn, name = &cp, 3, &cp.Table
		case *tree.Grant:
			e.do, e.turn = v, 4
			continue
		default:
			return nil, unsupportedAt(u.Pos, "Send it after CREATE SCHEMA.", "this statement in CREATE SCHEMA is not supported")
		}
		if temporary {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema").At(name.Pos)
		}
		if name.Schema != "" && name.Schema != schema {
			return nil, sqlerr.New(sqlerr.InvalidSchemaDefinition, "CREATE specifies a schema (%s) different from the one being created (%s)", name.Schema, schema)
		}
		name.Schema = schema
	}
	slices.SortStableFunc(list, func(a, b element) int { return cmp.Compare(a.turn, b.turn) })
	return list, nil
}

// createElements makes what a new schema begins with, as its owner, with the schema first in the
// search path. Where one of them fails all of it goes again.
func (r *Runner) createElements(ctx context.Context, schema string, owner uint32, list []element) (catalog.Notices, error) {
	defer r.Host.Within(schema)()
	actor := r.Host.Actor()
	if owner != 0 && owner != actor.Current {
		actor.Current, actor.CurrentName = owner, r.Catalog.Seen().RoleName(owner)
	}
	as := catalog.WithSearchPath(catalog.WithActor(ctx, actor.Current, actor.Database), r.Host.SearchPath())
	made := &Runner{Catalog: r.Catalog, Host: ownerHost{r.Host, actor}}
	var notices catalog.Notices
	for _, e := range list {
		more, err := made.Statement(e.do)(as)
		notices = append(notices, more...)
		if err == nil {
			continue
		}
		drop := &tree.Drop{Object: "schema", Names: []tree.Name{{Name: schema}}, Cascade: true}
		if _, failed := r.drop(context.WithoutCancel(ctx), drop); failed != nil {
			r.Catalog.Options.Logger.Warn("ddl: a schema that was made without its elements stays", "schema", schema, "err", failed)
		}
		return notices, err
	}
	return notices, nil
}

// ownerHost is the host of statements that are done for the owner of a schema.
type ownerHost struct {
	Host
	actor Actor
}

func (h ownerHost) Actor() Actor { return h.actor }
