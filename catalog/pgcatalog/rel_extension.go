package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// What saltsql has beyond PostgreSQL is an extension: the schema saltsql with its
// relations. pg_depend says that they are its members, by which pg_dump leaves them out, and
// pg_init_privs what rights they have from the start. The OIDs of extensions are of those that
// PostgreSQL gives to what initdb makes, so that a dump does not create them either, and can
// be read by a server that has none of them.
func init() {
	Source("pg_catalog.pg_extension", pgExtension)
	Source("pg_catalog.pg_available_extensions", pgAvailableExtensions)
	Source("pg_catalog.pg_available_extension_versions", pgAvailableExtensionVersions)
	Source("pg_catalog.pg_init_privs", pgInitPrivs)
}

const (
	classExtension = 3079
	extensionOID   = firstOwn + 1 // of saltsql's own
	firstExtension = firstOwn + 2 // of the others, in their order
)

// ExtensionName is the extension of what PostgreSQL does not have.
const ExtensionName = OwnSchema

// eachExtension gives every extension with its OID and the OID of its schema.
func eachExtension(f func(e *catalog.Extension, id, schema uint32) error) error {
	for i := range catalog.Extensions {
		e, id, schema := &catalog.Extensions[i], uint32(firstExtension+i), uint32(catalogSchema)
		if e.Name == ExtensionName {
			id, schema = extensionOID, saltsqlSchema
		}
		if err := f(e, id, schema); err != nil {
			return err
		}
	}
	return nil
}

func pgExtension(q *Query) error {
	return eachExtension(func(e *catalog.Extension, id, schema uint32) error {
		return q.Row(oid(id), text(e.Name), oid(superuserOID), oid(schema), yes(false), text(e.Version), null, null)
	})
}

func pgAvailableExtensions(q *Query) error {
	for _, e := range catalog.Extensions {
		if err := q.Row(text(e.Name), text(e.Version), text(e.Version), text(e.Comment)); err != nil {
			return err
		}
	}
	return nil
}

func pgAvailableExtensionVersions(q *Query) error {
	for _, e := range catalog.Extensions {
		if err := q.Row(text(e.Name), text(e.Version), yes(true), yes(true), yes(false), yes(false), text(e.Schema), null, text(e.Comment)); err != nil {
			return err
		}
	}
	return nil
}

// extensionMembers gives what the extension owns to add.
func extensionMembers(add func(class, id uint32) error) error {
	if err := add(classNamespace, saltsqlSchema); err != nil {
		return err
	}
	for _, r := range relations {
		if r.member() {
			if err := add(classClass, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// member says that a relation is the extension's.
func (r *relation) member() bool { return r.Schema == OwnSchema }

// pgInitPrivs gives the rights that what is there from the start has.
func pgInitPrivs(q *Query) error {
	add := func(class, id uint32, member bool, rights *acl.List) error {
		if rights == nil || !q.isOID("objoid", id) || !q.isOID("classoid", class) {
			return nil
		}
		kind := byte('i')
		if member {
			kind = 'e'
		}
		return q.Row(oid(id), oid(class), num(0), char(kind), q.acl(rights))
	}
	for _, s := range systemSchemas {
		if err := add(classNamespace, s.oid, s.oid == saltsqlSchema, s.rights()); err != nil {
			return err
		}
	}
	if err := add(classNamespace, publicSchema, false, catalog.PublicSchemaRights()); err != nil {
		return err
	}
	for _, r := range relations {
		if _, rights := catalog.OwnedBy(&r.Virtual); rights != nil {
			if err := add(classClass, r.ID, r.member(), rights); err != nil {
				return err
			}
		}
	}
	return nil
}
