// Package temporary is what a session has of temporary tables and views: names, rows and plans that no
// other session sees, of which nothing is in the database's store, so that nothing is left of
// them by whatever end.
//
//	View      the database as the session sees it, with or without
//	Tables    a catalog and a store in memory, from the first CREATE TEMPORARY TABLE or VIEW on
//
// internal/session has a View for each session. It must not know what a
// session is.
package temporary
