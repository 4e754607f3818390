// Package catalog keeps the descriptors of schemas, tables, views and
// sequences: immutable values with versions, persisted in the store by
// compare-and-set.
//
//	planner  -- Snapshot.Resolve… -->  Table (immutable)
//	session  -- CreateTable, AlterTable, … -->  Catalog  -- rows of a system table -->  storage
//
// A Snapshot never changes; a statement plans and runs against one. Table says
// what a table is; how its bytes look is rowcodec's business, which it serves
// through Table.Codec.
//
// The system table is a copy-on-write tree whose root row is swapped by
// compare-and-set (root.go has the picture): a DDL statement happens at one
// moment, for all servers. Tables of the store are made and dropped before and
// after such moments, under a lease, with the descriptor's state saying what is under way;
// so a server may die at any call, and Open or the next DDL statement puts in
// order what it left. Check says whether all is well.
//
//	CREATE TABLE   descriptor "creating"  ->  storage table  ->  descriptor "public"
//	DROP TABLE     descriptor "dropping"  ->  storage table dropped  ->  descriptor gone
//	ALTER TABLE    families, longer TTL   ->  descriptor  ->  shorter TTL
//
// The callers translate SQL into the plain definitions of table_def.go and
// alter_action.go. The catalog must never parse SQL, evaluate an expression, or
// read or write the rows of a table but to test them for ALTER TABLE.
package catalog
