// Package settings defines the run-time parameters, and owns their values in a session
// through transactions. The session calls it for SET, RESET, SHOW, set_config and the ends
// of blocks and savepoints; it asks the planner what hints there are.
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
// parameters.go is the list of parameters, each with its default and the check of its
// value; Values knows none of them, and keeps what it is given. What a parameter does is
// for those who read it: it must never act on one.
package settings
