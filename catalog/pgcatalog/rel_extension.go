package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// What saltsql has beyond PostgreSQL is an extension: the schema saltsql with its
// relations. pg_depend says that they are its members, by which pg_dump leaves them out, and
// pg_init_privs what rights they have from the start. Its OID is one of those that
// PostgreSQL gives to what initdb makes, so that a dump does not create it either, and can
// be read by a server that has no such extension.
func init() {
	Source("pg_catalog.pg_extension", pgExtension)
	Source("pg_catalog.pg_available_extensions", pgAvailableExtensions)
	Source("pg_catalog.pg_available_extension_versions", pgAvailableExtensionVersions)
	Source("pg_catalog.pg_init_privs", pgInitPrivs)
}

const (
	classExtension   = 3079
	extensionOID     = firstOwn + 1
	extensionVersion = "1.0"
	extensionComment = "relations that show salts, storage and statements"
)

// ExtensionName is the one extension that there is.
const ExtensionName = OwnSchema

func pgExtension(q *Query) error {
	return q.Row(oid(extensionOID), text(ExtensionName), oid(superuserOID), oid(saltsqlSchema), yes(false), text(extensionVersion), null, null)
}

func pgAvailableExtensions(q *Query) error {
	return q.Row(text(ExtensionName), text(extensionVersion), text(extensionVersion), text(extensionComment))
}

func pgAvailableExtensionVersions(q *Query) error {
	return q.Row(text(ExtensionName), text(extensionVersion), yes(true), yes(true), yes(false), yes(false), text(OwnSchema), null, text(extensionComment))
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
