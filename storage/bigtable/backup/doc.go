// Package backup makes sets of the service's backups, one of each table of a store, and makes a
// store of such a set. cmd/saltsql calls it; it knows nothing of SQL.
//
//	NAME-0001 … NAME-0012     the tables, at the same time, as far as that goes
//	NAME-of-12                the last table, which is begun when the others are ready
//
// So a set is whole when it has its last table, and all the others that its name counts: there
// is no other record, and nothing to lose but the backups. The last table is the catalog, by
// which sequences of a restored store are never behind its rows. The tables are not of one
// moment: what belongs to rows of another table, as entries of an index do, must be compared
// after a restore.
//
// Restore makes the tables in another instance, or in one that has lost them, under the names
// that they had; the last one when the others are there. It must never write over a table.
package backup
