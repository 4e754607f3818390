// Package infoschema is the views of information_schema, and the functions beside them.
//
//	pgcatalog   Query, Class, Attribute, Constraint, Index ──> a view ──> Query.Row, Query.Named
//
// What there is, and what it is called, pgcatalog tells; here stands how the SQL standard shows
// it: tables and their constraints (views.go), rights (rights.go), types, functions and domains
// (types.go, domains.go). A view shows what the session's role owns or has some right on.
// Its init gives pgcatalog the views: whoever opens a session imports it for that alone.
package infoschema
