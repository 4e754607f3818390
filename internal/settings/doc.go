// Package settings owns the values of a session's run-time parameters through
// transactions. The session calls it for SET, RESET, set_config and the ends of blocks and
// savepoints, and it calls nothing.
//
//	          SET a = 1   SET LOCAL a = 2   SAVEPOINT s   SET a = 3   ROLLBACK TO s   COMMIT
//	session   a = 1       a = 1             a = 1         a = 3       a = 1           a = 1
//	local                 a = 2             a = 2                     a = 2
//	value     1           2                 2             3           2               1
//
// A value of SET LOCAL lies over that of the session until the transaction ends,
// or SET takes its place. ROLLBACK brings back both layers as they were at the start,
// ROLLBACK TO as they were at the savepoint.
//
// It must never know what a parameter means, or its default: those are the caller's.
package settings
