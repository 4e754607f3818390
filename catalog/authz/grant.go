package authz

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Grant is a GRANT or REVOKE of rights.
type Grant struct {
	Revoke   bool
	All      bool          // ALL PRIVILEGES
	Rights   acl.Right     // on whole objects
	Columns  []ColumnGrant // on columns of tables
	Option   bool          // WITH GRANT OPTION; of REVOKE: GRANT OPTION FOR
	Cascade  bool
	Grantees []uint32 // acl.Public among them
}

// ColumnGrant is rights on some columns.
type ColumnGrant struct {
	Rights  acl.Right
	All     bool
	Columns []string
}

// GrantOn grants or revokes on relations. kind is acl.Table, which takes sequences too, or
// acl.Sequence.
func (a Authority) GrantOn(ctx context.Context, g Grant, kind acl.Kind, names []catalog.Name) (catalog.Notices, error) {
	return a.grant(ctx, func(ch *change.Change) error {
		for _, n := range names {
			if err := ch.MayUseSchema(n.Schema); err != nil {
				return err
			}
			r, err := ch.Resolve(n.Path, n.Schema, n.Name)
			if err != nil {
				return catalog.Positioned(err, n.Pos)
			}
			if v, ok := r.(*catalog.Virtual); ok {
				return v.Denied().At(n.Pos)
			}
			if _, ok := r.(*catalog.Sequence); !ok && kind == acl.Sequence {
				return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a sequence`, r.RelName())
			}
			if err := grantRelation(ch, &g, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// GrantInSchemas is GRANT ON ALL TABLES IN SCHEMA, views among them, or ALL SEQUENCES.
func (a Authority) GrantInSchemas(ctx context.Context, g Grant, kind acl.Kind, schemas []string) (catalog.Notices, error) {
	return a.grant(ctx, func(ch *change.Change) error {
		for _, name := range schemas {
			if ch.Schema(name) == nil {
				return catalog.UndefinedSchema(name)
			}
			if err := ch.MayUseSchema(name); err != nil {
				return err
			}
			for _, r := range ch.Relations() {
				if r.RelSchema() != name || catalog.KindOf(r) != kind {
					continue
				}
				if err := grantRelation(ch, &g, r); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// GrantOnSchemas grants or revokes on schemas.
func (a Authority) GrantOnSchemas(ctx context.Context, g Grant, schemas []string) (catalog.Notices, error) {
	return a.grant(ctx, func(ch *change.Change) error {
		for _, name := range schemas {
			sc := ch.Schema(name)
			if sc == nil {
				return catalog.UndefinedSchema(name)
			}
			if err := grantSchema(ch, &g, sc); err != nil {
				return err
			}
		}
		return nil
	})
}

func grantSchema(ch *change.Change, g *Grant, sc *catalog.Schema) error {
	if o, ok := ch.Get(sc.ID); ok {
		sc = o.Desc.(*catalog.Schema)
	}
	list, err := granted(ch, g, grantable{kind: acl.Schema, word: "schema", name: sc.Name}, &sc.Owned)
	if err != nil {
		return err
	}
	cp := *sc
	cp.Rights = list
	ch.Set(&cp, catalog.StatePublic)
	return nil
}

// GrantOnTypes grants or revokes on types; domains says that the statement names domains.
func (a Authority) GrantOnTypes(ctx context.Context, g Grant, domains bool, names []catalog.Name) (catalog.Notices, error) {
	return a.grant(ctx, func(ch *change.Change) error {
		for _, n := range names {
			t, err := findGranted(ch, n)
			if err != nil {
				return err
			}
			if domains && t.Domain == nil {
				return change.NotDomain(t)
			}
			if err := grantType(ch, &g, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func grantType(ch *change.Change, g *Grant, t *catalog.Type) error {
	if o, ok := ch.Get(t.ID); ok {
		t = o.Desc.(*catalog.Type)
	}
	list, err := granted(ch, g, grantable{kind: acl.Type, word: "type", name: t.Name}, &t.Owned)
	if err != nil {
		return err
	}
	return ch.EditRelation(t, func(o *catalog.Owned) { o.Rights = list })
}

// findGranted resolves the type of a GRANT: 42704, 0LP01 for one of arrays.
func findGranted(ch *change.Change, n catalog.Name) (*catalog.Type, error) {
	t, err := ch.FindType(n, func(catalog.Relation) error { return nil })
	if t, array := ch.TypeNamed(n); t != nil && array {
		return nil, sqlerr.New(sqlerr.InvalidGrantOperation, "cannot set privileges of array types").
			WithHint("Set the privileges of the element type instead.")
	}
	if sqlerr.CodeOf(err) == sqlerr.DependentObjectsStillExist {
		return nil, sqlerr.Unsupported("rights on types of the system, and on rows of tables, are not supported", "Make a domain over the type, and grant on that.")
	}
	return t, err
}

// GrantOnDatabase grants or revokes on the store as a whole, which goes by name.
func (a Authority) GrantOnDatabase(ctx context.Context, g Grant, name string) (catalog.Notices, error) {
	return a.grant(ctx, func(ch *change.Change) error { return grantDatabase(ch, &g, name) })
}

func grantDatabase(ch *change.Change, g *Grant, name string) error {
	d := ch.Database()
	if o, ok := ch.Get(d.ID); ok {
		d = o.Desc.(*catalog.Database)
	}
	list, err := granted(ch, g, grantable{kind: acl.Database, word: "database", name: name}, &d.Owned)
	if err != nil {
		return err
	}
	cp := *d
	cp.Rights = list
	ch.Set(&cp, catalog.StatePublic)
	return nil
}

func (a Authority) grant(ctx context.Context, do func(ch *change.Change) error) (catalog.Notices, error) {
	notices, err := a.change(ctx, func(ch *change.Change) error {
		if err := do(ch); err != nil {
			return err
		}
		return ch.UnlessEmpty()
	})
	return notices, err
}

// grantable is what rights are granted on, as messages call it.
type grantable struct {
	kind       acl.Kind
	word, name string
	column     string
}

func (o grantable) denied() error {
	if o.column != "" {
		return sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied for column "%s" of relation "%s"`, o.column, o.name)
	}
	return catalog.Denied(o.word, o.name)
}

func grantRelation(ch *change.Change, g *Grant, r catalog.Relation) error {
	if o, ok := ch.Get(r.RelID()); ok {
		r = o.Desc.(catalog.Relation)
	}
	kind, own := catalog.KindOf(r), r.(catalog.Ownable).Ownership()
	rights := g.Rights
	switch {
	case g.All && len(g.Columns) == 0:
		rights = kind.All()
	case kind == acl.Sequence && rights&^acl.Sequence.All() != 0:
		w := sqlerr.Notice(sqlerr.InvalidGrantOperation, `sequence "%s" only supports USAGE, SELECT, and UPDATE privileges`, r.RelName())
		w.Severity = sqlerr.SeverityWarning
		ch.Notices.Add(w)
		rights &= acl.Sequence.All()
	case kind == acl.Table && rights&^acl.Table.All() != 0:
		return sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type %s for table", (rights &^ acl.Table.All()).Each()[0].Word())
	}
	table, _ := r.(*catalog.Table)
	if table == nil && len(g.Columns) > 0 {
		if kind == acl.Sequence {
			return sqlerr.New(sqlerr.InvalidGrantOperation, `sequence "%s" only supports SELECT column privileges`, r.RelName())
		}
		return sqlerr.Unsupported("rights on columns of a view are not supported", "Make a view of the columns, and grant on it.")
	}
	perColumn := map[int]acl.Right{}
	if g.Revoke && table != nil {
		for i := range table.Columns {
			if table.Columns[i].Rights != nil {
				perColumn[i] = rights & acl.Column.All()
			}
		}
	}
	for _, cg := range g.Columns {
		for _, name := range cg.Columns {
			i := slices.IndexFunc(table.Columns, func(c catalog.Column) bool { return c.Name == name })
			if i < 0 {
				return catalog.UndefinedColumn(table, name)
			}
			if cg.All {
				perColumn[i] |= acl.Column.All()
			}
			perColumn[i] |= cg.Rights
		}
	}
	if rights != 0 {
		whole := *g
		whole.Rights = rights
		word := "table" // of views too
		if kind == acl.Sequence {
			word = "sequence"
		}
		list, err := granted(ch, &whole, grantable{kind: kind, word: word, name: r.RelName()}, own)
		if err != nil {
			return err
		}
		if err := ch.EditRelation(r, func(o *catalog.Owned) { o.Rights = list }); err != nil {
			return err
		}
	}
	if len(perColumn) == 0 {
		return nil
	}
	o, _ := ch.Get(r.RelID())
	cp := o.Desc.(*catalog.Table).Clone()
	for i := range cp.Columns {
		if perColumn[i] == 0 {
			continue
		}
		if err := grantColumn(ch, g, table, cp, i, perColumn[i], rights != 0); err != nil {
			return err
		}
	}
	if err := cp.Finish(); err != nil {
		return err
	}
	ch.Set(cp, catalog.StatePublic)
	return nil
}

// grantColumn changes the rights on one column of cp. Options on the table go for its columns too.
func grantColumn(ch *change.Change, g *Grant, old, cp *catalog.Table, i int, rights acl.Right, silent bool) error {
	c := &cp.Columns[i]
	list := c.Rights.Or(acl.Column, cp.Owner)
	both := &acl.List{Items: slices.Concat(old.Rights.Or(acl.Table, old.Owner).Items, list.Items)}
	one := *g
	one.Rights, one.All = rights, rights == acl.Column.All()
	next, err := grantedBy(ch, &one, grantable{kind: acl.Column, word: "column", name: cp.Name, column: c.Name}, &cp.Owned, list, both, silent)
	if err != nil {
		return err
	}
	if len(next.Items) == 0 {
		next = nil
	}
	c.Rights = next
	return nil
}

func granted(ch *change.Change, g *Grant, on grantable, own *catalog.Owned) (*acl.List, error) {
	list := own.Rights.Or(on.kind, own.Owner)
	if g.All {
		cp := *g
		cp.Rights = on.kind.All()
		g = &cp
	}
	return grantedBy(ch, g, on, own, list, list, false)
}

// grantedBy changes list; asked is where it is looked who may grant.
func grantedBy(ch *change.Change, g *Grant, on grantable, own *catalog.Owned, list, asked *acl.List, silent bool) (*acl.List, error) {
	grantor, options := asked.Grantor(ch, ch.Reach(ch.By, true), ch.By, own.Owner, g.Rights)
	if options == acl.None {
		have, may := asked.Held(ch, grantor, own.Owner)
		if (have|may)&on.kind.All() == 0 {
			return nil, on.denied()
		}
	}
	rights := g.Rights & options
	if !silent {
		tellNotGranted(ch, g, on, rights)
	}
	for _, to := range g.Grantees {
		if !g.Revoke && g.Option && to == acl.Public {
			return nil, sqlerr.New(sqlerr.InvalidGrantOperation, "grant options can only be granted to roles")
		}
		it := acl.Item{Grantee: to, Grantor: grantor}
		if !g.Revoke || !g.Option {
			it.Rights = rights
		}
		if g.Revoke || g.Option {
			it.Options = rights
		}
		var err error
		if g.Revoke {
			list, err = list.Revoke(ch, it, own.Owner, g.Cascade)
		} else {
			list, err = list.Grant(ch, it, own.Owner)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// tellNotGranted warns of what who asks may not grant.
func tellNotGranted(ch *change.Change, g *Grant, on grantable, rights acl.Right) {
	what := `"` + on.name + `"`
	if on.column != "" {
		what = `column "` + on.column + `" of relation ` + what
	}
	text, code := "", sqlerr.PrivilegeNotGranted
	if g.Revoke {
		code = sqlerr.PrivilegeNotRevoked
	}
	switch {
	case rights == 0 && g.Revoke:
		text = "no privileges could be revoked for " + what
	case rights == 0:
		text = "no privileges were granted for " + what
	case rights == g.Rights || g.All:
		return
	case g.Revoke:
		text = "not all privileges could be revoked for " + what
	default:
		text = "not all privileges were granted for " + what
	}
	w := sqlerr.Notice(code, "%s", text)
	w.Severity = sqlerr.SeverityWarning
	ch.Notices.Add(w)
}
