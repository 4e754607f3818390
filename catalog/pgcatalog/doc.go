// Package pgcatalog is the system catalogs: the relations of pg_catalog and saltsql, and the
// functions over them. Those of information_schema are in infoschema, which reads objects of the
// catalog as Class, Attribute, Index and Constraint have them.
//
//	init      -- Virtual relations -->  catalog     where a name is looked up
//	exec      -- Virtual.Rows(world, equal) -->     rows, computed when they are read
//	expr      -- functions (format_type, pg_get_indexdef, …), registered by init
//
// A row comes from the catalog's snapshot, from the registries that binding uses (types,
// functions, operators, casts) or from the session, which says what it knows through the
// interfaces of world.go. Names, types and order of the columns, and the OIDs of what is
// built in, are PostgreSQL 15's: the files of facts/ hold them, and a test compares them
// with a server. What those files list and the registries lack is not shown.
//
// Objects that saltsql keeps inside of others (the index of a primary key, a constraint, a
// default) have OIDs that follow from their owner's: see oid.go.
//
// A relation never looks at the statement that reads it beyond the equalities that it is
// given, and knows no client.
package pgcatalog
