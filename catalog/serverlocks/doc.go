// Package serverlocks has advisory locks hold over the servers of a store. Which servers hold a
// lock, and which wait for it, is a row of the catalog's table:
//
//	lock/0000000000000007     c:9f3c01aab2d4     {"holds":[{"m":"9f3c…/1b2c…","j":1,"x":true}],"waits":[{"m":…}]}
//
//	Locks.Take   one compare-and-set where the row is absent, else by what the row says; then a look
//	             at the catalog's root, which whoever had the lock may have changed
//	Locks.Give   one more, at the last of what this server holds in that mode
//	Locks.Wake   another server has let go: whoever waits for the lock looks at once
//
// A row has one cell, and each change gives it another qualifier, by chance. A change is made where
// the cell that was read is still there, so that one which comes late meets nothing. A row that says
// nothing is removed.
//
// A hold is the server's, by the lease of a join (versions.Keeper.Holds): others drop it once the
// server has left, has another join, or has not renewed its lease for as long as that lasts, by
// their own stopwatch. The server itself counts a lease as over a quarter earlier, and must end then
// whatever relies on a lock. So no two servers hold a lock against each other at one time.
//
// Waiting servers are granted the lock in the order in which they came, but for one that shares it
// already, which shares it once more without a look at the store. They look at the row again
// after pauses that grow to half a second. One that does not take what is its own for a second, as
// one that is stopped, is passed over.
//
// Package session calls it, once its own sessions agree (internal/advisory). It must never know
// which session holds a lock.
package serverlocks
