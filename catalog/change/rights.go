package change

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Owns says whether who makes the change has the rights of an object's owner.
func (ch *Change) Owns(o *catalog.Owned) bool { return ch.HasPrivsOf(ch.By, o.Owner) }

// MustOwn refuses to change what is another's.
func (ch *Change) MustOwn(r catalog.Relation) error {
	if o, ok := r.(catalog.Ownable); ok && !ch.Owns(o.Ownership()) {
		name := r.RelName()
		if t, ok := r.(*catalog.Type); ok {
			name = ch.nameOf(t)
		}
		return catalog.NotOwner(r.RelKind(), name)
	}
	return nil
}

// MayDrop is MustOwn that the owner of the schema passes too.
func (ch *Change) MayDrop(r catalog.Relation) error {
	if sc := ch.Schema(r.RelSchema()); sc != nil && ch.Owns(&sc.Owned) {
		return nil
	}
	return ch.MustOwn(r)
}

// MayUseSchema refuses a schema that is named and may not be used.
func (ch *Change) MayUseSchema(schema string) error {
	return ch.MayLookInto(ch.By, schema)
}

// MayCreateIn refuses to put an object into a schema.
func (ch *Change) MayCreateIn(schema string) error {
	if rights, _ := ch.SchemaRights(ch.By, schema); rights&acl.Create == 0 {
		return catalog.Denied("schema", schema)
	}
	return nil
}

// CreationSchema is the snapshot's for who may create in it.
func (ch *Change) CreationSchema(n catalog.Name) (string, error) {
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return "", err
	}
	schema, err := ch.Snapshot.CreationSchema(n)
	if err == nil {
		err = ch.MayCreateIn(schema)
	}
	return schema, err
}

// ofNew gives a new object its owner, and the rights that its owner gives new objects.
func (ch *Change) ofNew(d catalog.Descriptor) {
	o, ok := d.(catalog.Ownable)
	if !ok || o.Ownership().Owner != 0 {
		return
	}
	own := o.Ownership()
	own.Owner = ch.By
	kind, schema := acl.Schema, uint32(0)
	if r, ok := d.(catalog.Relation); ok {
		kind = catalog.KindOf(r)
		if sc := ch.Schema(r.RelSchema()); sc != nil {
			schema = sc.ID
		}
	}
	own.Rights = ch.DefaultRights(ch.By, schema, kind)
}

// MayCreateInDatabase is 42501 for who may not create schemas.
func (ch *Change) MayCreateInDatabase() error {
	if rights, _ := ch.DatabaseRights(ch.By); rights&acl.Create == 0 {
		return catalog.Denied("database", ch.DatabaseName)
	}
	return nil
}

// MayCreateSchema is MayCreateInDatabase that also wants who makes the schema to be able to
// be its owner; 0 is who makes it.
func (ch *Change) MayCreateSchema(owner uint32) error {
	if err := ch.MayCreateInDatabase(); err != nil {
		return err
	}
	return ch.MayBecome(owner)
}

// MayBecome refuses to give an object to a role that who gives it is not in.
func (ch *Change) MayBecome(owner uint32) error {
	if owner != 0 && !ch.IsMember(ch.By, owner) {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be member of role %q", ch.RoleName(owner))
	}
	return nil
}
