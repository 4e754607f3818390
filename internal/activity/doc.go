// Package activity is what other sessions may see of one: its statement and since when, its
// transaction's state, and the locks that pg_locks shows for them.
//
//	Begin ── a statement runs ──> Plan ── which relations it works with ──> End
//	Show    pg_stat_activity        Locks   pg_locks
//
// internal/session keeps one for each session. The session's goroutine tells, any may ask. It must
// never hold more of a statement's text than its beginning, nor more plans than it shows.
package activity
