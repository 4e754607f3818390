// Package hypothetical is what a session has of hypothetical indexes, CREATE INDEX …
// HYPOTHETICAL: its EXPLAIN plans as if they were there, and nothing is built.
//
//	definitions   bound once, over column IDs; names are the session's alone
//	tables        as they are now: an index whose columns are gone, or of another type, is let go of
//	plans         shown, never run and never kept
//
// internal/session calls it, which takes out of the catalog what is asked here. It must not know
// how statements are planned.
package hypothetical
