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
package catalog
