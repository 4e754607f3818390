// Package catalog says what there is: schemas, tables with their columns, keys, indexes
// and constraints, views, sequences, roles and their rights, as immutable values.
//
//	catalog            Snapshot --> Table, Index, View, Sequence, Role …   (here)
//	catalog/versions   which snapshot is in force, kept in the store, for all servers
//	catalog/live       CreateTable, AlterTable, DropTable … : what changes it
//	catalog/acl        lists of rights      catalog/rowcodec   how rows look as bytes
//
// A Snapshot never changes; a statement binds, plans and runs against one. Table says
// what a table is; how its bytes look is rowcodec's business, which it serves through
// Table.Codec. The primary key is index 0.
//
// The callers translate SQL into the plain definitions of table_def.go, index_def.go and
// view.go's, which become descriptors here (build_table.go, finish.go), under PostgreSQL's
// wording for what is wrong with them. Descriptors are stored as JSON (descriptor.go), and
// printed as SQL (show_create.go, view_text.go, expr_text.go).
//
// It must never do I/O, parse SQL or evaluate an expression.
package catalog
