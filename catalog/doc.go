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
// Several servers on one store see a change at their next poll, not at once.
// What an old descriptor may do meanwhile:
//
//	CREATE, RENAME   nothing: the object was not there, or has another name for a while
//	DROP             its storage table is gone, and names of storage tables are never used again
//	DROP COLUMN      its cells are written to a qualifier that is never used again
//	ALTER TABLE      that adds a column, a constraint or an option: nothing, since no
//	                 write under the old descriptor and one under the new ever meet
//
// The last is the rule that a change goes through versions of which any two that
// are in use together agree. Here they are three, and the one in the middle
// writes nothing:
//
//	old  ->  frozen  ->  new
//
//	ALTER            commits "frozen", waits for every server, tests the rows, commits "new"
//	each server      holds a lease (member.go) and says in its row which version it has
//	                 seen: no write under an older one is under way on it or will begin
//	each write       passes Enter: the lease holds, the table is not frozen, and the
//	                 descriptor that encoded the rows is the one in force
//
// When all live servers have seen "frozen" there is no write under "old" any
// more, and none can begin: a server either has seen it, or its lease has ended,
// and it takes a new one only by reading the catalog again. Writes under "new"
// begin after that. A lease is measured by the stopwatch of its holder, and is
// over for the holder a quarter of its length before it is for the others; so
// clocks need not agree. Those of the DDL lease, which the wall clock measures, are compared
// with every heartbeat, and DDL is refused where they differ by more than it bears.
//
// The callers translate SQL into the plain definitions of table_def.go and
// alter_action.go. The catalog must never parse SQL, evaluate an expression, or
// read or write the rows of a table but to test them for ALTER TABLE, and to
// give the cells of each one timestamp before the table has a TTL (ttl.go).
package catalog
