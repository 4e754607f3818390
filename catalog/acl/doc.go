// Package acl is who may do what with an object: lists of rights, what a role has by
// them, and how GRANT and REVOKE change them. The rules are those of PostgreSQL's acl.c.
//
//	catalog    -- keeps a list with each object, and answers Roles
//	pgcatalog  -- prints lists: alice=arwdDxt/alice, =r/alice
//
// A right may be held with its grant option, which lets its holder pass it on. Each item
// says who granted it: revoking an option takes along what was granted by it.
//
// It knows roles by number alone, and neither names nor objects.
package acl
