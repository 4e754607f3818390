// Package ddl turns statements that change the catalog into changes of it: CREATE, ALTER,
// DROP, TRUNCATE and COMMENT as they are written, into the catalog's definitions.
//
// The session calls it, and is asked through Host for what only a session knows; it calls
// the catalog, and the planner to bind defaults and checks.
//
//	tree.CreateTable ── types, options, keys, checks ──> catalog.TableDef ──> catalog
//	tree.AlterTable  ── action by action ──────────────> catalog.AlterAction
//	                                          '── a new CHECK: Host.AnyRow
//	tree.CreateTableAs ── the query's columns ─────────> tree.CreateTable
//	Naming: which names are those of the session's temporary tables
//
// What is not kept is refused here, with what to do instead: nothing that a statement
// says may be dropped. It must never know a session or a transaction; whether DDL may run
// now is for the session to say.
package ddl
