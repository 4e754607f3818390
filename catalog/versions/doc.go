// Package versions keeps the catalog of a store and agrees with the other servers on which
// version of it is in force.
//
//	Keeper.Snapshot   what this server knows           one atomic load
//	Keeper.Refresh    what is in force                 one small read
//	Keeper.Update     an Edit of the newest snapshot   compare-and-set of the root
//
// The system table is a copy-on-write tree whose root row is swapped by compare-and-set
// (root.go has the picture): a DDL statement happens at one moment, for all servers. Tables
// of the store are made and dropped before and after such moments, under a lease (lease.go).
//
// Several servers on one store see a change at their next poll, not at once. So where a
// change must not meet writes of before, it goes through versions of which any two that are
// in use together agree:
//
//	old  ->  frozen  ->  new
//
//	ALTER            commits "frozen", waits for every server, tests the rows, commits "new":
//	                 under one epoch of the root (held.go), so that a server which has lost the
//	                 DDL lease in between without knowing it commits nothing more
//	each server      holds a lease (member.go) and says in its row which version it has
//	                 seen: no write under an older one is under way on it or will begin
//	each write       passes Enter (write_gate.go): the lease holds, the table is not frozen,
//	                 and the descriptor that encoded the rows is the one in force
//
// A commit is one conditional write of the root, on the version that it was decided by. That covers
// the versions of all descriptors at once: whoever commits changes the root, so that an edit which
// has read any of them is made again from the newest. What is left is a decision by several looks
// (a table is frozen, its rows are tested, the constraint is committed). Only a holder of the DDL
// lease decides so: one in each process (Keeper.ddl), jobs among them (jobs.Job.end), and its commits
// need the lease's epoch. A statement without the lease may commit between two looks. Therefore each
// edit after the first look compares what it goes by, the table's Version or the ID of the job, with
// what it finds, and gives ErrMoved where that is another's: the statement looks anew.
//
// When all live servers have seen "frozen" there is no write under "old" any more, and none
// can begin: a server either has seen it, or its lease has ended, and it takes a new one
// only by reading the catalog again. Writes under "new" begin after that. A lease is
// measured by the stopwatch of its holder, and is over for the holder a quarter of its length
// before it is for the others; so clocks need not agree. The DDL lease goes by the store's clock. What
// goes by clocks of servers, the timestamps of rows for one, bears a small difference: a server whose
// clock is further from the store's is no member (clock.go), and where two servers' differ by more than a quarter of the lease DDL is
// refused (CheckSkew). The values of sequences are rows of the
// same table.
//
// It must never know what a statement does: package live makes the edits.
package versions
