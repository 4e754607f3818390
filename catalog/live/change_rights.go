package live

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// owns says whether who makes the change has the rights of an object's owner.
func (ch *change) owns(o *catalog.Owned) bool { return ch.HasPrivsOf(ch.By, o.Owner) }

// mustOwn refuses to change what is another's.
func (ch *change) mustOwn(r catalog.Relation) error {
	if o, ok := r.(catalog.Ownable); ok && !ch.owns(o.Ownership()) {
		return catalog.NotOwner(r.RelKind(), r.RelName())
	}
	return nil
}

// mayDrop is mustOwn that the owner of the schema passes too.
func (ch *change) mayDrop(r catalog.Relation) error {
	if sc := ch.Schema(r.RelSchema()); sc != nil && ch.owns(&sc.Owned) {
		return nil
	}
	return ch.mustOwn(r)
}

// mayUse refuses a schema that is named and may not be used.
func (ch *change) mayUse(schema string) error {
	if schema != "" && (ch.Schema(schema) != nil || catalog.IsSystemSchema(schema)) && !ch.MayUse(ch.By, schema) {
		return catalog.Denied("schema", schema)
	}
	return nil
}

// mayCreateIn refuses to put an object into a schema.
func (ch *change) mayCreateIn(schema string) error {
	if rights, _ := ch.SchemaRights(ch.By, schema); rights&acl.Create == 0 {
		return catalog.Denied("schema", schema)
	}
	return nil
}

// CreationSchema is the snapshot's for who may create in it.
func (ch *change) CreationSchema(n catalog.Name) (string, error) {
	if err := ch.mayUse(n.Schema); err != nil {
		return "", err
	}
	schema, err := ch.Snapshot.CreationSchema(n)
	if err == nil {
		err = ch.mayCreateIn(schema)
	}
	return schema, err
}

// ofNew gives a new object its owner, and the rights that its owner gives new objects.
func (ch *change) ofNew(d catalog.Descriptor) {
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

// mayCreateInDatabase is 42501 for who may not create schemas.
func (ch *change) mayCreateInDatabase() error {
	if rights, _ := ch.DatabaseRights(ch.By); rights&acl.Create == 0 {
		return catalog.Denied("database", ch.DatabaseName)
	}
	return nil
}

// mayCreateSchema is mayCreateInDatabase that also wants who makes the schema to be able to
// be its owner; 0 is who makes it.
func (ch *change) mayCreateSchema(owner uint32) error {
	if err := ch.mayCreateInDatabase(); err != nil {
		return err
	}
	return ch.mayBecome(owner)
}

// mayBecome refuses to give an object to a role that who gives it is not in.
func (ch *change) mayBecome(owner uint32) error {
	if owner != 0 && !ch.IsMember(ch.By, owner) {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be member of role %q", ch.RoleName(owner))
	}
	return nil
}
