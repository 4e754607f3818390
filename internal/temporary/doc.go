// Package temporary is what a session has of temporary tables: names, rows and plans that no
// other session sees, of which nothing is in the database's store, so that nothing is left of
// them by whatever end.
//
// internal/session makes it with the first CREATE TEMPORARY TABLE. It must not know what a
// session is.
package temporary
